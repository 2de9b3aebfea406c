"""The sentences for what can be wrong with a check besides a differing element."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gradviz.checks.attempt import told
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian import CheckProblem


def nothing_requires_grad() -> CheckProblem:
    """Decides ``error``, as gradcheck raises."""
    return CheckProblem(
        code="nothing_requires_grad",
        message="No input requires a gradient, so there is nothing to check; mark one that does.",
    )


def overlapping_input(name: str) -> CheckProblem:
    """Decides ``error``: moving one element of such an input moves others."""
    return CheckProblem(
        code="overlapping_input",
        message=f"Elements of {name} share memory (a stride is 0); pass {name}.contiguous().",
    )


def unsupported_layout(name: str, layout: str) -> CheckProblem:
    """Decides ``error``."""
    return CheckProblem(
        code="unsupported_layout",
        message=f"{name} has the layout {layout}; call to_dense() on it, as gradcheck asks for.",
    )


def low_precision(name: str, dtype: str, settings: CheckSettings) -> CheckProblem:
    """Decides nothing, but explains a mismatch that is none."""
    honest = settings.for_dtype(dtype)
    wide = "complex128" if dtype.startswith("complex") else "float64"
    message = (
        f"{name} is {dtype}, in which a step of {settings.eps:g} mostly measures rounding errors;"
        f" cast it to {wide}"
    )
    if honest.cast:
        message += ": in half precision no step is good."
    elif settings.eps < honest.eps:
        numbers = f"eps {honest.eps:g}, atol {honest.atol:g} and rtol {honest.rtol:g}"
        message += f", or check with {numbers}."
    else:
        message = (
            f"{name} is {dtype}, in which differences are good to about {honest.atol:g} at best;"
            f" cast it to {wide} to know more."
        )
    return CheckProblem(code="low_precision", message=message, decides=False)


def cast_refused(dtypes: str) -> CheckProblem:
    """Decides nothing: the error of the cast inputs does."""
    honest = CheckSettings().for_dtype(dtypes.split(", ")[0])
    message = f"The function runs in {dtypes}, but not with its inputs cast to float64."
    if not honest.cast:
        numbers = f"eps {honest.eps:g}, atol {honest.atol:g} and rtol {honest.rtol:g}"
        message = f"{message[:-1]}; check it without the cast, with {numbers}."
    return CheckProblem(code="cast_refused", message=message, decides=False)


def not_differentiable(order: int) -> CheckProblem:
    """Decides nothing: gradcheck calls a constant function correct."""
    message = "No output has a gradient, so there are no Jacobians to compare."
    if order == 2:
        message = "No gradient has a history, so there are no second derivatives to compare."
    return CheckProblem(code="not_differentiable", message=message, decides=False)


def numerical_not_zero(output: str, argument: str, order: int) -> CheckProblem:
    """Decides ``mismatch``."""
    message = f"No output has a gradient, yet {output} changes with {argument}."
    if order == 2:
        message = f"No gradient has a history, yet {output} changes with {argument}."
    return CheckProblem(code="numerical_not_zero", message=message)


def examination_failed(error: Exception) -> CheckProblem:
    """Decides nothing: the fault is in gradviz, and only its search for the cause ends early."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return CheckProblem(
        code="examination_failed",
        message=(
            f"A part of the search for causes failed by a fault of gradviz ({place}), so that more"
            f" may be wrong than is told: {told(error)}"
        ),
        decides=False,
    )


def reference_unfit(why: str) -> CheckProblem:
    """Decides nothing: it is about the plain version that was given, not about what is checked."""
    return CheckProblem(
        code="reference_unfit", message=f"The reference is of no help: {why}", decides=False
    )


def raised(what: str, error: Exception) -> CheckProblem:
    """Decides ``error``; ``what`` is the subject of the sentence."""
    return CheckProblem(code="raised", message=f"{what} raised {told(error)}")


def output_changed(argument: str, error: Exception) -> CheckProblem:
    """Decides ``error``."""
    return CheckProblem(
        code="output_changed", message=f"When {argument} is moved a little, {error}."
    )


def gradient_form(argument: str, output: str) -> CheckProblem:
    """Decides ``mismatch``."""
    return CheckProblem(
        code="gradient_form",
        message=f"The gradient of {argument} from {output} has another shape or type than it.",
    )


def nondeterministic(argument: str, output: str, spread: float, tolerance: float) -> CheckProblem:
    """Decides ``mismatch``."""
    return CheckProblem(
        code="nondeterministic",
        message=(
            f"Two equal backward passes from {output} give {argument} gradients that differ by up"
            f" to {spread:.3g}; {tolerance:g} is allowed."
        ),
    )


