"""Why a check found what it found, in words: what is wrong, how sure that is, what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["certain", "likely"]
"""``certain`` where the numbers leave no other reading, ``likely`` where another is far-fetched."""

HARMLESS = frozenset({"none", "kink", "float32_noise", "eps_sensitive"})
"""Codes of diagnoses that do not speak against the function, but for it or against the check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A repair that was tried on the numbers.

    Attributes:
        message: What was done, in one sentence, and what came of it.
        matrix: Tensor of the trace with the analytical Jacobian after it, of the block's shape.
        wrong: Number of its elements that are still outside the tolerance.
    """

    message: str
    matrix: int
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is wrong with a function, or with one pair of its outputs and inputs.

    Attributes:
        code: Stable word for programs, like ``transposed``; ``unknown`` where nothing fits, and
            ``none`` where nothing speaks against the function.
        message: One or two sentences for people, with the most telling evidence.
        output: Position of the output among the function's outputs; None for all of them.
        input: Position of the input among its arguments; None for all of them.
        part: As in `JacobianBlock`.
        confidence: How sure it is.
        evidence: What was measured that says so, one sentence each.
        repair: What was tried to mend it; None if nothing was.
    """

    code: str
    message: str
    output: int | None
    input: int | None
    part: Literal["", "real", "imag"] = ""
    confidence: Confidence = "certain"
    evidence: tuple[str, ...] = ()
    repair: Repair | None = None

    @property
    def is_harmless(self) -> bool:
        """Whether it does not speak against the function."""
        return self.code in HARMLESS


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCurve:
    """How the difference at one element of a block depends on the step of the central difference.

    Attributes:
        output: Of the block.
        input: Of the block.
        part: Of the block.
        row: Of the element.
        column: Of the element.
        steps: The values of eps, ascending.
        errors: For each of them ``|analytical - numerical|``; NaN where it could not be computed.
        one_sided: For each of them ``|right - left|``, the difference of the two one-sided
            difference quotients: it shrinks with eps except at a kink.
        floors: For each of them the rounding error to be expected, from the size of the output.
    """

    output: int
    input: int
    part: Literal["", "real", "imag"] = ""
    row: int
    column: int
    steps: tuple[float, ...]
    errors: tuple[float, ...]
    one_sided: tuple[float, ...]
    floors: tuple[float, ...]


TrialKind = Literal["incoming", "variation"]
TrialOutcome = Literal["passes", "fails", "raises", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A condition under which a function was tried, and what came of it.

    Attributes:
        kind: ``incoming`` for another incoming gradient, ``variation`` for other inputs.
        name: The condition in a few words, like ``grad_output expanded (stride 0)``.
        outcome: What came of it.
        message: The same in one sentence.
        code: Of the diagnosis that it led to; empty for none.
    """

    kind: TrialKind
    name: str
    outcome: TrialOutcome
    message: str
    code: str = ""
