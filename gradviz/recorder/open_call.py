"""A call of a custom Function that is in progress."""

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
        given: How many arguments ``apply`` was given; the rest are defaults.
        values: What ``forward`` was called with, without ``ctx``.
        entered: Whether ``forward`` has been reached.
        part: The stage that runs, where stages are looked into.
        inside: Whether ``forward`` or ``setup_context`` runs.
        histories: What in its methods has lost a history; None where nobody asks.
        differentiable: Whether gradients were switched on around ``apply``.
        rerun: Whether a checkpoint runs it again.
        watch: Of the arguments, to see which of them ``forward`` writes into.
        changed: Positions of those, each with the line that did it, where that is known.
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
