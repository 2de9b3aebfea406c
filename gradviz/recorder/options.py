"""Options of a recording."""

from __future__ import annotations

from msgspec import Struct

from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.recording_scope import WHOLE_RUN, RecordingScope
from gradviz.model.what_if import WhatIfChange


class RecordingOptions(Struct, frozen=True, kw_only=True):
    """How much a recording keeps, and what happens alongside the run.

    Attributes:
        level: Steps of nodes only, also the ops inside of them, also the source lines of custom
            Functions, or both. Without ops, lines take less time; nodes of torch then have nothing
            inside.
        changes: Values to change in the run, identified by ids of an earlier run.
        budget_bytes: Limit on stored elements in bytes; beyond it, only statistics are stored.
        whole_elements: Tensors with up to this many elements are stored whole.
        console_characters: Limit on stored characters of printed text; the rest is counted.
        pass_console_on: Whether printed text still reaches the original streams.
        saved: Whether the values saved by torch's own nodes are recorded. Those saved by custom
            Functions always are.
        scope: Which part of the run to record. Its passes count only for a `PartialRecording`.
        strict: Raise recording errors instead of reporting them as findings.
        around_program: Whether gradviz runs the recorded program, which cannot end the recording.
        gives_way: Whether the recording ends when another one begins, instead of refusing it.
    """

    level: RecordingLevel = "nodes"
    changes: tuple[WhatIfChange, ...] = ()
    budget_bytes: int = 256 << 20
    whole_elements: int = 4096
    console_characters: int = 1_000_000
    pass_console_on: bool = True
    saved: bool = True
    scope: RecordingScope = WHOLE_RUN
    strict: bool = False
    around_program: bool = False
    gives_way: bool = False
