"""A checked function together with its outputs, for measurements with any step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.analytical import analytical_columns, engine_backward
from gradviz.checks.attempt import Attempt
from gradviz.checks.cast import WIDER
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.numerical import numerical_jacobians
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.subject import Subject
from gradviz.checks.ways import Ways


@dataclass(frozen=True, slots=True)
class Bench:
    """A subject whose outputs are known.

    Attributes:
        subject: What is measured.
        ways: Evaluates the subject and counts the evaluations.
        evaluations: Counter; measurements must be announced to it.
        outputs: Outputs for the current arguments.
        parts: The differentiable parts of the outputs.
    """

    subject: Subject
    ways: Ways
    evaluations: Evaluations
    outputs: tuple[Any, ...]
    parts: tuple[Part, ...]

    @property
    def cost(self) -> int:
        """Number of evaluations for both Jacobians of all pairs."""
        backward = sum(part.shape.numel() for part in self.parts)
        return backward + sum(map(self.ways.moves, self.subject.tensors))

    def numerical(self, moved: int, rows: Sequence[int], eps: float) -> list[Tensor]:
        """Rows of the Jacobians of all parts for one input, by central differences.

        Args:
            moved: Index of the input among the differentiated inputs.
            rows: Elements of the input, ascending.
            eps: The step.
        """
        tensor = self.subject.tensors[moved]
        self.evaluations.expect(len(rows) * (4 if tensor.is_complex() else 2))
        return numerical_jacobians(self.ways.evaluate, tensor, self.parts, eps, rows)

    def analytical(self, part: Part) -> list[Tensor]:
        """Jacobian of a part with respect to each input, by backward."""
        output, count = part.of(self.outputs), part.shape.numel()
        inputs = self.subject.tensors
        self.evaluations.expect(count)
        backward = engine_backward(output, inputs, self.evaluations)
        return analytical_columns(backward, output, inputs, range(count))


def bench(subject: Subject, evaluations: Evaluations) -> Bench | None:
    """Evaluate a subject at its arguments for later measurements; None if it raises."""
    ways = Ways(subject.function, subject.arguments, subject.tensors, evaluations)
    evaluations.expect(1)
    with Attempt():
        outputs = ways.evaluate()
        return Bench(subject, ways, evaluations, outputs, parts_of(outputs, differentiable=True))
    return None


def copied(subject: Subject, change: Callable[[Tensor], Tensor] = torch.clone) -> Subject:
    """A subject with changed copies of its tensors; shared tensors stay shared."""
    copies: dict[int, Tensor] = {}
    for each in subject.arguments:
        if isinstance(each, Tensor) and id(each) not in copies:
            copy = change(each.detach().clone())
            copies[id(each)] = copy.requires_grad_(each.requires_grad)
    arguments = tuple(copies.get(id(each), each) for each in subject.arguments)
    return replace(subject, arguments=arguments)


def widened(subject: Subject) -> Subject | None:
    """A copy in full precision; None if the subject already has it."""
    if not any(each.dtype in WIDER for each in subject.tensors):
        return None
    return copied(subject, lambda each: each.to(WIDER.get(each.dtype, each.dtype)))


def attempted(work: Callable[[], Any]) -> Any:
    """Result of a measurement; None if the function raises or its outputs change shape."""
    with Attempt():
        return work()
    return None


def places(parts: Iterable[Part]) -> dict[tuple[int, str], int]:
    """Index of each part by its output and part name."""
    return {(part.output, part.part): k for k, part in enumerate(parts)}
