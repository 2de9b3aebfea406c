"""What the recorder remembers of a stage that it looks into, while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.model.inside import Frame, Line, Op, Part, StageKind


@dataclass(slots=True)
class OpenPart:
    """A stage that runs.

    Attributes:
        stage: Which one.
        step: Number of the step; None while nobody knows whether there will be one.
        started: Since the recording began, in ns.
        thread: As in `Part`.
        frames: As in `Part`.
        lines: As in `Part`; one that still runs stands there unfinished.
        ops: As in `Part`.
        line: Position of the line that runs now; None outside of any.
        more_lines: As in `Part`.
        more_ops: As in `Part`.
        duration: In ns; 0 while it runs.
        finished: Whether it came to its end.
        spent: Time that recording its ops took up to now, in ns.
        users: Whether the user's own method runs in it: what that calls has no stage of its own.
        written: Position of the first op that wrote into a memory, by its address.
    """

    stage: StageKind
    step: int | None
    started: int
    thread: str
    frames: list[Frame] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    line: int | None = None
    more_lines: int = 0
    more_ops: int = 0
    duration: int = 0
    finished: bool = False
    spent: int = 0
    users: bool = False
    written: dict[int, int] = field(default_factory=dict)

    def part(self) -> Part:
        """The stage as it stands."""
        return Part(
            stage=self.stage,
            started_ns=self.started,
            duration_ns=self.duration,
            finished=self.finished,
            thread=self.thread,
            frames=tuple(self.frames),
            lines=tuple(self.lines),
            ops=tuple(self.ops),
            more_lines=self.more_lines,
            more_ops=self.more_ops,
        )

    @property
    def is_in_op(self) -> bool:
        """Whether an op of it runs."""
        return bool(self.ops) and self.ops[-1].seen and not self.ops[-1].finished

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell of it."""
        return not (self.frames or self.ops)
