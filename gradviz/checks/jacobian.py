"""One check: numerical against analytical Jacobians of a callable, as gradcheck would judge it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch

from gradviz.checks import problems
from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.cast import Cast, cast_up
from gradviz.checks.chance import same_chance
from gradviz.checks.conditions import inputs_can_be_checked
from gradviz.checks.diagnosis.conclusion import conclude
from gradviz.checks.diagnosis.double_backward_cut import cut_on_purpose
from gradviz.checks.evaluations import CheckCancelledError, Evaluations
from gradviz.checks.findings import Findings, Stage
from gradviz.checks.listeners import (
    Cancelled,
    MatrixSink,
    Nowhere,
    Partial,
    Progress,
    never,
    unread,
    untold,
)
from gradviz.checks.names import argument_names
from gradviz.checks.nudge import nudge
from gradviz.checks.reference.opinion import Reference
from gradviz.checks.reporting import Reporting
from gradviz.checks.second_order import backward_of
from gradviz.checks.stages import Stages
from gradviz.checks.subject import Subject
from gradviz.checks.variations.vary import vary
from gradviz.checks.ways import Ways
from gradviz.model.check_settings import DEFAULTS, CheckSettings
from gradviz.model.jacobian import JacobianReport


def check(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    sink: MatrixSink,
    names: Sequence[str] | None = None,
    settings: CheckSettings = DEFAULTS,
    order: int = 1,
    reference: Reference | None = None,
    progress: Progress = untold,
    cancelled: Cancelled = never,
    partial: Partial = unread,
    subject: str = "",
    report_id: int = 1,
) -> JacobianReport:
    """Computes both Jacobians for each pair of an output and an input, and compares them.

    The matrices are those of ``torch.autograd.gradcheck``, bit for bit on the CPU for functions
    that always compute the same, and the verdict is its verdict: ``match`` where it says True,
    ``mismatch`` where it says False, ``error`` where it raises. Unlike gradcheck, this goes on
    after the first fault, takes outputs that are integers or no tensors at all in any position,
    and names arguments and outputs by their real positions. Of a sparse input every element is
    moved, whether it is specified or not, as with gradcheck's ``masked=False``.

    With ``order=2`` the same is done for the function's backward, as ``gradgradcheck`` does it:
    its inputs are the arguments and random gradients of the outputs (``grad_output``), its outputs
    the gradients of the arguments (``grad_x``), at the arguments' positions.

    The arguments have their values back afterwards, whatever happened. Nothing is cast unless the
    settings say so: in float32 the report carries the hint ``low_precision``, and the verdict
    stays gradcheck's. Where they do, the verdict is gradcheck's on the cast inputs.

    Args:
        function: Any callable, or a custom Function, whose ``apply`` is then called.
        arguments: Its arguments in order; tensors that require a gradient are differentiated.
        sink: Keeps each pair of matrices as soon as it is finished.
        names: Of the arguments; from the signature when left out.
        settings: Step, tolerances and what is looked at.
        order: 1 for the function, 2 for its backward.
        reference: A plain version of the function, whose Jacobians autograd gives as a third
            opinion. Where there is none, forward itself serves for the pairs that do not agree.
        progress: Told as each evaluation begins.
        cancelled: Asked before each evaluation; after a True, the report holds the blocks that
            were finished and the verdict ``incomplete``.
        partial: Told what is known each time a block is finished, for whoever may be killed.
        subject: Title of what is checked.
        report_id: Number of the report in its trace.

    Returns:
        The report. What the function raises is a problem in it.

    Raises:
        ValueError: If the settings make no sense.
    """
    if settings.complaint():
        raise ValueError(settings.complaint())
    begun = time.perf_counter_ns()
    known = tuple(names) if names is not None else argument_names(function, len(arguments))
    given = Subject(function=function, arguments=tuple(arguments), names=known)
    cast = cast_up(function, arguments) if settings.cast else Cast(function, given.arguments, "")
    asked = replace(given, function=cast.function, arguments=cast.arguments)
    evaluations, findings = Evaluations(progress, cancelled), Findings()

    reporting = Reporting(
        id=report_id,
        title=subject,
        asked=asked,
        cast_from=cast.dtypes,
        order=order,
        settings=settings,
        evaluations=evaluations,
        findings=findings,
        begun=begun,
    )

    def recheck(arguments: tuple[Any, ...]) -> JacobianReport:
        plain = replace(settings, battery=False, variations=False, cast=False)
        return check(
            asked.function,
            arguments,
            sink=Nowhere(),
            names=known,
            settings=plain,
            progress=evaluations.inner(),
            cancelled=cancelled,
        )

    findings.on_block = lambda: partial(reporting.report("incomplete"))
    try:
        _run(asked, order, reference, settings, sink, evaluations, findings)
        if settings.variations and order == 1:
            with torch.enable_grad(), same_chance(asked.tensors):
                vary(asked, evaluations, findings, recheck)
        if cast.dtypes and findings.has_fault(Stage.FORWARD) and _runs(given, evaluations):
            findings.notice(problems.cast_refused(cast.dtypes))
    except CheckCancelledError:
        return reporting.report("incomplete")
    conclude(findings)
    return reporting.report(findings.verdict())


def _runs(subject: Subject, evaluations: Evaluations) -> bool:
    """Whether the function runs on its arguments as they are."""
    with Attempt() as attempt, put_back(subject.arguments), torch.no_grad():
        Ways(subject.function, subject.arguments, subject.tensors, evaluations).evaluate()
    return attempt.error is None


def _run(
    asked: Subject,
    order: int,
    reference: Reference | None,
    settings: CheckSettings,
    sink: MatrixSink,
    evaluations: Evaluations,
    findings: Findings,
) -> None:
    if not inputs_can_be_checked(asked.inputs, settings, findings):
        return
    with torch.enable_grad(), put_back(asked.arguments):
        nudge(asked.tensors, settings.nudge)
        chosen = backward_of(asked, evaluations, findings) if order == 2 else asked
        if chosen is not None and chosen.once:
            _run_once(chosen, settings, evaluations, findings)
        elif chosen is not None:
            plain = None if reference is None else reference.of_order(order, asked.arguments)
            Stages(chosen, settings, sink, evaluations, findings, plain).run()


def _run_once(
    chosen: Subject, settings: CheckSettings, evaluations: Evaluations, findings: Findings
) -> None:
    """Says what is the matter; zeros that stand for no derivatives are not worth looking at."""
    unsaid = Findings()
    Stages(chosen, settings, Nowhere(), evaluations, unsaid).run()
    verdict = unsaid.verdict()
    problem = problems.once_differentiable(chosen.once_names, passes=verdict == "match")
    if problem.decides:
        findings.fault(Stage.JACOBIANS, problem, verdict)
        findings.diagnose(cut_on_purpose(chosen.once_names))
    else:
        findings.notice(problem)
