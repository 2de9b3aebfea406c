"""State of a stage whose ops or lines are recorded, while it is open."""

from __future__ import annotations

from typing import cast

import torch
from msgspec import Struct, field

from gradviz.model.inside import ExecutedLine, Op, StageKind, StageRecord, UserFrame
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.recorder.tensors import tensor_compat


class OpenLine(Struct, kw_only=True, array_like=True):
    """A line that is running or has run, with the fields of `ExecutedLine` in their order."""

    frame: int
    location: Location
    last_line: int
    changes: tuple[Item, ...] = ()
    removed: tuple[str, ...] = ()
    result: Item | None = None
    started_ns: int
    duration_ns: int = 0
    finished: bool = False


class StageOp(Struct, kw_only=True, array_like=True):
    """An op that is running or has run, with the fields of `Op` in their order."""

    name: str
    overload: str
    seen: bool
    line: int | None
    location: Location | None
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...] = ()
    writes: tuple[int, ...]
    started_ns: int
    duration_ns: int | None = None
    finished: bool = False


class OpenStage(Struct, eq=False):
    """An open stage.

    Attributes:
        stage: Kind of stage.
        step: Number of its step; None as long as it is unknown whether there will be one.
        started: Start in ns since the recording began.
        thread: Same as in `StageRecord`.
        frames: Same as in `StageRecord`.
        lines: Same as in `StageRecord`; includes a running line as unfinished.
        ops: Same as in `StageRecord`.
        line: Index of the line that is running; None outside of any line.
        more_lines: Same as in `StageRecord`.
        more_ops: Same as in `StageRecord`.
        duration: Duration in ns; 0 while the stage is open.
        finished: Whether it reached its end.
        spent: Time taken by recording its ops so far, in ns.
        runs_user_code: Whether the user's own method runs in it; its calls have no separate stage.
        written: Index of the first op that wrote to a storage, by storage address.
    """

    stage: StageKind
    step: int | None
    started: int
    thread: str
    frames: list[UserFrame] = field(default_factory=list)
    lines: list[OpenLine] = field(default_factory=list)
    ops: list[StageOp] = field(default_factory=list)
    line: int | None = None
    more_lines: int = 0
    more_ops: int = 0
    duration: int = 0
    finished: bool = False
    spent: int = 0
    runs_user_code: bool = False
    written: dict[int, int] = field(default_factory=dict)

    def part(self) -> StageRecord:
        """The stage in its current state."""
        return StageRecord(
            stage=self.stage,
            started_ns=self.started,
            duration_ns=self.duration,
            finished=self.finished,
            thread=self.thread,
            frames=tuple(self.frames),
            # The writer encodes these at once, and only looks at their fields.
            lines=cast("tuple[ExecutedLine, ...]", tuple(self.lines)),
            ops=cast("tuple[Op, ...]", tuple(self.ops)),
            more_lines=self.more_lines,
            more_ops=self.more_ops,
        )

    @property
    def is_in_op(self) -> bool:
        """Whether one of its ops is running."""
        return bool(self.ops) and self.ops[-1].seen and not self.ops[-1].finished

    @property
    def is_empty(self) -> bool:
        """Whether it has no frames and no ops."""
        return not (self.frames or self.ops)


def write_location(part: OpenStage | None, value: torch.Tensor) -> Location | None:
    """Line of the first op that wrote to a strided tensor; None if ops are not recorded."""
    at = None if part is None else part.written.get(tensor_compat.storage_address(value))
    return None if part is None or at is None else part.ops[at].location
