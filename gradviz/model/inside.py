"""What happened inside a step: its stages, the source lines that ran, the ops that they called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.item import Item
from gradviz.model.source import Location

StageKind = Literal["forward", "setup_context", "save", "backward", "engine", "accumulate"]
"""Parts of a step, in the order in which they come.

``forward`` is the call itself, ``setup_context`` the method of that name, ``save`` what torch keeps
for backward once the call has returned, ``backward`` the node's own computation, ``engine`` what
the engine checks and changes of its result, ``accumulate`` the addition into a leaf's ``.grad``.
"""

RecordingLevel = Literal["nodes", "ops", "lines"]
"""How deep a recording goes; each has what those before it have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One aten op, or one thing done to a tensor that autograd cannot see.

    Attributes:
        name: As torch's dispatcher has it, like ``aten::mm``; for an unseen one as the source has
            it, like ``Tensor.numpy``.
        overload: Of an aten op, like ``default`` or ``out``; empty for an unseen one.
        seen: False where autograd cannot see it: the elements left torch, or came back.
        line: Position among the lines of its `Part`; None where no lines were recorded, and for
            what no line of the user called.
        location: The user's line that called it, innermost; None where there is none, as in the
            engine.
        inputs: What it was given, named as its schema names it.
        outputs: What it returned.
        writes: Positions of the inputs that it changed in place.
        started_ns: Since the recording began.
        duration_ns: Wall time of the op itself, recording excluded. None where it was not
            measured: on an accelerator that was not waited for.
        finished: False where it raised, or the run died in it.
    """

    name: str
    overload: str
    seen: bool
    line: int | None
    location: Location | None
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    writes: tuple[int, ...]
    started_ns: int
    duration_ns: int | None
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One call of a function of the user within a part.

    A generator that goes on after a ``yield`` is a call of its own. Comprehensions are none: they
    are part of the line that runs them.

    Attributes:
        function: Where it is defined.
        arguments: Its parameters when it was entered, in their order; of a generator that goes on,
            all its local variables. They are named as in `Line`.
        caller: Position of the line that called it; None for the method that torch called.
    """

    function: Location
    arguments: tuple[Item, ...]
    caller: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One statement that ran: of a compound one, such as ``for``, only its head.

    Tensors and arrays inside of lists, tuples and dicts are items of their own beside the whole,
    named like ``pair[0]`` or ``named['w']``, down to the second level, the first 20 of each. So
    are attributes that the run has put on a ``ctx``, named like ``ctx.scale``.

    Attributes:
        frame: Position among the frames of its `Part`.
        location: Its first line.
        last_line: Its last line: a statement may span several.
        changes: Local variables that it set or whose value it changed, as they are after it.
        removed: Names of local variables that it deleted, and of items in them that are gone.
        result: What a ``return`` returned; None for all other statements.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included, with all that it called; 0 while unfinished.
        finished: False where it raised, or the run died in it.
    """

    frame: int
    location: Location
    last_line: int
    changes: tuple[Item, ...]
    removed: tuple[str, ...]
    result: Item | None
    started_ns: int
    duration_ns: int
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One stage of a step, looked into.

    Attributes:
        stage: Which one.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        finished: False where it raised, or the run died in it.
        thread: Name of the thread where it is not the main one, else empty.
        frames: Calls of the user's functions, in order; empty where no lines were recorded.
        lines: Statements, in the order in which they began.
        ops: In the order in which they began.
        more_lines: How many further lines ran that were not kept.
        more_ops: How many further ops ran that were not kept.
    """

    stage: StageKind
    started_ns: int
    duration_ns: int
    finished: bool
    thread: str
    frames: tuple[Frame, ...] = ()
    lines: tuple[Line, ...] = ()
    ops: tuple[Op, ...] = ()
    more_lines: int = 0
    more_ops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What was recorded inside one step, beyond the node level.

    Attributes:
        id: Number of the step.
        parts: In order; only stages in which something was recorded.
    """

    id: int
    parts: tuple[Part, ...]

    def part(self, stage: StageKind) -> Part | None:
        """The part of a stage; None where nothing was recorded in it."""
        return next((part for part in self.parts if part.stage == stage), None)
