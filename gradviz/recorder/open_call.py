"""State of a custom Function's call while it is in progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.recorder.call_facts import CallFacts
from gradviz.recorder.changed import Watch
from gradviz.recorder.declared import Declared
from gradviz.recorder.function_text import FunctionText
from gradviz.recorder.lost_history import Method
from gradviz.recorder.open_part import OpenPart


@dataclass(slots=True)
class Call:
    """A call in progress.

    Attributes:
        given: Number of arguments passed to ``apply``; the rest are defaults.
        values: Arguments of ``forward``, without ``ctx``.
        entered: Whether ``forward`` has been reached.
        part: The open stage, if stages are recorded.
        inside: Whether ``forward`` or ``setup_context`` is running.
        histories: Values in its methods that have lost a history; None if that is not followed.
        differentiable: Whether gradients were enabled around ``apply``.
        rerun: Whether a checkpoint runs the call again.
        watch: Detects which arguments ``forward`` writes to.
        changed: Positions of those arguments, each with the line of the write if known.
        nested: Whether functorch will call ``apply`` again on the way to ``forward``.
    """

    cls: type
    text: FunctionText
    facts: CallFacts
    step: int
    started: int
    pass_id: int | None
    location: Location | None
    given: int
    nested: bool
    target: str
    arguments: tuple[Item, ...] = ()
    outputs: tuple[Item, ...] = ()
    values: tuple[Any, ...] = ()
    entered: bool = False
    inside: bool = False
    materialize: bool = True
    part: OpenPart | None = None
    histories: Method | None = None
    declared: Declared = field(default_factory=Declared)
    differentiable: bool = True
    rerun: bool = False
    watch: Watch | None = None
    changed: tuple[tuple[int, Location | None], ...] = ()
