"""One complete check of a callable: Jacobians, further stages, diagnoses, and a verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import CheckSubject, restore_arguments
from gradviz.checks.backward_function import backward_of
from gradviz.checks.cast import (
    is_too_coarse,
    low_dtypes,
    widen_inputs,
    widened,
    widened_if_possible,
)
from gradviz.checks.diagnosis.examination import add_conclusion
from gradviz.checks.diagnosis.investigations.double_backward_cut import cut_on_purpose
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.names import argument_names
from gradviz.checks.nested_arguments import (
    MOST_ELEMENTS,
    trainable_parameters,
    with_flat_arguments,
    with_parameters,
)
from gradviz.checks.problem_messages import UserCodeAttempt, cast_refused, make_problem, own_bug
from gradviz.checks.random_tensors import nudge, same_random_state
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.reliability.cancellation import recheck_scaled
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.checks.run.progress import (
    CheckCancelledError,
    DiscardingSink,
    Evaluations,
    IsCancelledCallback,
    MatrixSink,
    PartialReportCallback,
    ProgressCallback,
    ignore_progress,
    ignore_report,
    never_cancelled,
)
from gradviz.checks.stages.function_curves import add_function_curves
from gradviz.checks.stages.sequence import inputs_can_be_checked, run_stages
from gradviz.checks.variations.vary import run_variations
from gradviz.model.check_settings import DEFAULTS, CheckSettings
from gradviz.model.jacobian_report import CheckVerdict, JacobianReport
from gradviz.recorder.own_errors import is_bug


def check(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    sink: MatrixSink,
    names: Sequence[str] | None = None,
    settings: CheckSettings = DEFAULTS,
    order: int = 1,
    reference: Reference | None = None,
    grad_outputs: Sequence[Tensor] | None = None,
    progress: ProgressCallback = ignore_progress,
    cancelled: IsCancelledCallback = never_cancelled,
    partial: PartialReportCallback = ignore_report,
    title: str = "",
    report_id: int = 1,
    curves: bool = False,
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

    A module's parameters are further arguments, which follow the given ones. So is each tensor in a
    dict, list, tuple or dataclass, at the place of its container. Tensors that are returned inside
    of such a container are outputs of their own.

    The arguments' values are always restored. Inputs of low precision are cast to float64 if the
    function runs on them, or if the settings say so; the verdict is then gradcheck's on the cast
    inputs. Without a cast, the report contains the hint ``low_precision``, and if all differences
    are rounding, the verdict is ``inconclusive``.

    Args:
        function: Any callable, or a custom Function, whose ``apply`` is then called.
        arguments: Its arguments in order; tensors that require a gradient are differentiated.
        sink: Stores each pair of matrices as soon as it is complete.
        names: Names of the arguments; taken from the signature if omitted.
        settings: Step, tolerances, and which checks to run.
        order: 1 for the function, 2 for its backward.
        reference: A reference implementation of the function, whose Jacobians by autograd are
            compared as well. If omitted, forward itself is used for the pairs that do not agree.
        grad_outputs: For ``order=2``, the incoming gradients, in the order of the differentiable
            outputs; those that require a gradient are varied. Drawn at random if omitted.
        progress: Called as each evaluation begins.
        cancelled: Called before each evaluation; once it returns True, the report contains the
            blocks finished so far and the verdict ``incomplete``.
        partial: Called with an incomplete report after each block, in case the process is killed.
        title: Title of what is checked.
        report_id: Number of the report in its trace.
        curves: Whether the function is also sampled around its arguments, to draw it.

    Returns:
        The report. An exception raised by the function is a problem in it, and so is a bug in
        gradviz, which ends the check with the verdict ``error``.

    Raises:
        ValueError: If the settings are invalid.
    """
    if problem := settings.problem():
        raise ValueError(say(problem.key, name=problem.name, value=problem.value))
    begun, evaluations = time.perf_counter_ns(), Evaluations(progress, cancelled)
    given = CheckSubject(
        function=function,
        arguments=tuple(arguments),
        names=argument_names(function, len(arguments)) if names is None else tuple(names),
    )
    findings = CheckFindings(
        JacobianReport(
            id=report_id,
            subject=title,
            order=order,
            blocks=(),
            problems=(),
            verdict="incomplete",
            evaluations=0,
            duration_ns=0,
            **_places(given),
            **{name: getattr(settings, name) for name in _REPORTED},
        )
    )

    def report(verdict: CheckVerdict) -> JacobianReport:
        duration_ns = time.perf_counter_ns() - begun
        return findings.report(verdict, evaluations=evaluations.begun, duration_ns=duration_ns)

    findings.on_block = lambda: partial(report("incomplete"))
    running = CheckContext.of(given, settings, sink, evaluations, findings, reference)
    running.is_sampled = curves
    try:
        _check(running, None if grad_outputs is None else tuple(grad_outputs), cancelled)
        add_conclusion(findings)
    except CheckCancelledError:
        return report("incomplete")
    except Exception as error:
        if not is_bug(error):
            raise
        findings.fault(CheckStage.INPUTS, own_bug(error), "error")
        return report("error")
    return report(findings.conclusive_verdict())


_REPORTED = ("eps", "atol", "rtol", "nondet_tol", "nudge")
"""Settings that a report contains."""


def _places(subject: CheckSubject) -> dict[str, Any]:
    """Dtypes and devices of the inputs, as a report contains them."""
    dtypes = {str(each.dtype).removeprefix("torch.") for each in subject.tensors}
    devices = {str(each.device) for each in subject.tensors}
    return {"dtype": ", ".join(sorted(dtypes)), "device": ", ".join(sorted(devices))}


