"""Messages for everything that can fail in a check, other than a differing element."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gradviz.checks.user_errors import describe_exception
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import CheckProblem


def nothing_requires_grad() -> CheckProblem:
    """No input requires a gradient; the verdict is ``error``, as gradcheck raises."""
    return CheckProblem(
        code="nothing_requires_grad",
        message="No input requires a gradient, so there is nothing to check. Set "
        "requires_grad=True on at least one.",
    )


def overlapping_input(name: str) -> CheckProblem:
    """Elements of an input overlap; the verdict is ``error``."""
    return CheckProblem(
        code="overlapping_input",
        message=f"Elements of {name} share memory (a dimension has stride 0). Call .contiguous() "
        "on it before the check.",
    )


def unsupported_layout(name: str, layout: str) -> CheckProblem:
    """An output has a layout that gradcheck does not support; the verdict is ``error``."""
    return CheckProblem(
        code="unsupported_layout",
        message=f"The layout of {name} is {layout}, which gradcheck does not support. Call "
        "to_dense() on it before returning it.",
    )


def low_precision(name: str, dtype: str, settings: CheckSettings) -> CheckProblem:
    """Hint that an input's dtype is too imprecise, which explains a false mismatch."""
    honest = settings.for_dtype(dtype)
    wide = "complex128" if dtype.startswith("complex") else "float64"
    message = (
        f"{name} is {dtype}: a step of eps={settings.eps:g} mostly measures rounding "
        f"error. Cast it to {wide}"
    )
    if honest.cast:
        message += ", since no step size works well in half precision."
    elif settings.eps < honest.eps:
        numbers = f"eps={honest.eps:g}, atol={honest.atol:g}, and rtol={honest.rtol:g}"
        message += f", or check with {numbers}."
    else:
        message = (
            f"{name} is {dtype}, for which finite differences are accurate to about "
            f"{honest.atol:g} at best. Cast it to {wide} for a stricter check."
        )
    return CheckProblem(code="low_precision", message=message, decides=False)


def cast_refused(dtypes: str) -> CheckProblem:
    """Hint that only the cast inputs fail; the error they caused decides the verdict."""
    honest = CheckSettings().for_dtype(dtypes.split(", ")[0])
    message = f"The function runs in {dtypes}, but fails when its inputs are cast to float64."
    if not honest.cast:
        numbers = f"eps={honest.eps:g}, atol={honest.atol:g}, and rtol={honest.rtol:g}"
        message = f"{message[:-1]}. Check it without the cast, using {numbers}."
    return CheckProblem(code="cast_refused", message=message, decides=False)


def not_differentiable(order: int) -> CheckProblem:
    """Hint that nothing is differentiable; gradcheck accepts a constant function."""
    message = "No output requires a gradient, so there are no Jacobians to compare."
    if order == 2:
        message = (
            "No gradient has an autograd history, so there are no second derivatives to compare."
        )
    return CheckProblem(code="not_differentiable", message=message, decides=False)


def numerical_not_zero(output: str, argument: str, order: int) -> CheckProblem:
    """A non-differentiable output changes with an input; the verdict is ``mismatch``."""
    message = f"No output requires a gradient, yet {output} changes with {argument}."
    if order == 2:
        message = f"No gradient has an autograd history, yet {output} changes with {argument}."
    return CheckProblem(code="numerical_not_zero", message=message)


