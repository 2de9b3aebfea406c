"""What a Function's backward returns, before the engine has a say in it.

The engine refuses a gradient of the wrong shape, and nothing is to be compared then. What backward
returned tells all the same what it is: asked of the node itself, for each output element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from gradviz.checks.arguments import Wanted
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.parts import Part, parts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What backward returns for one input, and what it should return.

    Attributes:
        output: Position of the output.
        output_name: Its name.
        output_shape: Its sizes.
        input: For which input.
        numerical: ``[input elements, output elements]``.
        gradients: ``[output elements, *sizes of what is returned]``; None where that is no tensor
            or of different shapes.
    """

    output: int
    output_name: str
    output_shape: tuple[int, ...]
    input: Wanted
    numerical: Tensor
    gradients: Tensor | None

    @property
    def expected(self) -> tuple[int, ...]:
        """Sizes of the input, which those of the gradient should be."""
        return tuple(self.input.tensor.shape)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Sizes of what is returned."""
        return None if self.gradients is None else tuple(self.gradients.shape[1:])


def everything_returned(case: Case) -> list[list[Returned]]:
    """For each real output that comes straight from a Function, what is returned for each input."""
    outputs = case.ways.evaluate()
    parts = [part for part in parts_of(outputs, differentiable=True) if part.part == ""]
    gradients = [_gradients(case, outputs, part) for part in parts]
    numerical = [case.ways.numerical(each, parts, case.settings.eps) for each in _tensors(case)]
    found = []
    for k, (part, given) in enumerate(zip(parts, gradients, strict=True)):
        if given is not None:
            found.append(
                [
                    Returned(
                        output=part.output,
                        output_name=case.output_names[part.output],
                        output_shape=tuple(part.shape),
                        input=wanted,
                        numerical=numerical[i][k],
                        gradients=given[i],
                    )
                    for i, wanted in enumerate(case.subject.inputs)
                ]
            )
    return found


def _tensors(case: Case) -> Sequence[Tensor]:
    return [each.tensor for each in case.subject.inputs]


def _gradients(case: Case, outputs: tuple[Any, ...], part: Part) -> list[Tensor | None] | None:
    """For each input the gradients for each output element; None where no node can be asked."""
    node: Any = outputs[part.output].grad_fn
    places = _places(case, node)
    if places is None:
        return None
    own = [each for each in outputs if isinstance(each, Tensor) and each.grad_fn is node]
    chosen = next(k for k, each in enumerate(own) if each is outputs[part.output])
    rows: list[list[Any]] = [[] for _ in places]
    case.evaluations.expect(part.shape.numel())
    for element in range(part.shape.numel()):
        case.evaluations.begin()
        incoming = [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in own]
        incoming[chosen].view(-1)[element] = 1
        with torch.no_grad():
            returned = node.apply(*incoming)
        values = returned if isinstance(returned, tuple) else (returned,)
        for row, place in zip(rows, places, strict=True):
            row.append(values[place] if place < len(values) else None)
    return [_stacked(row) for row in rows]


def _places(case: Case, node: Any) -> list[int] | None:
    """At which place backward returns the gradient of each input."""
    if not isinstance(node, BackwardCFunction):
        return None
    asked = [k for k, needed in enumerate(node.needs_input_grad) if needed]
    edges = [edge for edge, _ in node.next_functions if edge is not None]
    if len(asked) != len(edges):
        return None
    known = {id(getattr(edge, "variable", None)): k for k, edge in zip(asked, edges, strict=True)}
    found = [known.get(id(each)) for each in _tensors(case)]
    return None if None in found else [each for each in found if each is not None]


def _stacked(rows: Sequence[Any]) -> Tensor | None:
    if not all(isinstance(each, Tensor) for each in rows):
        return None
    return torch.stack(list(rows)) if len({each.shape for each in rows}) == 1 else None
