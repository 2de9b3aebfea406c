"""The stages of a check, run in gradcheck's order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say_list
from gradviz.checks.arguments import DifferentiatedInput, overlaps, restore_arguments
from gradviz.checks.diagnosis.examination import run_diagnosis
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import NamedOutputs, OutputPart, contains_tensor, parts_of
from gradviz.checks.problem_messages import find_no_values, low_precision, make_problem
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.checks.run.threads import single_thread_if_small
from gradviz.checks.sparse_layouts import is_dense, values_of
from gradviz.checks.stages import batched_forward as batched_forward_mode
from gradviz.checks.stages import batched_gradients, fast_forward_mode
from gradviz.checks.stages.constant_outputs import check_that_nothing_changes
from gradviz.checks.stages.fast_mode import FastJacobians
from gradviz.checks.stages.forward_mode import (
    ForwardModeJacobians,
    check_undefined_forward,
    is_wanted,
)
from gradviz.checks.stages.full_jacobians import FullJacobians
from gradviz.checks.stages.zero_and_undefined import (
    check_undefined,
    check_zero,
    expected_evaluations,
)
from gradviz.checks.subject import CheckSubject
from gradviz.checks.user_errors import UserCodeAttempt
from gradviz.model.check_settings import CheckSettings

_DOUBLE = (torch.float64, torch.complex128)


def inputs_can_be_checked(
    inputs: Sequence[DifferentiatedInput], settings: CheckSettings, findings: CheckFindings
) -> bool:
    """Check the inputs of a check; faults and hints are added to the findings."""
    if not inputs:
        findings.fault(CheckStage.INPUTS, make_problem("nothing_requires_grad"), "error")
    # That hint says already which settings suit the dtype.
    is_hinted = any(problem.code == "cast_refused" for problem in findings.problems)
    for each in inputs:
        tensor = each.tensor
        if valueless := find_no_values(each.name, tensor):
            findings.fault(CheckStage.INPUTS, valueless, "error")
        elif tensor.is_nested:
            problem = make_problem("nested_input", name=each.name)
            findings.fault(CheckStage.INPUTS, problem, "error")
        elif overlaps(values_of(tensor.detach())):
            problem = make_problem("overlapping_input", name=each.name)
            findings.fault(CheckStage.INPUTS, problem, "error")
        elif tensor.dtype not in _DOUBLE and not is_hinted:
            dtype = str(tensor.dtype).removeprefix("torch.")
            findings.notice(low_precision(each.name, dtype, settings, tensor.device))
    return not any(problem.decides for problem in findings.problems)


def outputs_can_be_checked(
    subject: CheckSubject, outputs: Sequence[Any], findings: CheckFindings
) -> bool:
    """Check the outputs to differentiate; faults are added to the findings.

    Like gradcheck, refuse outputs of which nothing would be compared: tensors that a Function
    returns inside a list or dict, which torch does not track, and calls without a single tensor.
    """
    if isinstance(outputs, NamedOutputs) and function_class(subject.function) is not None:
        outputs = outputs.returned
    for name, value in zip(subject.output_names(outputs), outputs, strict=True):
        if contains_tensor(value):
            problem = make_problem("nested_output", name=name, type=type(value).__name__)
            findings.fault(CheckStage.FORWARD, problem, "error")
            return False
        differentiable = isinstance(value, Tensor) and value.requires_grad
        if differentiable and (valueless := find_no_values(name, value)):
            findings.fault(CheckStage.FORWARD, valueless, "error")
            return False
        if differentiable and not is_dense(value):
            problem = make_problem("unsupported_layout", name=name, layout=value.layout)
            findings.fault(CheckStage.FORWARD, problem, "error")
            return False
    if subject.order == 1 and not any(isinstance(value, Tensor) for value in outputs):
        types = sorted({type(value).__name__ for value in outputs}) or ["()"]
        problem = make_problem("no_tensor_output", types=say_list(types))
        findings.fault(CheckStage.FORWARD, problem, "error")
        return False
    return True


def run_stages(running: CheckContext) -> None:
    """Run all stages, then diagnose what they found.

    Raises:
        CheckCancelledError: If the check was cancelled; earlier findings are kept.
    """
    with restore_arguments(running.subject.arguments):
        _compare(running)
    running.evaluations.stop_expecting()
    # Threads may be what makes a function nondeterministic, so a fault keeps them.
    has_passed = running.findings.verdict() == "match"
    threads = single_thread_if_small(*running.subject.arguments) if has_passed else nullcontext()
    with same_random_state(), threads:  # Only gradcheck's own runs advance the RNG.
        run_diagnosis(running)


def _compare(running: CheckContext) -> None:
    for option in ("backward_mode", "undefined"):
        if not getattr(running.settings, option):
            running.findings.notice(make_problem(f"option.{option}"))
    if running.settings.masked and not all(map(is_dense, running.subject.tensors)):
        running.findings.notice(make_problem("option.masked"))
    running.evaluations.expect(1)
    with UserCodeAttempt() as attempt:
        outputs = running.evaluator.evaluate()
    if attempt.error is not None:
        problem = make_problem(f"raised.{running.subject.kind}", error=attempt.error)
        running.findings.fault(CheckStage.FORWARD, problem, "error")
        return
    running.output_names = running.subject.output_names(outputs)
    if not outputs_can_be_checked(running.subject, outputs, running.findings):
        return
    _differentiate(running, outputs)


def _differentiate(running: CheckContext, outputs: tuple[Any, ...]) -> None:
    parts = parts_of(outputs, differentiable=True)
    settings, backward = running.settings, running.settings.backward_mode and bool(parts)
    # Gradgradcheck has no such option.
    batched_forward = settings.batched_forward and running.subject.order == 1
    if backward:
        expected = expected_evaluations(outputs, undefined=settings.undefined)
        running.evaluations.expect(expected)
    if backward and settings.batched:
        running.evaluations.expect(batched_gradients.expected_evaluations(outputs))
    if batched_forward:
        running.evaluations.expect(batched_forward_mode.expected_evaluations(running))
    compare = _compare_fast if settings.fast else _compare_full
    if not compare(running, outputs, parts):
        return
    if batched_forward:
        batched_forward_mode.check_batched_forward(running)
    if backward:
        if settings.batched:
            batched_gradients.check_batched(running, outputs)
        # Not earlier, because this frees the graph.
        check_zero(running, outputs)
        if settings.undefined:
            check_undefined(running, outputs)


def _compare_full(
    running: CheckContext, outputs: tuple[Any, ...], parts: Sequence[OutputPart]
) -> bool:
    """Compare backward and forward mode element by element; False if the function raised."""
    forward = ForwardModeJacobians(running, outputs, parts) if is_wanted(running) else None
    if forward is not None:
        running.findings.forward_mode = True
        running.evaluations.expect(forward.expected_evaluations())
    if parts:
        jacobians = FullJacobians(running, outputs, parts, forward)
        running.evaluations.expect(jacobians.expected_evaluations())
        goes_on = jacobians.run()
    else:
        goes_on = check_that_nothing_changes(running, outputs)
    undefined = running.settings.undefined and forward is not None and not forward.has_raised
    if undefined and goes_on:
        check_undefined_forward(running)
    return goes_on


def _compare_fast(
    running: CheckContext, outputs: tuple[Any, ...], parts: Sequence[OutputPart]
) -> bool:
    """Compare backward and forward mode by random products; False if the function raised."""
    running.findings.fast = True
    goes_on = True
    if not parts:
        goes_on = check_that_nothing_changes(running, outputs)
    elif running.settings.backward_mode:
        jacobians = FastJacobians(running, outputs, parts)
        running.evaluations.expect(jacobians.expected_evaluations())
        goes_on = jacobians.run()
    if goes_on and is_wanted(running):
        running.findings.forward_mode = True
        running.evaluations.expect(fast_forward_mode.expected_evaluations(running))
        agrees = fast_forward_mode.check_forward_fast(running, outputs)
        if agrees and running.settings.undefined:
            check_undefined_forward(running)
    return goes_on
