"""Gradients without history, which gradgradcheck leaves out: whether something is lost by that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from gradviz.checks import problems
from gradviz.checks.parts import Part, parts_of
from gradviz.checks.subject import Subject
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian import CheckProblem


class Dropped:
    """Watches, while the inputs are moved, what has no history in the outputs of a backward.

    Of a function itself nothing is watched: an output may be without a gradient on purpose.

    Args:
        subject: What is checked.
        outputs: What it returned.
        atol: A gradient that changes by less than this for each unit of an input is a constant.
    """

    def __init__(self, subject: Subject, outputs: tuple[Any, ...], atol: float) -> None:
        self.parts: tuple[Part, ...] = ()
        self._atol = atol
        self._names = subject.names  # A backward has its outputs at the arguments' positions.
        self._changes: dict[int, dict[str, None]] = {}
        if subject.order == 2:
            every = parts_of(outputs, differentiable=False)
            self.parts = tuple(each for each in every if not outputs[each.output].requires_grad)

    def watch(self, moved: str, matrices: Sequence[Tensor]) -> None:
        """Takes in the numerical Jacobians of the parts with respect to one input."""
        for part, matrix in zip(self.parts, matrices, strict=True):
            if bool((matrix.abs() > self._atol).any()):
                self._changes.setdefault(part.output, {})[moved] = None

    def problems(self) -> Iterator[CheckProblem]:
        """One for each gradient that changes although it has no history."""
        for output, changes_with in self._changes.items():
            argument = self._names[output]
            yield problems.gradient_without_history(argument, tuple(changes_with))

    def diagnoses(self) -> Iterator[Diagnosis]:
        """Likewise: gradgradcheck does not see it, so that no pair shows it."""
        for output, changes_with in self._changes.items():
            yield Diagnosis(
                code="double_backward_cut",
                message=(
                    f"The gradient of {self._names[output]} has lost its history: backward returns"
                    " it detached, or computes it from values without one. Differentiated again, it"
                    " counts as a constant, without an error, and gradgradcheck leaves it out."
                ),
                output=output,
                input=None,
                evidence=(f"It has no history, and changes with {', '.join(changes_with)}.",),
            )
