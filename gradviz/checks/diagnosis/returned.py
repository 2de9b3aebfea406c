"""What the backward of a Function returns, before the engine processes it.

The engine rejects a gradient of the wrong shape, so there is nothing to compare. The returned
values still show the mistake: the node itself is called, once for each output element.
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
        output_name: Name of the output.
        output_shape: Shape of the output.
        input: The input that it is returned for.
        numerical: Numerical Jacobian ``[input elements, output elements]``.
        gradients: ``[output elements, *shape of the returned gradient]``; None if something else
            than tensors of one shape is returned.
    """

    output: int
    output_name: str
    output_shape: tuple[int, ...]
    input: Wanted
    numerical: Tensor
    gradients: Tensor | None

    @property
    def expected(self) -> tuple[int, ...]:
        """Shape of the input, which the gradient must have."""
        return tuple(self.input.tensor.shape)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of the returned gradient; None if there is no single one."""
        return None if self.gradients is None else tuple(self.gradients.shape[1:])


def everything_returned(case: Case) -> list[list[Returned]]:
    """For each real output made by a Function itself, what is returned for each input."""
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
    """For each input, its gradients per output element; None if no node can be called."""
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
    """Position of each input's gradient among the returned ones; None if it is not clear."""
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