def not_multiplied(argument: str) -> CheckProblem:
    """Decides ``mismatch``."""
    return CheckProblem(
        code="not_multiplied",
        message=(
            f"Backward gives {argument} a gradient other than zero where all incoming gradients"
            " are zero, so it does not multiply by them."
        ),
    )


def undefined_raised(output: str, error: Exception) -> CheckProblem:
    """Decides ``mismatch`` for a RuntimeError, as gradcheck does, and ``error`` for others."""
    return CheckProblem(
        code="undefined_gradient",
        message=f"Where the gradient of {output} is undefined, backward raised {told(error)}",
    )


def undefined_not_zero(output: str, argument: str) -> CheckProblem:
    """Decides ``mismatch``."""
    return CheckProblem(
        code="undefined_gradient",
        message=(
            f"Where the gradient of {output} is undefined and nothing else arrives, backward still"
            f" gives {argument} a gradient other than zero."
        ),
    )


def forward_raised(error: Exception) -> CheckProblem:
    """Decides ``error`` where forward mode decides."""
    return CheckProblem(code="forward_mode", message=f"Forward mode (jvp) raised {told(error)}")


def forward_differs(argument: str, output: str) -> CheckProblem:
    """Decides ``mismatch`` where forward mode decides."""
    return CheckProblem(
        code="forward_mode",
        message=(
            f"Forward mode (jvp) gives other derivatives of {output} with respect to {argument}"
            " than numerical differences do."
        ),
    )


def forward_undefined(argument: str) -> CheckProblem:
    """Decides ``mismatch`` where forward mode decides."""
    return CheckProblem(
        code="forward_mode",
        message=(
            f"Forward mode (jvp) gives something else where {argument} has no tangent than where"
            " its tangent is zero."
        ),
    )


def products_differ(argument: str, output: str, ours: complex, theirs: complex) -> CheckProblem:
    """Decides ``mismatch`` in fast mode."""
    numbers = [f"{each:.6g}" if each.imag else f"{each.real:.6g}" for each in (ours, theirs)]
    return CheckProblem(
        code="fast_mode",
        message=(
            f"The Jacobian of {output} with respect to {argument}, multiplied by random vectors on"
            f" both sides, is {numbers[0]} by backward and {numbers[1]} by differences."
        ),
    )


def batched_differs(argument: str, output: str) -> CheckProblem:
    """Decides ``mismatch``."""
    return CheckProblem(
        code="batched_gradient",
        message=(
            f"vmap over backward from {output} gives {argument} other gradients than one backward"
            " after the other."
        ),
    )


def batched_raised(output: str, error: Exception) -> CheckProblem:
    """Decides ``mismatch`` for a RuntimeError, as gradcheck does, and ``error`` for others."""
    return CheckProblem(
        code="batched_gradient",
        message=f"vmap over backward from {output} raised {told(error)}",
    )


def batched_crashes(name: str) -> CheckProblem:
    """Decides ``error``: gradcheck would crash the interpreter."""
    return CheckProblem(
        code="batched_gradient",
        message=(
            f"The backward of {name} reads .data of a gradient, which crashes the interpreter under"
            " vmap; batched gradients were not tried."
        ),
    )


def undecided(problem: CheckProblem) -> CheckProblem:
    """The same as a hint, which leaves the verdict as it is."""
    return replace(problem, decides=False)


def nothing_to_differentiate() -> CheckProblem:
    """Decides ``error``: without a gradient there is no backward, and gradgradcheck raises."""
    return CheckProblem(
        code="nothing_to_differentiate",
        message="No output has a gradient, so there is no backward to differentiate again.",
    )


def once_differentiable(names: Sequence[str], *, passes: bool) -> CheckProblem:
    """Decides what gradgradcheck says, which is ``match`` where all second derivatives are zero."""
    which = ", ".join(names) or "a Function in it"
    marked = (
        f"The backward of {which} is marked once_differentiable: it cannot be differentiated again,"
        " and says so."
    )
    if passes:
        told = " gradgradcheck sees zeros instead of second derivatives, which happens to be right."
    else:
        told = " gradgradcheck sees zeros instead of second derivatives, and calls it a mismatch."
    return CheckProblem(code="once_differentiable", message=marked + told, decides=not passes)


def gradient_without_history(argument: str, changes_with: Sequence[str]) -> CheckProblem:
    """Decides nothing, as gradgradcheck leaves such a gradient out."""
    return CheckProblem(
        code="gradient_without_history",
        message=(
            f"The gradient of {argument} has no history, so gradgradcheck leaves it out and says"
            f" nothing about it. Yet it changes with {', '.join(changes_with)}: second derivatives"
            " through it are lost without an error. Mostly backward returns it detached."
        ),
        decides=False,
    )
