"""The stages of a check, run in gradcheck's order.

Check that outputs without a gradient do not change with the inputs.

The last stages of a check: backward with zero and with undefined gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say_list
from gradviz.checks.arguments import CheckSubject, DifferentiatedInput, overlaps, restore_arguments
from gradviz.checks.backward_function import differentiable, nonzero_gradients, with_undefined
from gradviz.checks.diagnosis.examination import run_diagnosis
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import NamedOutputs, OutputPart, contains_tensor, parts_of
from gradviz.checks.problem_messages import (
    UserCodeAttempt,
    find_no_values,
    for_order,
    low_precision,
    make_problem,
    refusal_verdict,
)
from gradviz.checks.random_tensors import RandomUnitVectors, random_directions, same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.checks.run.threads import single_thread_if_small
from gradviz.checks.sparse_layouts import is_dense, values_of
from gradviz.checks.stages import batched_gradients
from gradviz.checks.stages.fast_mode import (
    FastJacobians,
    check_forward_fast,
    derivatives_along,
    expected_forward_evaluations,
)
from gradviz.checks.stages.forward_mode import (
    ForwardModeJacobians,
    check_undefined_forward,
    is_wanted,
)
from gradviz.checks.stages.full_jacobians import FullJacobians, attempted
from gradviz.model.check_settings import CheckSettings


def check_that_nothing_changes(running: CheckContext, outputs: tuple[Any, ...]) -> bool:
    """Check that non-differentiable outputs stay constant; False if the function raised.

    gradcheck does this if no output is differentiable: with the full numerical Jacobians, or along
    one direction per input in fast mode.
    """
    parts, order = parts_of(outputs, differentiable=False), running.subject.order
    tensors, evaluator, is_fast = running.subject.tensors, running.evaluator, running.settings.fast
    found = random_directions(RandomUnitVectors(), tensors) if is_fast else []
    full = 0 if is_fast else sum(map(evaluator.numerical_evaluations, tensors))
    running.evaluations.expect(full + sum(2 * len(each) for each in found))
    for i, each in enumerate(running.inputs):
        work = partial(evaluator.numerical, each.tensor, parts, running.settings.eps)
        if is_fast:
            work = partial(derivatives_along, running, each.tensor, found[i], parts)
        derivatives = attempted(running, each, work)
        if derivatives is None:
            return False
        for part, values in zip(parts, derivatives, strict=True):
            if _is_other_than_zero(running, values):
                name = running.output_names[part.output]
                problem = make_problem(
                    for_order("numerical_not_zero", order), output=name, name=each.name
                )
                running.findings.fault(CheckStage.NUMERICAL, problem, "mismatch")
    running.findings.notice(make_problem(for_order("not_differentiable", order)))
    return True


def _is_other_than_zero(running: CheckContext, values: Tensor) -> bool:
    if not running.settings.fast:
        return bool(values.ne(0).any())
    return bool(values.numel()) and bool(values.abs().max() > running.settings.nondet_tol)


def expected_evaluations(outputs: Sequence[Any], *, undefined: bool) -> int:
    """Number of evaluations of the first stage, or of both if undefined gradients are tried."""
    count = len(differentiable(outputs))
    if not undefined:
        return 1
    # A backward with zeros, then a forward and a backward for each undefined gradient.
    return 1 + 2 * (1 + (count if count > 1 else 0))


def check_zero(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check that zero incoming gradients give zero gradients. Frees the outputs' graph."""
    running.evaluations.begin()
    nonzero: dict[int, Tensor] = {}
    with UserCodeAttempt() as attempt:
        chosen = [value for _, value in differentiable(outputs)]
        nonzero = nonzero_gradients(chosen, running.subject.tensors, nearly=running.settings.masked)
    if attempt.error is not None:
        problem = make_problem("raised.zero_gradients", error=attempt.error)
        running.findings.fault(CheckStage.ZERO, problem, "error")
    elif not nonzero:
        running.findings.passed.add(CheckStage.ZERO)
    for i, gradient in nonzero.items():
        problem = make_problem(
            "not_multiplied" if _has_number(gradient) else "not_multiplied.nonfinite",
            name=running.inputs[i].name,
            count=int((~gradient.isfinite()).sum()),
        )
        running.findings.fault(CheckStage.ZERO, problem, "mismatch")


def _has_number(gradient: Tensor) -> bool:
    """Whether a value is neither zero nor NaN nor Inf."""
    return bool((gradient.isfinite() & gradient.ne(0)).any())


def check_undefined(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check undefined gradients for all outputs at once, then for each of several."""
    count = len(differentiable(outputs))
    for which in (None, *(range(count) if count > 1 else ())):
        with UserCodeAttempt() as attempt:
            # A new graph for each case, because the backward before has freed its own.
            fresh = running.evaluator.evaluate()
        if attempt.error is not None:
            problem = make_problem(f"raised.{running.subject.kind}", error=attempt.error)
            running.findings.fault(CheckStage.UNDEFINED, problem, "error")
            return
        _check_undefined_one(running, fresh, which)


def _check_undefined_one(
    running: CheckContext, outputs: tuple[Any, ...], which: int | None
) -> None:
    chosen = differentiable(outputs)
    names = running.output_names
    every = which is None and len(names) > 1
    name = names[0 if which is None else chosen[which][0]]
    running.evaluations.begin()
    nonzero: dict[int, Tensor] = {}
    with UserCodeAttempt() as attempt:
        undefined = with_undefined([value for _, value in chosen], which)
        nonzero = nonzero_gradients(undefined, running.subject.tensors)
    if attempt.error is not None:
        problem = make_problem(
            f"undefined_gradient.raised{'_every' if every else ''}",
            output=name,
            error=attempt.error,
        )
        running.findings.fault(CheckStage.UNDEFINED, problem, refusal_verdict(attempt.error))
    elif which is None and not nonzero:
        running.findings.passed.add(CheckStage.UNDEFINED)
    for i, gradient in nonzero.items():
        key = f"undefined_gradient{'.every' if every else ''}"
        key = key if _has_number(gradient) else "undefined_gradient.nonfinite"
        problem = make_problem(
            key,
            output=name,
            name=running.inputs[i].name,
        )
        running.findings.fault(CheckStage.UNDEFINED, problem, "mismatch")


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
    """Run all stages, then diagnose what they found."""
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
        running.evaluations.expect(batched_gradients.expected_batched_forward(running))
    compare = _compare_fast if settings.fast else _compare_full
    if not compare(running, outputs, parts):
        return
    if batched_forward:
        batched_gradients.check_batched_forward(running)
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
        running.findings.add(forward_mode=True)
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
    running.findings.add(fast=True)
    goes_on = True
    if not parts:
        goes_on = check_that_nothing_changes(running, outputs)
    elif running.settings.backward_mode:
        jacobians = FastJacobians(running, outputs, parts)
        running.evaluations.expect(jacobians.expected_evaluations())
        goes_on = jacobians.run()
    if goes_on and is_wanted(running):
        running.findings.add(forward_mode=True)
        running.evaluations.expect(expected_forward_evaluations(running))
        agrees = check_forward_fast(running, outputs)
        if agrees and running.settings.undefined:
            check_undefined_forward(running)
    return goes_on