def _check(
    running: CheckContext, grad_outputs: tuple[Tensor, ...] | None, cancelled: IsCancelledCallback
) -> None:
    """Run a check; what is found is added to the findings, also before an exception."""
    settings, evaluations, findings = running.settings, running.evaluations, running.findings
    given, reference = _with_all_tensors(running)
    subject, cast_from = _widened(given, settings, findings)
    findings.add(cast_from=cast_from, **_places(subject))
    if grad_outputs is not None and cast_from:
        grad_outputs = widened(grad_outputs)

    def recheck(
        function: Callable[..., Any], arguments: tuple[Any, ...], settings: CheckSettings
    ) -> JacobianReport:
        return check(
            function,
            arguments,
            sink=DiscardingSink(),
            names=subject.names,
            settings=settings,
            progress=evaluations.inner(),
            cancelled=cancelled,
        )

    _run(replace(running, subject=subject, reference=reference), grad_outputs)
    beyond = findings.about.order == 1
    is_right = findings.verdict() == "match" and all(e.is_harmless for e in findings.diagnoses)
    if beyond and settings.battery and findings.small and is_right:
        with torch.enable_grad(), same_random_state():
            recheck_scaled(
                subject.function,
                settings,
                findings,
                lambda function, others: recheck(function, subject.arguments, others),
            )
    if beyond and settings.variations:
        with torch.enable_grad(), same_random_state():
            run_variations(
                subject,
                evaluations,
                findings,
                lambda arguments: recheck(subject.function, arguments, settings.as_given()),
            )
    if cast_from and findings.has_fault(CheckStage.FORWARD) and _runs(given, evaluations):
        findings.notice(cast_refused(cast_from))


def _with_all_tensors(running: CheckContext) -> tuple[CheckSubject, Reference | None]:
    """Check the tensors in containers, too, and a module's parameters.

    The parameters are left out if they are many and there are other inputs.
    """
    subject, reference, settings = running.subject, running.reference, running.settings
    parameters = trainable_parameters(subject)
    count = sum(each.numel() for each in parameters.values())
    flat, flat_reference = with_flat_arguments(subject, reference)
    if flat.inputs and count > MOST_ELEMENTS and not settings.fast:
        problem = make_problem("parameters_left_out", count=count, most=MOST_ELEMENTS)
        running.findings.notice(problem)
    elif parameters:
        plain = None if reference is None else reference.limited(len(subject.arguments))
        return with_flat_arguments(with_parameters(subject, parameters), plain)
    return flat, flat_reference


def _widened(
    given: CheckSubject, settings: CheckSettings, findings: CheckFindings
) -> tuple[CheckSubject, str]:
    """What is checked after a cast, and the dtypes that were cast; empty if none were."""
    if settings.cast:
        return widen_inputs(given)
    if settings.auto_cast and is_too_coarse(given.tensors, settings):
        wide = widened_if_possible(given)
        if wide is not None:
            findings.notice(make_problem("cast", dtypes=wide[1]))
            return wide
        if refused := low_dtypes(given.arguments):
            findings.notice(cast_refused(refused))
    return given, ""


def _runs(subject: CheckSubject, evaluations: Evaluations) -> bool:
    """Whether the function runs on its original arguments."""
    with UserCodeAttempt() as attempt, restore_arguments(subject.arguments), torch.no_grad():
        JacobianEvaluator.of(subject, evaluations).evaluate()
    return attempt.error is None


def _run(running: CheckContext, given: tuple[Tensor, ...] | None) -> None:
    subject, settings, order = running.subject, running.settings, running.findings.about.order
    evaluations, findings, reference = running.evaluations, running.findings, running.reference
    if not inputs_can_be_checked(subject.inputs, settings, findings):
        return
    # Also if the caller has disabled gradients.
    with torch.enable_grad(), restore_arguments(subject.arguments):
        nudge(subject.tensors, settings.nudge)
        chosen: CheckSubject | None = subject
        if order == 2:
            chosen = backward_of(
                subject, evaluations, findings, given=given, noncontiguous=settings.noncontiguous
            )
        if chosen is not None and chosen.once and settings.backward_mode:
            _run_once(chosen, settings, evaluations, findings)
        elif chosen is not None:
            plain = None
            if reference is not None:
                plain = reference.for_order(order, subject.arguments, given)
            sink = running.sink
            case = CheckContext.of(chosen, settings, sink, evaluations, findings, plain)
            run_stages(case)
            if running.is_sampled:
                add_function_curves(case)


def _run_once(
    chosen: CheckSubject, settings: CheckSettings, evaluations: Evaluations, findings: CheckFindings
) -> None:
    """Report ``once_differentiable`` instead of Jacobians, which would only be zeros."""
    names = say_list(chosen.once_names or [say("name.a_custom_function")])
    if settings.allow_once and chosen.once_names:
        findings.notice(make_problem("once_differentiable.declared", functions=names))
        return
    # Kept apart: of these findings only the verdict counts, since their cause is known.
    unsaid = CheckFindings(findings.about)
    run_stages(CheckContext.of(chosen, settings, DiscardingSink(), evaluations, unsaid))
    verdict = unsaid.verdict()
    if verdict == "match":
        findings.notice(make_problem("once_differentiable.passes", functions=names))
    else:
        problem = make_problem("once_differentiable", functions=names)
        findings.fault(CheckStage.JACOBIANS, problem, verdict)
        findings.diagnose(cut_on_purpose(chosen.once_names))