def examination_failed(error: Exception) -> CheckProblem:
    """Hint that gradviz itself failed; only the search for causes ends early."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return CheckProblem(
        code="examination_failed",
        message=(
            f"Part of the search for causes failed because of a bug in gradviz ({place}), "
            f"so more may be wrong than is reported: {describe_exception(error)}"
        ),
        decides=False,
    )


def reference_unfit(why: str) -> CheckProblem:
    """Hint about the reference implementation; it says nothing about the checked function."""
    return CheckProblem(
        code="reference_unfit", message=f"The reference cannot be compared: {why}", decides=False
    )


def raised(what: str, error: Exception) -> CheckProblem:
    """Something raised, with ``what`` as the subject; the verdict is ``error``."""
    return CheckProblem(code="raised", message=f"{what} raised {describe_exception(error)}")


def output_changed(argument: str, error: Exception) -> CheckProblem:
    """The outputs changed form when an input was perturbed; the verdict is ``error``."""
    return CheckProblem(
        code="output_changed", message=f"When {argument} is perturbed slightly, {error}."
    )


def gradient_form(argument: str, output: str) -> CheckProblem:
    """A gradient does not fit its input; the verdict is ``mismatch``."""
    return CheckProblem(
        code="gradient_form",
        message=f"The gradient of {argument} from {output} does not match the input in shape or "
        "dtype.",
    )


def nondeterministic(argument: str, output: str, spread: float, tolerance: float) -> CheckProblem:
    """Identical backward passes differ by more than allowed; the verdict is ``mismatch``."""
    return CheckProblem(
        code="nondeterministic",
        message=(
            f"Two identical backward passes from {output} give gradients of {argument} "
            f"that differ by up to {spread:.3g}; nondet_tol allows at most {tolerance:g}."
        ),
    )


def not_multiplied(argument: str) -> CheckProblem:
    """Backward returns a nonzero gradient for zero gradients; the verdict is ``mismatch``."""
    return CheckProblem(
        code="not_multiplied",
        message=(
            f"Backward returns a nonzero gradient for {argument} although all incoming "
            "gradients are zero, so it does not multiply by grad_output."
        ),
    )


def undefined_raised(output: str, error: Exception) -> CheckProblem:
    """Backward raised for an undefined gradient.

    The verdict is ``mismatch`` for a RuntimeError, as in gradcheck, and ``error`` otherwise.
    """
    return CheckProblem(
        code="undefined_gradient",
        message=(
            f"With an undefined gradient for {output}, backward raised {describe_exception(error)}"
        ),
    )


def undefined_not_zero(output: str, argument: str) -> CheckProblem:
    """Backward is nonzero for an undefined gradient; the verdict is ``mismatch``."""
    return CheckProblem(
        code="undefined_gradient",
        message=(
            f"With an undefined gradient for {output} and no nonzero incoming gradient, "
            f"backward still returns a nonzero gradient for {argument}."
        ),
    )


def forward_raised(error: Exception) -> CheckProblem:
    """Forward mode raised; the verdict is ``error`` if forward mode decides it."""
    return CheckProblem(
        code="forward_mode", message=f"Forward mode (jvp) raised {describe_exception(error)}"
    )


def forward_differs(argument: str, output: str) -> CheckProblem:
    """Forward mode is wrong; the verdict is ``mismatch`` if forward mode decides it."""
    return CheckProblem(
        code="forward_mode",
        message=(
            "Forward mode (jvp) and finite differences give different derivatives of "
            f"{output} with respect to {argument}."
        ),
    )


def forward_undefined(argument: str) -> CheckProblem:
    """A missing tangent is not zero; ``mismatch`` if forward mode decides the verdict."""
    return CheckProblem(
        code="forward_mode",
        message=(
            f"Forward mode (jvp) gives a different result when {argument} has no tangent "
            "than when its tangent is zero."
        ),
    )


def products_differ(argument: str, output: str, ours: complex, theirs: complex) -> CheckProblem:
    """Products with random vectors differ in fast mode; the verdict is ``mismatch``."""
    numbers = [f"{each:.6g}" if each.imag else f"{each.real:.6g}" for each in (ours, theirs)]
    return CheckProblem(
        code="fast_mode",
        message=(
            f"The Jacobian of {output} with respect to {argument}, multiplied by random "
            f"vectors on both sides, is {numbers[0]} from backward but {numbers[1]} from "
            "finite differences."
        ),
    )


def batched_differs(argument: str, output: str) -> CheckProblem:
    """``vmap`` over backward gives different gradients; the verdict is ``mismatch``."""
    return CheckProblem(
        code="batched_gradient",
        message=(
            f"vmap over backward from {output} gives different gradients of {argument} "
            "than separate backward passes do."
        ),
    )


def batched_raised(output: str, error: Exception) -> CheckProblem:
    """``vmap`` over backward raised.

    The verdict is ``mismatch`` for a RuntimeError, as in gradcheck, and ``error`` otherwise.
    """
    return CheckProblem(
        code="batched_gradient",
        message=f"vmap over backward from {output} raised {describe_exception(error)}",
    )


def batched_crashes(name: str) -> CheckProblem:
    """Backward would crash the interpreter under ``vmap``; the verdict is ``error``."""
    return CheckProblem(
        code="batched_gradient",
        message=(
            f"The backward of {name} reads .data of a gradient, which crashes the "
            "interpreter under vmap. Batched gradients were not checked."
        ),
    )


def undecided(problem: CheckProblem) -> CheckProblem:
    """The same problem as a hint that leaves the verdict unchanged."""
    return replace(problem, decides=False)


def nothing_to_differentiate() -> CheckProblem:
    """No output requires a gradient, so gradgradcheck raises; the verdict is ``error``."""
    return CheckProblem(
        code="nothing_to_differentiate",
        message="No output requires a gradient, so there is no backward to differentiate.",
    )


def once_differentiable(names: Sequence[str], *, passes: bool) -> CheckProblem:
    """Backward is ``once_differentiable``; gradgradcheck sees zeros as second derivatives.

    It decides the verdict unless all true second derivatives are zero and gradgradcheck passes.

    Args:
        names: The Functions that are marked; empty if unknown.
        passes: Whether gradgradcheck passes.
    """
    which = ", ".join(names) or "a custom Function"
    marked = (
        f"The backward of {which} is marked once_differentiable, so it cannot be "
        "differentiated again."
    )
    if passes:
        told = (
            " gradgradcheck sees zeros instead of second derivatives, which happens to be correct."
        )
    else:
        told = " gradgradcheck sees zeros instead of second derivatives and reports a mismatch."
    return CheckProblem(code="once_differentiable", message=marked + told, decides=not passes)


def gradient_without_history(argument: str, changes_with: Sequence[str]) -> CheckProblem:
    """Hint that gradgradcheck ignores a gradient that has no autograd history."""
    return CheckProblem(
        code="gradient_without_history",
        message=(
            f"The gradient of {argument} has no autograd history, so gradgradcheck "
            f"ignores it. Yet it changes with {', '.join(changes_with)}: second "
            "derivatives through it are silently lost. Usually backward returns it "
            "detached."
        ),
        decides=False,
    )
