"""What a rule of the doctor declares; recorder, doctor, window and guide take it from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

RuleSeverity = Literal["error", "warning", "info"]
"""A wrong result or an exception; a likely mistake; a matter of style."""

RuleEvidence = Literal["run", "source", "torch"]
"""Observed in a recorded run; read from the source; torch itself refuses a violation."""

RuleConfidence = Literal["certain", "likely"]

RuleNeed = Literal["", "second_order", "transform"]
"""What a run must do besides one backward pass: a second derivative; a transform of torch.func."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRule:
    """A rule for code that uses autograd, and how a violation is reported.

    Attributes:
        id: Stable identifier for people and for ``--select``, such as ``GV101``.
        code: Stable identifier for programs; stored in traces, so it never changes.
        title: Title of a violation, in a few words.
        severity: How serious a violation is; a finding may say less if the case is harmless.
        evidence: How violations are found.
        summary: A violation in one sentence.
        why: Why the rule exists.
        remedy: How to fix a violation.
        example: A program that violates the rule and no other one, and how it is fixed, as a diff:
            lines after ``-`` are only in `bad`, those after ``+`` only in `good`. It uses a
            float64 leaf ``x`` of two elements, ``torch``, ``nn``, ``Function`` and
            ``once_differentiable``.
        confidence: Whether every finding is a violation; likely ones can have exceptions.
        refusal: Regular expression for torch's message if torch refuses a violation and nothing
            else reports it.
        refusal_is_clear: Whether torch raises that message for nothing else. Otherwise it counts
            only where the rule was found in the source or in the run as well.
        needs: What a run must do so that it can show a violation.
        cases: Titles of special cases by their own codes, which begin with ``code``.
        notes: Codes of the cases that tell what happened and break no rule; the doctor leaves them
            out.
        messages: Templates of its sentences by key; each key starts with ``finding.`` and the code.
    """

    id: str
    code: str
    title: str
    severity: RuleSeverity
    evidence: tuple[RuleEvidence, ...]
    summary: str
    why: str
    remedy: str
    example: str
    confidence: RuleConfidence = "certain"
    refusal: str = ""
    refusal_is_clear: bool = True
    needs: RuleNeed = ""
    cases: Mapping[str, str] = field(default_factory=dict, compare=False)
    notes: tuple[str, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def bad(self) -> str:
        """The example with the violation."""
        return self._version("-")

    @property
    def good(self) -> str:
        """The example without the violation."""
        return self._version("+")

    def _version(self, mark: str) -> str:
        lines = self.example.splitlines(keepends=True)
        return "".join(
            line.removeprefix(mark) for line in lines if line[0] not in "-+" or line[0] == mark
        )
