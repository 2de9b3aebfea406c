"""One complete check of a callable: Jacobians, further stages, diagnoses, and a verdict."""

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
    """Compare the numerical and analytical Jacobian of each output and input pair.

    On the CPU, for deterministic functions, the matrices are bit for bit those of
    ``torch.autograd.gradcheck``. So is the verdict: ``match`` where gradcheck returns True,
    ``mismatch`` where it returns False, ``error`` where it raises. Unlike gradcheck, this continues
    after the first fault, accepts outputs that are integers or not tensors in any position, and
    names arguments and outputs by their actual positions. For a sparse input every element is
    varied, specified or not, as with gradcheck's ``masked=False``.

    ``order=2`` does the same for the function's backward, as ``gradgradcheck`` does: its inputs are
    the arguments and random gradients of the outputs (``grad_output``); its outputs are the
    gradients of the arguments (``grad_x``), at the arguments' positions.

    The arguments' values are always restored. Nothing is cast unless the settings say so: for
    float32 the report contains the hint ``low_precision``, and the verdict is still gradcheck's.
    With a cast, it is gradcheck's verdict on the cast inputs.

    Args:
        function: Any callable, or a custom Function, whose ``apply`` is then called.
        arguments: Its arguments in order; tensors that require a gradient are differentiated.
        sink: Stores each pair of matrices as soon as it is complete.
        names: Names of the arguments; taken from the signature if omitted.
        settings: Step, tolerances, and which checks to run.
        order: 1 for the function, 2 for its backward.
        reference: A reference implementation of the function, whose Jacobians by autograd are
            compared as well. If omitted, forward itself is used for the pairs that do not agree.
        progress: Called as each evaluation begins.
        cancelled: Called before each evaluation; once it returns True, the report contains the
            blocks finished so far and the verdict ``incomplete``.
        partial: Called with an incomplete report after each block, in case the process is killed.
        subject: Title of what is checked.
        report_id: Number of the report in its trace.

    Returns:
        The report. An exception raised by the function is a problem in it.

    Raises:
        ValueError: If the settings are invalid.
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
    """Whether the function runs on its original arguments."""
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
    """Report ``once_differentiable`` instead of Jacobians, which would only be zeros."""
    unsaid = Findings()
    Stages(chosen, settings, Nowhere(), evaluations, unsaid).run()
    verdict = unsaid.verdict()
    problem = problems.once_differentiable(chosen.once_names, passes=verdict == "match")
    if problem.decides:
        findings.fault(Stage.JACOBIANS, problem, verdict)
        findings.diagnose(cut_on_purpose(chosen.once_names))
    else:
        findings.notice(problem)
