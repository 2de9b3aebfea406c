"""Reports of a check: its findings so far, as the value that is stored and sent."""

from __future__ import annotations

import time
from dataclasses import dataclass

from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings
from gradviz.checks.subject import Subject
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian import JacobianReport, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """Builder of a check's partial and final reports.

    Attributes:
        id: Number of the report in its trace.
        title: Title of what is checked.
        asked: The function and arguments to check, after any cast.
        cast_from: The dtypes before the cast; empty without one.
        order: 1 for the function, 2 for its backward.
        settings: The requested settings.
        evaluations: The evaluations counted so far.
        findings: The findings collected so far.
        begun: When the check began, in nanoseconds of the performance counter.
    """

    id: int
    title: str
    asked: Subject
    cast_from: str
    order: int
    settings: CheckSettings
    evaluations: Evaluations
    findings: Findings
    begun: int

    def report(self, verdict: Verdict) -> JacobianReport:
        """The report of everything found so far, with the given verdict."""
        findings, settings = self.findings, self.settings
        tensors = self.asked.tensors
        return JacobianReport(
            id=self.id,
            subject=self.title,
            eps=settings.eps,
            atol=settings.atol,
            rtol=settings.rtol,
            nondet_tol=settings.nondet_tol,
            dtype=_listed({str(each.dtype).removeprefix("torch.") for each in tensors}),
            device=_listed({str(each.device) for each in tensors}),
            blocks=findings.ordered_blocks(),
            problems=tuple(findings.problems),
            verdict=verdict,
            evaluations=self.evaluations.begun,
            duration_ns=time.perf_counter_ns() - self.begun,
            order=self.order,
            diagnoses=findings.ordered_diagnoses(),
            cast_from=self.cast_from,
            forward_mode=findings.forward_mode,
            batched=findings.batched,
            fast=findings.fast,
            reference=findings.reference,
            curves=tuple(findings.curves),
            trials=tuple(findings.trials),
            nudge=settings.nudge,
            unfinished=findings.unfinished,
        )


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
