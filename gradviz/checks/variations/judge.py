"""Evaluation of one variation, as a row of the table of trials."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from gradviz.checks.arguments import Wanted
from gradviz.checks.attempt import told
from gradviz.checks.battery.difference import difference
from gradviz.checks.evaluations import CheckCancelledError
from gradviz.checks.variations.running import Recheck, Run, Runner
from gradviz.checks.variations.variation import Variation
from gradviz.model.diagnosis import Trial, TrialOutcome
from gradviz.model.jacobian import JacobianReport

_MOST_ELEMENTS = 2_000
_ALLOWED, _ALLOWED_OF_HALF = 0.2, 0.7
"""Allowed rounding error relative to the largest number; real mistakes are larger."""
_NOT_OFFERED = ("not implemented for", "not supported", "Unsupported dtype")
"""Phrases in torch's errors about a missing kernel for a dtype or device."""


class Judge:
    """Judge of the variations of one function.

    Args:
        runner: Runs the function.
        recheck: Checks its Jacobians for other arguments.
    """

    def __init__(self, runner: Runner, recheck: Recheck) -> None:
        self._runner = runner
        self._recheck = recheck

    def trial(self, variation: Variation) -> Trial | None:
        """The variation's row; None if forward rejects inputs it need not accept."""
        run = self._runner.both(variation.arguments)
        if run.refused is not None:
            reason = f"Forward does not accept these inputs: {told(run.refused)}"
            return _row(variation, "skipped", reason) if variation.expected else None
        if not run.is_finite:
            return _row(
                variation, "skipped", "The output contains Inf or NaN, so it cannot be compared."
            )
        if not run.is_differentiable:
            return _row(variation, "skipped", "No output requires a gradient.")
        if variation.oracle is not None:
            return self._same(variation, run, self._runner.both(variation.oracle))
        return self._checked(variation, run)

    def _same(self, variation: Variation, run: Run, oracle: Run) -> Trial:
        """Compare results with those for equivalent arguments, which must be the same."""
        if oracle.refused is not None or oracle.error is not None or not oracle.is_finite:
            return _row(
                variation,
                "skipped",
                "The baseline run with the same values fails or gives Inf or NaN, so there "
                "is nothing to compare with.",
            )
        strides = variation.kind == "layout"
        if run.draws and not strides:
            return _row(
                variation,
                "skipped",
                "Forward draws random numbers, which differ between dtypes and devices.",
            )
        code = "stride_blind" if strides else "unknown"
        if run.error is not None:
            if any(words in str(run.error) for words in _NOT_OFFERED):
                return _row(variation, "skipped", f"torch does not support this: {told(run.error)}")
            return _row(variation, "raises", f"Backward raised {told(run.error)}", code)
        wanted = self._runner.inputs(variation.arguments)
        allowed = _ALLOWED if variation.telling else _ALLOWED_OF_HALF
        apart = _apart(_outputs(run), run.numbers, oracle.numbers, allowed, of="")
        apart = apart or _apart(wanted, run.gradients, oracle.gradients, allowed)
        if apart:
            return _row(variation, "fails", f"Results differ: {apart}.", code)
        return _row(variation, "passes", "Outputs and gradients are the same up to rounding.")

    def _checked(self, variation: Variation, run: Run) -> Trial:
        inputs = sum(each.tensor.numel() for each in self._runner.inputs(variation.arguments))
        if inputs + sum(each.numel() for each in run.numbers) > _MOST_ELEMENTS:
            return _row(
                variation, "skipped", "There are too many elements to compute their Jacobians."
            )
        report = self._recheck(variation.arguments)
        if report.verdict == "incomplete":
            raise CheckCancelledError
        if report.passed:
            count = sum(block.count for block in report.blocks)
            return _row(variation, "passes", _agreed(count))
        return _failed(variation, report)


def _agreed(count: int) -> str:
    if not count:
        return "There are no elements to compare, and nothing raised an error."
    if count == 1:
        return "Both Jacobians agree in their only element."
    return f"Both Jacobians agree in all {count} elements."


def _failed(variation: Variation, report: JacobianReport) -> Trial:
    said = next((each for each in report.diagnoses if not each.is_harmless), None)
    raised = next((each for each in report.problems if each.code == "raised"), None)
    if raised is not None:
        code = "unknown" if said is None else said.code
        return _row(variation, "raises", raised.message, code)
    if said is None:
        return _row(variation, "skipped", report.diagnoses[0].message)
    message = said.message
    if said.code == "unknown" and report.problems:
        message = report.problems[0].message
    if variation.kind == "complex":
        reason = "The Jacobians differ, but the function may be meant for real numbers only."
        return _row(variation, "skipped", reason)
    return _row(variation, "fails", message, said.code)


def _apart(
    wanted: Sequence[Wanted],
    found: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    allowed: float,
    of: str = "the gradient of ",
) -> str:
    shapes = [
        (None if one is None or other is None else (one.shape, other.shape))
        for one, other in zip(found, expected, strict=True)
    ]
    if any(each is not None and each[0] != each[1] for each in shapes):
        return "an output or gradient has a different shape"
    said = difference(wanted, found, expected, allowed=allowed, of=of)
    return said.text if said is not None and said.matters else ""


def _outputs(run: Run) -> list[Wanted]:
    named = zip(run.names, run.numbers, strict=True)
    return [Wanted(k, name, each) for k, (name, each) in enumerate(named)]


def _row(variation: Variation, outcome: TrialOutcome, message: str, code: str = "") -> Trial:
    return Trial(
        kind="variation",
        name=variation.name,
        outcome=outcome,
        message=message,
        code=code if variation.telling else "",
    )
