"""One pass of the battery: a fresh forward, and a backward whose incoming gradients lie as asked.

A gradient reaches a Function's backward as it lies only from the Function's own output: whatever
stands between makes a new one. So custom Functions inside get theirs from a hook on their node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.backward_rules import differentiable, with_undefined
from gradviz.checks.battery.layouts import DENSE, Layout
from gradviz.checks.chance import Drawn, Rewind
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.nodes import custom_name
from gradviz.checks.once import nodes_of

Incoming = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""Makes the incoming gradients of differentiable outputs, as numbers only."""

ALL = -1
"""All outputs, where one is named by its position among the differentiable ones."""


@dataclass(slots=True)
class Pass:
    """What came of it.

    Attributes:
        gradients: Of the inputs; empty where something was raised.
        error: What forward or backward raised.
        changed: Names of the Functions whose backward wrote to its incoming gradient; an empty
            name where nothing tells it.
        strides: Of the gradients that lay as asked, where that is another way than dense.
        positions: Of the outputs that are differentiable.
    """

    gradients: tuple[Tensor | None, ...] = ()
    error: Exception | None = None
    changed: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Watched:
    name: str
    memory: Tensor
    before: Tensor

    @property
    def is_changed(self) -> bool:
        return not torch.equal(self.memory.view(torch.uint8), self.before.view(torch.uint8))


class _Laid:
    """Lays gradients as asked, and watches whether anybody writes to them."""

    def __init__(self, layout: Layout, *, dense: bool) -> None:
        self.strides: list[tuple[int, ...]] = []
        self._wanted = layout
        self._chosen = DENSE if dense else layout
        self._watched: list[_Watched] = []
        self._drawn = Drawn(1)

    def __call__(self, values: Tensor, name: str) -> Tensor:
        placed, memory = self._chosen.placed(self._wanted.repeated(values), self._drawn)
        self._watched.append(_Watched(name, memory, memory.clone()))
        if self._wanted is not DENSE and self._wanted.fits(values):
            self.strides.append(tuple(placed.stride()))
        return placed

    def changed(self) -> tuple[str, ...]:
        """Who wrote to them."""
        return tuple(dict.fromkeys(each.name for each in self._watched if each.is_changed))


class Passes:
    """Runs passes of one checked function.

    Args:
        case: What is checked.
        rewind: Gives each pass the same random numbers.
    """

    def __init__(self, case: Case, rewind: Rewind) -> None:
        self._case = case
        self._rewind = rewind

    def run(
        self,
        incoming: Incoming,
        layout: Layout = DENSE,
        *,
        dense: bool = False,
        missing: int | None = None,
    ) -> Pass:
        """One pass.

        Args:
            incoming: The numbers.
            layout: How they lie; with stride 0 they are made the same where they share a place.
            dense: Lays the numbers that the layout would have dense all the same.
            missing: The differentiable output for which nothing comes in, or `ALL`.
        """
        self._rewind()
        self._case.evaluations.expect(2)
        result, laid = Pass(), _Laid(layout, dense=dense)
        with put_back(self._case.subject.arguments), Attempt() as attempt:
            chosen = differentiable(self._case.ways.evaluate())
            result.positions = tuple(position for position, _ in chosen)
            outputs = [value for _, value in chosen]
            for node in nodes_of(outputs):
                if name := custom_name(node):
                    node.register_prehook(_replacing(laid, name))
            result.gradients = self._backward(outputs, incoming, laid, missing)
        result.error = attempt.error
        result.changed = laid.changed()
        result.strides = tuple(laid.strides)
        return result

    def _backward(
        self, outputs: list[Tensor], incoming: Incoming, laid: _Laid, missing: int | None
    ) -> tuple[Tensor | None, ...]:
        self._case.evaluations.begin()
        gradients = [laid(values, "") for values in incoming(outputs)]
        if missing == ALL:
            outputs = with_undefined(outputs, None)
        elif missing is not None:
            del outputs[missing], gradients[missing]
        found: Sequence[Tensor | None] = torch.autograd.grad(
            outputs, self._case.subject.tensors, gradients, allow_unused=True
        )
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def _replacing(laid: _Laid, name: str) -> Callable[[Any], Any]:
    def hook(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else laid(each.detach(), name) for each in gradients)

    return hook
