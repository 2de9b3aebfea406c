"""One trial run: a fresh forward, then a backward with gradients in a given layout.

Only a Function's own output passes the layout of a gradient on to its backward; any operation in
between creates a new tensor. Functions further inside the graph therefore get theirs from a hook
on their node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.arguments import restore_arguments
from gradviz.checks.backward_nodes import custom_name, nodes_of
from gradviz.checks.backward_rules import differentiable, with_undefined
from gradviz.checks.battery.memory_layouts import DENSE, MemoryLayout
from gradviz.checks.random_tensors import RandomTensors, RewindRandomState
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import UserCodeAttempt
from gradviz.recorder.patching.signals import calls_user_code

Incoming = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""Function that creates the values of the incoming gradients for differentiable outputs."""

ALL = -1
"""All outputs, where a position among the differentiable ones is expected."""


@dataclass(slots=True)
class BackwardRun:
    """Result of one trial run.

    Attributes:
        gradients: Gradients of the inputs; empty if something raised.
        error: What forward or backward raised.
        changed: Names of the Functions whose backward wrote to its incoming gradient; an empty
            name if the Function is unknown.
        strides: Strides of the gradients placed in the requested layout, unless it is dense.
        positions: Positions of the differentiable outputs.
        shapes: Shapes of all incoming gradients.
    """

    gradients: tuple[Tensor | None, ...] = ()
    error: Exception | None = None
    changed: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    positions: tuple[int, ...] = ()
    shapes: frozenset[torch.Size] = frozenset()


@dataclass(frozen=True, slots=True)
class _Watched:
    name: str
    memory: Tensor
    before: Tensor

    @property
    def is_changed(self) -> bool:
        # Compared as bytes, since NaN differs from itself and -0.0 equals 0.0.
        return not torch.equal(self.memory.view(torch.uint8), self.before.view(torch.uint8))


class _Laid:
    """Placement of gradients in a layout, with detection of writes to them."""

    def __init__(self, layout: MemoryLayout, *, dense: bool) -> None:
        self.strides: list[tuple[int, ...]] = []
        self.shapes: set[torch.Size] = set()
        self._wanted = layout
        self._chosen = DENSE if dense else layout
        self._watched: list[_Watched] = []
        self._drawn = RandomTensors(1)

    def __call__(self, values: Tensor, name: str) -> Tensor:
        placed, memory = self._chosen.placed(self._wanted.repeated(values), self._drawn)
        self.shapes.add(values.shape)
        self._watched.append(_Watched(name, memory, memory.clone()))
        if self._wanted is not DENSE and self._wanted.fits(values.shape):
            self.strides.append(tuple(placed.stride()))
        return placed

    def changed(self) -> tuple[str, ...]:
        """Names of the Functions that wrote to a gradient."""
        return tuple(dict.fromkeys(each.name for each in self._watched if each.is_changed))


class BackwardRunner:
    """Runner of forward and backward of one function with chosen incoming gradients.

    Args:
        case: What is checked.
        rewind: Restores the same random state before each run.
    """

    def __init__(self, case: CheckContext, rewind: RewindRandomState) -> None:
        self._case = case
        self._rewind = rewind

    def run(
        self,
        incoming: Incoming,
        layout: MemoryLayout = DENSE,
        *,
        dense: bool = False,
        missing: int | None = None,
    ) -> BackwardRun:
        """Run forward and backward once.

        Args:
            incoming: Creates the values of the incoming gradients.
            layout: Their memory layout; values that share a location (stride 0) are made equal.
            dense: Whether to store the values that fit the layout in dense memory instead.
            missing: Index of the differentiable output that gets no gradient, or `ALL`.
        """
        self._rewind()
        self._case.evaluations.expect(2)
        result, laid = BackwardRun(), _Laid(layout, dense=dense)
        with restore_arguments(self._case.subject.arguments), UserCodeAttempt() as attempt:
            chosen = differentiable(self._case.evaluator.evaluate())
            result.positions = tuple(position for position, _ in chosen)
            outputs = [value for _, value in chosen]
            for node in nodes_of(outputs):
                if name := custom_name(node):
                    # Inner Functions get their gradients in the requested layout too, not only the
                    # outermost.
                    node.register_prehook(_replacing(laid, name))
            result.gradients = self._backward(outputs, incoming, laid, missing)
        result.error = attempt.error
        result.changed = laid.changed()
        result.strides = tuple(laid.strides)
        result.shapes = frozenset(laid.shapes)
        return result

    @calls_user_code
    def _backward(
        self, outputs: list[Tensor], incoming: Incoming, laid: _Laid, missing: int | None
    ) -> tuple[Tensor | None, ...]:
        self._case.evaluations.begin()
        gradients = [laid(values, "") for values in incoming(outputs)]
        if missing == ALL:
            # The engine needs an output to start from, so a node behind each of them drops its
            # gradient.
            outputs = with_undefined(outputs, None)
        elif missing is not None:
            # For an output that is left out, the engine passes on an undefined gradient.
            del outputs[missing], gradients[missing]
        found: Sequence[Tensor | None] = torch.autograd.grad(
            outputs, self._case.subject.tensors, gradients, allow_unused=True
        )
        # Cloned, because backward may return a tensor that it keeps and changes in the next run.
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def _replacing(laid: _Laid, name: str) -> Callable[[Any], Any]:
    def hook(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else laid(each.detach(), name) for each in gradients)

    return hook
