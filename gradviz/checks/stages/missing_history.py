"""Gradients without autograd history, which gradgradcheck ignores, and what that hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.output_parts import OutputPart, parts_of
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.subject import CheckSubject
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem


class MissingHistoryCheck:
    """Detector of backward outputs that have no autograd history but change with the inputs.

    Does nothing for ``order=1``: an output of a function may be non-differentiable on purpose.

    Args:
        subject: What is checked.
        outputs: What it returned.
        atol: A gradient that changes by less than this per unit of an input counts as constant.
    """

    def __init__(self, subject: CheckSubject, outputs: tuple[Any, ...], atol: float) -> None:
        self.parts: tuple[OutputPart, ...] = ()
        self._atol = atol
        self._names = subject.names  # A backward's outputs are at the arguments' positions.
        self._changes: dict[int, dict[str, None]] = {}
        if subject.order == 2:
            every = parts_of(outputs, differentiable=False)
            self.parts = tuple(each for each in every if not outputs[each.output].requires_grad)

    def watch(self, moved: str, matrices: Sequence[Tensor]) -> None:
        """Evaluate the numerical Jacobians of these parts with respect to one input."""
        for part, matrix in zip(self.parts, matrices, strict=True):
            if bool((matrix.abs() > self._atol).any()):
                self._changes.setdefault(part.output, {})[moved] = None

    def problems(self) -> Iterator[CheckProblem]:
        """Yield one problem for each gradient that changes although it has no history."""
        for output, changes_with in self._changes.items():
            yield make_problem(
                "gradient_without_history",
                name=self._names[output],
                names=say_list(list(changes_with)),
            )

    def diagnoses(self) -> Iterator[Diagnosis]:
        """Yield a diagnosis for each such gradient, since no Jacobian block shows it."""
        for output, changes_with in self._changes.items():
            yield diagnosed(
                "double_backward_cut",
                say("missing_history", name=self._names[output]),
                about=(output, None, ""),
                evidence=(say("missing_history.changes", names=say_list(list(changes_with))),),
            )
