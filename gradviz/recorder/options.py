"""What a caller may choose about a recording."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.changes import Change
from gradviz.model.inside import RecordingLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How much is kept, and what happens beside the run.

    Attributes:
        level: How deep it goes: node steps alone, the ops inside of them as well, or the source
            lines of custom Functions as well.
        changes: Values to change in the run, found by the ids of an earlier one.
        budget_bytes: Bytes of elements kept in all; beyond it, only statistics are.
        whole_elements: Tensors with at most so many elements are kept whole.
        console_characters: Characters of printed text kept; the rest is counted.
        pass_console_on: Whether what is printed still reaches the original streams.
        saved: Whether the values that torch's own nodes save are recorded. What custom Functions
            save always is.
        strict: Raise trouble while recording, instead of writing a finding about it.
    """

    level: RecordingLevel = "nodes"
    changes: tuple[Change, ...] = ()
    budget_bytes: int = 256 << 20
    whole_elements: int = 4096
    console_characters: int = 1_000_000
    pass_console_on: bool = True
    saved: bool = True
    strict: bool = False
