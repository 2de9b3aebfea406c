"""What comes of one variation, as a row of the table."""

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
"""How far numbers may be off by rounding, in units of the largest: what is wrong is off by more."""
_NOT_OFFERED = ("not implemented for", "not supported", "Unsupported dtype")
"""How torch says that it has no kernel for a type or device."""


class Judge:
    """Judges variations of one function.

    Args:
        runner: Runs it.
        recheck: Checks the Jacobians for other arguments.
    """

    def __init__(self, runner: Runner, recheck: Recheck) -> None:
        self._runner = runner
        self._recheck = recheck

    def trial(self, variation: Variation) -> Trial | None:
        """Its row; None for one that nobody expects to be possible, and that is not."""
        run = self._runner.both(variation.arguments)
        if run.refused is not None:
            reason = f"Forward does not take it: {told(run.refused)}"
            return _row(variation, "skipped", reason) if variation.expected else None
        if not run.is_finite:
            return _row(variation, "skipped", "The output is Inf or NaN, so that nothing is told.")
        if not run.is_differentiable:
            return _row(variation, "skipped", "No output has a gradient.")
        if variation.oracle is not None:
            return self._same(variation, run, self._runner.both(variation.oracle))
        return self._checked(variation, run)

    def _same(self, variation: Variation, run: Run, oracle: Run) -> Trial:
        """Whether the numbers are those of arguments that differ in nothing that may matter."""
        if oracle.refused is not None or oracle.error is not None or not oracle.is_finite:
            return _row(variation, "skipped", "The same values, dense, do not go through either.")
        strides = variation.kind == "layout"
        if run.draws and not strides:
            return _row(variation, "skipped", "It draws random numbers, others for each type.")
        code = "stride_blind" if strides else "unknown"
        if run.error is not None:
            if any(words in str(run.error) for words in _NOT_OFFERED):
                return _row(variation, "skipped", f"Torch cannot: {told(run.error)}")
            return _row(variation, "raises", f"Backward raised {told(run.error)}", code)
        wanted = self._runner.inputs(variation.arguments)
        allowed = _ALLOWED if variation.telling else _ALLOWED_OF_HALF
        apart = _apart(_outputs(run), run.numbers, oracle.numbers, allowed, of="")
        apart = apart or _apart(wanted, run.gradients, oracle.gradients, allowed)
        if apart:
            return _row(variation, "fails", f"It is not the same: {apart}.", code)
        return _row(variation, "passes", "Outputs and gradients are the same but for rounding.")

    def _checked(self, variation: Variation, run: Run) -> Trial:
        inputs = sum(each.tensor.numel() for each in self._runner.inputs(variation.arguments))
        if inputs + sum(each.numel() for each in run.numbers) > _MOST_ELEMENTS:
            return _row(variation, "skipped", "Too many elements to be checked besides.")
        report = self._recheck(variation.arguments)
        if report.verdict == "incomplete":
            raise CheckCancelledError
        if report.passed:
            count = sum(block.count for block in report.blocks)
            return _row(variation, "passes", _agreed(count))
        return _failed(variation, report)


def _agreed(count: int) -> str:
    if not count:
        return "There are no numbers to compare, and nothing was raised."
    if count == 1:
        return "Both Jacobians agree in their only number."
    return f"Both Jacobians agree in all {count} numbers."


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
        reason = "The Jacobians do not agree, but it may be meant for real numbers only."
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
        return "something has another shape"
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
