"""What a diagnosis declares; rules, window and guide take everything else from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

DiagnosisSeverity = Literal["fault", "doubt", "check", "calm"]
"""Fault in the function; unknown cause; problem with this check; no problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisInfo:
    """Everything about a diagnosis except for the rule that finds it.

    Attributes:
        code: Stable identifier for programs; stored in traces, so it never changes.
        title: Title of its card, in a few words.
        guide: Its explanation in the guide's table, in Markdown, without a full stop.
        severity: What it says about the function.
        beyond_gradcheck: Whether gradcheck cannot detect it; such diagnoses are listed later.
        is_observation: Whether it only tells what runs of the checked function showed, and no cause
            inferred from their numbers, which other values have to confirm.
        messages: Templates of its sentences by key; each key starts with the code and a dot.
    """

    code: str
    title: str
    guide: str
    severity: DiagnosisSeverity = "fault"
    beyond_gradcheck: bool = False
    is_observation: bool = False
    messages: Mapping[str, str] = field(default_factory=dict)
