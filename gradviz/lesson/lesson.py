"""The values of a lesson."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.analysis.position.view_target import ViewTab

SUFFIX = ".gradviz-lesson"

MOST_FILE_BYTES = 64 << 20
"""Of a lesson's file."""
MOST_TRACE_BYTES = 256 << 20
"""Of all embedded traces together."""


class LessonError(ValueError):
    """A lesson file cannot be read; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonStop:
    """One view of a lesson. All but the run may be left out.

    Attributes:
        headline: What this stop is about, for the audience.
        scene: Id of the scene to run; empty for a trace.
        trace: Name of an embedded trace, or path of a trace relative to the lesson's file.
        step: Position path such as ``5/backward``; empty for the beginning of the run.
        tab: The central tab.
        check: Whether the scene's Jacobians are checked before they are shown.
        compare: Id of a scene to compare the run with, for the tab ``compare``.
        select: Name of a graph node to select, such as ``ExpBackward``; ``#2`` after it means the
            second node of that name.
        question: A question to the audience; what the step computes is hidden until the next click.
        answer: The answer in one line, which takes the question's place at the first click.
        ask: What the question and the answer are shown with; see `gradviz.story.picture`.
        show: What the further clicks show, one after the other.
        solution: The answer at length, for the speaker and the handout.
        notes: Notes for the speaker.
        steps: Whether the clicker also stops at the steps between this stop and the next.
        minutes: Planned time.
    """

    headline: str = ""
    scene: str = ""
    trace: str = ""
    step: str = ""
    tab: ViewTab = "graph"
    check: bool = False
    compare: str = ""
    select: str = ""
    question: str = ""
    answer: str = ""
    ask: str = ""
    show: tuple[str, ...] = ()
    solution: str = ""
    notes: str = ""
    steps: bool = False
    minutes: float = 0.0

    @property
    def number(self) -> int:
        """Number of the step."""
        return int(self.step.partition("/")[0] or 1)

    @property
    def run(self) -> str:
        """Name of the run: its scene or trace, under which it may be embedded."""
        return self.scene or self.trace

    @property
    def compared_run(self) -> str:
        """Name under which the compared run may be embedded; empty if nothing is compared."""
        return f"{self.run}: {self.compare}" if self.compare and self.tab == "compare" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A lesson.

    Attributes:
        title: Title for people.
        page: Address of a page that the audience takes home; usually empty.
        stops: The stops in order.
        traces: Embedded trace files by name: the `run` or `compared_run` of a stop.
    """

    title: str
    page: str = ""
    stops: tuple[LessonStop, ...] = ()
    traces: tuple[tuple[str, bytes], ...] = ()

    @property
    def minutes(self) -> float:
        """Planned time of all stops."""
        return sum(stop.minutes for stop in self.stops)

    def last_step(self, at: int) -> int | None:
        """Number of the last step that a stop shows; None if the run goes on to its end."""
        stop = self.stops[at]
        if not stop.steps:
            return stop.number
        for after in self.stops[at + 1 : at + 2]:
            if after.run == stop.run and after.number > stop.number:
                return after.number - 1
        return None
