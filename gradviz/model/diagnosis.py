"""Diagnosis of a failed check: what is wrong, how certain that is, and how to fix it."""

from math import isfinite
from typing import Literal

from gradviz.model.codec import Natural, Real, TraceRecord

BlockPart = Literal["", "real", "imag"]
BlockPlace = tuple[int | None, int | None, BlockPart]
"""Output, input and part of a pair's block; None for all outputs or inputs."""

Confidence = Literal["certain", "likely"]
"""``certain`` if the numbers allow no other explanation, ``likely`` if another is improbable.

A cause inferred from numbers is certain only if it was found again with other input values and with
a larger size.
"""

HARMLESS = frozenset({"none", "kink", "float32_noise", "eps_sensitive"})
"""Codes of diagnoses that do not indicate an error in the function."""


class Repair(TraceRecord, frozen=True, kw_only=True):
    """A correction that was tried on the numbers.

    Attributes:
        message: What was done and with what result, in one sentence.
        matrix: Tensor of the trace with the corrected analytical Jacobian, of the block's shape.
        wrong: Number of its elements that are still outside the tolerance.
    """

    message: str
    matrix: Natural
    wrong: Natural


class Diagnosis(TraceRecord, frozen=True, kw_only=True):
    """What is wrong with a function, or with one pair of its outputs and inputs.

    Attributes:
        code: Stable identifier for programs, such as ``transposed``; ``unknown`` if no known error
            fits, and ``none`` if no error was found.
        message: One or two sentences for people, with the strongest evidence.
        output: Index of the output among the function's outputs; None for all of them.
        input: Index of the input among its arguments; None for all of them.
        part: As in `JacobianBlock`.
        confidence: How certain the diagnosis is.
        evidence: Measurements that support it, one sentence each.
        repair: Correction that was tried; None if none was.
    """

    code: str
    message: str
    output: Natural | None
    input: Natural | None
    part: BlockPart = ""
    confidence: Confidence = "certain"
    evidence: tuple[str, ...] = ()
    repair: Repair | None = None

    @property
    def place(self) -> BlockPlace:
        """Which blocks it is about."""
        return self.output, self.input, self.part

    def covers(self, place: BlockPlace) -> bool:
        """Whether it is about the block of a place, alone or among others."""
        output, input_, part = place
        is_about = self.output in (None, output) and self.input in (None, input_)
        return is_about and self.part in ("", part)

    @property
    def is_harmless(self) -> bool:
        """Whether it does not indicate an error in the function."""
        return self.code in HARMLESS


_ENOUGH = 1.5
"""Errors up to this factor above the smallest count as equally good."""


class ErrorCurve(TraceRecord, frozen=True, kw_only=True):
    """How the error at one element of a block depends on the step of the central difference.

    Attributes:
        output: Output of the block.
        input: Input of the block.
        part: Part of the block.
        row: Row of the element.
        column: Column of the element.
        steps: Values of eps, ascending.
        errors: ``|analytical - numerical|`` for each of them; NaN if it could not be computed.
        one_sided: ``|right - left|`` for each of them, the difference of the two one-sided
            difference quotients, which shrinks with eps except at a kink.
        floors: Expected rounding error for each of them, from the magnitude of the output.
    """

    output: Natural
    input: Natural
    part: BlockPart = ""
    row: Natural
    column: Natural
    steps: tuple[Real, ...]
    errors: tuple[Real, ...]
    one_sided: tuple[Real, ...]
    floors: tuple[Real, ...]

    @property
    def place(self) -> BlockPlace:
        """The block that its element is in."""
        return self.output, self.input, self.part

    @property
    def best(self) -> tuple[float, float] | None:
        """Best step and its error; None if no error is finite, or all are nearly the same.

        Among steps with nearly the smallest error it is the largest, since that is least affected
        by rounding.
        """
        known = [each for each in zip(self.steps, self.errors, strict=True) if isfinite(each[1])]
        least = min((error for _, error in known), default=0.0)
        # A damaged trace may have negative ones, of which a multiple is smaller.
        good = [each for each in known if each[1] <= max(least, least * _ENOUGH)]
        return good[-1] if len(good) < len(self.steps) and good else None


TrialKind = Literal["incoming", "variation"]
TrialOutcome = Literal["passes", "fails", "raises", "skipped"]


class Trial(TraceRecord, frozen=True, kw_only=True):
    """A condition under which a function was tested, and the result.

    Attributes:
        kind: ``incoming`` for another incoming gradient, ``variation`` for other inputs.
        name: The condition in a few words, such as ``grad_output expanded (stride 0)``.
        outcome: Result of the test.
        message: The result in one sentence.
        code: Code of the diagnosis it led to; empty for none.
    """

    kind: TrialKind
    name: str
    outcome: TrialOutcome
    message: str
    code: str = ""
