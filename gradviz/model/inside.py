"""What happened inside a step: its stages, the source lines that ran, and their ops."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.item import Item
from gradviz.model.source import Location

StageKind = Literal["forward", "setup_context", "save", "backward", "engine", "accumulate"]
"""Stages of a step, in order.

``forward`` is the call itself, ``setup_context`` the method of that name, ``save`` what torch
saves for backward after the call returns, ``backward`` the node's own computation, ``engine``
what the engine checks and changes in its result, ``accumulate`` the addition into a leaf's
``.grad``.
"""

RecordingLevel = Literal["nodes", "ops", "lines", "all"]
"""What is recorded: nodes only, also the ops or the source lines inside of them, or all three."""


def records_ops(level: RecordingLevel) -> bool:
    """Whether a recording of this level contains ops."""
    return level in ("ops", "all")


def records_lines(level: RecordingLevel) -> bool:
    """Whether a recording of this level contains source lines."""
    return level in ("lines", "all")


class Op(TraceRecord, frozen=True, kw_only=True):
    """An aten op, or an operation on a tensor that autograd cannot see.

    Attributes:
        name: Name in torch's dispatcher, such as ``aten::mm``; for an unseen operation the name in
            the source, such as ``Tensor.numpy``.
        overload: Overload of an aten op, such as ``default`` or ``out``; empty for an unseen one.
        seen: False if autograd cannot see it: the elements left torch, or came back.
        line: Index among the lines of its `StageRecord`; None if no lines were recorded or no user
            line called it.
        location: Innermost user line that called it; None if there is none, as in the engine.
        inputs: Arguments, named as in the op's schema.
        outputs: Returned values.
        writes: Indices of the inputs that it changed in place.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time of the op without the recording; None if it was not measured, as on
            an accelerator that was not synchronized.
        finished: False if it raised, or the run ended during it.
    """

    name: str
    overload: str
    seen: bool
    line: Natural | None
    location: Location | None
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    writes: tuple[Natural, ...]
    started_ns: Natural
    duration_ns: Natural | None
    finished: bool


class UserFrame(TraceRecord, frozen=True, kw_only=True):
    """A call of a user's function within a part.

    Each time a generator is resumed after a ``yield`` counts as a call. Comprehensions don't: they
    are part of the line that runs them.

    Attributes:
        function: Where it is defined.
        arguments: Its parameters at entry, in order; for a resumed generator, all its local
            variables. They are named as in `ExecutedLine`.
        caller: Index of the line that called it; None for the method that torch called.
    """

    function: Location
    arguments: tuple[Item, ...]
    caller: Natural | None


class ExecutedLine(TraceRecord, frozen=True, kw_only=True):
    """One statement that ran; for a compound statement such as ``for``, only its head.

    Tensors and arrays inside lists, tuples and dicts are also items of their own, named like
    ``pair[0]`` or ``named['w']``, down to the second level and up to 20 in each container. So are
    attributes that the run stored on a ``ctx``, named like ``ctx.scale``.

    Attributes:
        frame: Index among the frames of its `StageRecord`.
        location: Its first line.
        last_line: Its last line, since a statement may span several.
        changes: Local variables that it set or whose value it changed, with their new values.
        removed: Names of local variables that it deleted, and of items that they no longer contain.
        result: Value that a ``return`` returned; None for all other statements.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording and everything that it called; 0 while
            unfinished.
        finished: False if it raised, or the run ended during it.
    """

    frame: Natural
    location: Location
    last_line: Natural
    changes: tuple[Item, ...]
    removed: tuple[str, ...]
    result: Item | None
    started_ns: Natural
    duration_ns: Natural
    finished: bool


class StageRecord(TraceRecord, frozen=True, kw_only=True):
    """Details of one stage of a step.

    Attributes:
        stage: The stage.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        finished: False if it raised, or the run ended during it.
        thread: Name of the thread; empty for the main thread.
        frames: Calls of the user's functions, in order; empty if no lines were recorded.
        lines: Statements, in the order in which they began.
        ops: Ops, in the order in which they began.
        more_lines: How many further lines ran that were not stored.
        more_ops: How many further ops ran that were not stored.
    """

    stage: StageKind
    started_ns: Natural
    duration_ns: Natural
    finished: bool
    thread: str
    frames: tuple[UserFrame, ...] = ()
    lines: tuple[ExecutedLine, ...] = ()
    ops: tuple[Op, ...] = ()
    more_lines: Natural = 0
    more_ops: Natural = 0


class Inside(TraceRecord, frozen=True, kw_only=True):
    """What was recorded inside one step, beyond the node level.

    Attributes:
        id: Number of the step.
        parts: Stages in which something was recorded, in order.
    """

    id: Natural
    parts: tuple[StageRecord, ...]

    def part(self, stage: StageKind) -> StageRecord | None:
        """The part for a stage; None if nothing was recorded in it."""
        return next((part for part in self.parts if part.stage == stage), None)
