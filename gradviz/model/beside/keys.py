"""What a step is known by when its counterpart is looked for in another run."""

from __future__ import annotations

from typing import Literal

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.query import module_path
from gradviz.model.step import (
    DispatchStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

Side = Literal["left", "right"]

_BY_MODULE, _BY_NAME, _BY_SHAPE = 0, 1, 2


class Keying:
    """Makes keys, from what is known already of the nodes that belong together."""

    levels = 3
    """From the key that says most to the one that says least."""

    def __init__(self, left: Index, right: Index) -> None:
        self._index: dict[Side, Index] = {"left": left, "right": right}
        self._known: dict[Side, dict[int, str]] = {"left": {}, "right": {}}
        self._pairs = 0

    def pair(self, left: Step, right: Step) -> None:
        """Takes note of two steps that belong together: so do the nodes that they made."""
        if not isinstance(left, ForwardStep) or not isinstance(right, ForwardStep):
            return
        self._pairs += 1
        # The last one that a step makes is that of its output.
        made = zip(reversed(left.nodes), reversed(right.nodes), strict=False)
        for at, (one, other) in enumerate(made):
            key = f"made {self._pairs:07} {at}"
            self._known["left"][one] = self._known["right"][other] = key

    def key(self, step: Step, level: int, side: Side) -> str | None:
        """What a step is known by; None where it has no such key on this level."""
        index = self._index[side]
        match step:
            case ForwardStep():
                return self._of_forward(index, step, level)
            case NodeStep():
                return self._of_node(index, step, level, side)
            case DispatchStep(function=function):
                return f"dispatch {function}"
            case OptimizerStep(optimizer=name):
                return f"optimizer {name}" if level < _BY_SHAPE else "optimizer"
            case PassBeginStep():
                return "begin"
            case PassEndStep():
                return "end"
            case _:
                return "error"

    def _of_forward(self, index: Index, step: ForwardStep, level: int) -> str | None:
        if level == _BY_SHAPE:
            shapes = [_shape(index, item) for item in step.outputs]
            known = any(shape is not None for shape in shapes)
            return f"forward {shapes}" if known else None
        path = module_path(index, step.node) if step.node and level == _BY_MODULE else ""
        return f"forward {step.op} {path}"

    def _of_node(self, index: Index, step: NodeStep, level: int, side: Side) -> str | None:
        known = self._known[side].get(step.node)
        if known is not None:
            return known if level == _BY_MODULE else None
        if level == _BY_SHAPE:
            return None
        path = module_path(index, step.node) if level == _BY_MODULE else ""
        return f"node {index.node[step.node].name} {path}"


def _shape(index: Index, item: Item) -> tuple[int, ...] | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor).shape
