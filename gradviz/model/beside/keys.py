"""Keys by which a step's counterpart in another run is found."""

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
    """Computes keys of steps, using the nodes that are already known to match."""

    levels = 3
    """Number of levels, from the most specific key to the least specific one."""

    def __init__(self, left: Index, right: Index) -> None:
        self._index: dict[Side, Index] = {"left": left, "right": right}
        self._known: dict[Side, dict[int, str]] = {"left": {}, "right": {}}
        self._pairs = 0

    def pair(self, left: Step, right: Step) -> None:
        """Record that two steps match, and with them the nodes that they created."""
        if not isinstance(left, ForwardStep) or not isinstance(right, ForwardStep):
            return
        self._pairs += 1
        # The last node that a step creates is that of its output, so match from the end.
        made = zip(reversed(left.nodes), reversed(right.nodes), strict=False)
        for at, (one, other) in enumerate(made):
            key = f"made {self._pairs:07} {at}"
            self._known["left"][one] = self._known["right"][other] = key

    def key(self, step: Step, level: int, side: Side) -> str | None:
        """The key of a step on a level; None if it has no key there."""
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
