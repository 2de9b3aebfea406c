"""Position in a trace: step, stepping level, and what quiz mode has revealed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.navigation import (
    nearest_at_level,
    next_place,
    positions_in_step,
    previous_place,
    step_into,
    step_out,
)
from gradviz.analysis.position.trace_position import Level, TracePosition, has_place, is_finer
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace

StepTarget = tuple[TracePosition, Level]


class PositionState(QObject):
    """The position in a trace; `gradviz.viewer.state.ViewerState` adds what is shown there.

    Attributes:
        index: The trace that is shown, with its lookups.
        place: Current position: a step as a whole or something inside it.
        level: Stepping level, which sets how far one step forward or back goes.
        quiz_mode: Whether quiz mode is on: each step forward hides its results until revealed.

    Signals:
        step_changed: Number of the step; 0 without a trace.
        place_changed: The `TracePosition`, None without a trace. Follows each ``step_changed``;
            emitted alone if only the position inside the step, the stepping level, or what may
            be shown of the step changes.
        revealed_changed: The `RevealedTrace`. Emitted after ``place_changed`` for a new trace and
            when more or fewer results may be shown.
    """

    step_changed = Signal(object)
    place_changed = Signal(object)
    revealed_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.index: TraceIndex | None = None
        self.place: TracePosition | None = None
        self.level: Level = "node"
        self.quiz_mode = False
        self._revealed_until: int | None = None

    @property
    def count(self) -> int:
        """Number of steps in the trace."""
        return 0 if self.index is None else len(self.index.trace.steps)

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 without a trace."""
        return 0 if self.place is None else self.place.step

    @property
    def revealed(self) -> RevealedTrace:
        """The trace with the results that may be shown, which quiz mode limits."""
        until, number = self._revealed_until, self.number
        if until is None:
            return RevealedTrace.of_all(self.index)
        hidden_step = number if number > until else None
        return RevealedTrace(index=self.index, until=until, hidden_step=hidden_step)

    @property
    def inner_target(self) -> StepTarget | None:
        """Target of `into`; None if nothing is inside, or it is still hidden."""
        if self.index is None or self.place is None or self.revealed.hides_answer:
            return None
        return step_into(self.index, self.place, self.level)

    @property
    def outer_target(self) -> StepTarget | None:
        """Target of `out`; None on the outermost level."""
        if self.index is None or self.place is None:
            return None
        return step_out(self.index, self.place, self.level)

    @property
    def next_target(self) -> StepTarget | None:
        """Target one step forward; None at the end."""
        return self._neighbor_target(next_place)

    @property
    def previous_target(self) -> StepTarget | None:
        """Target of `previous_step`; None at the beginning."""
        return self._neighbor_target(previous_place)

    def _neighbor_target(
        self, neighbor_of: Callable[[TraceIndex, TracePosition, Level], TracePosition | None]
    ) -> StepTarget | None:
        if self.index is None or self.place is None:
            return None
        place = neighbor_of(self.index, self.place, self.level)
        if place is None:
            return None
        if self.quiz_mode and place.step != self.number:
            return TracePosition(step=place.step), "node"
        return place, self.level

    @property
    def is_at_end(self) -> bool:
        """Whether `next_step` does nothing: there is no step ahead, and nothing to reveal."""
        return self.next_target is None and not self.revealed.hides_answer

    def go_to(self, number: int) -> None:
        """Go to a step; an out-of-range number is clamped."""
        number = max(min(1, self.count), min(number, self.count))
        if number not in (0, self.number):
            self.go_to_place(TracePosition(step=number), self._arrival_level())

    def go_to_place(self, place: TracePosition, level: Level | None = None) -> None:
        """Go to a position in the trace.

        Args:
            place: A step of the trace, or something inside it. If the stepping level is finer, go
                to the first position inside it; if its results are hidden, to the whole step.
            level: The new stepping level; the current one if left out. A finer position makes the
                level finer too.
        """
        if self.index is None:
            return
        level = level or self.level
        if is_finer(place.level, "node" if level == "pass" else level):
            level = place.level
        before, number, revealed = (self.place, self.level), self.number, self.revealed
        self.place, self.level = nearest_at_level(self.index, place, level), level
        if self.number != number:
            self._reveal_passed_steps()
        self._leave_hidden_step()
        if (self.place, self.level) != before:
            self._announce(revealed, moved=self.number != number)

    def set_level(self, level: Level) -> None:
        """Set the stepping level and move to the nearest position on it."""
        if self.index is None or self.place is None:
            self.level = level
            self.place_changed.emit(None)
        else:
            self.go_to_place(nearest_at_level(self.index, self.place, level), level)

    def into(self) -> None:
        """Go one level down, to the first position inside the current one."""
        self._go(self.inner_target)

    def out(self) -> None:
        """Go one level up, to the position that contains the current one."""
        self._go(self.outer_target)

    def next_step(self) -> None:
        """Reveal the hidden answer of this step, or go one step forward on the current level."""
        if self.revealed.hides_answer:
            self.set_answer_hidden(False)
        else:
            self._go(self.next_target)

    def previous_step(self) -> None:
        """Go one step back on the current level, if there is one."""
        self._go(self.previous_target)

    def first_step(self) -> None:
        """Go to the beginning of the run."""
        if self.index is not None and self.place is not None:
            level = "node" if self.quiz_mode else self.level
            self.go_to_place(positions_in_step(self.index, 1, level)[0], level)

    def last_step(self) -> None:
        """Go to the end of the run."""
        if self.index is not None and self.place is not None:
            level = "node" if self.quiz_mode else self.level
            last = positions_in_step(self.index, self.count, level)[-1]
            self.go_to_place(nearest_at_level(self.index, last, level), level)

    def set_quiz_mode(self, quiz_mode: bool = True) -> None:
        """Turn quiz mode on or off.

        What is already visible stays so: the current step, and later each revealed step. An answer
        that a lesson hides stays hidden.
        """
        if quiz_mode != self.quiz_mode:
            before = self.revealed
            self.quiz_mode = quiz_mode
            shown = self.number - 1 if before.hides_answer else self.number
            self._revealed_until = shown if quiz_mode else None
            self._announce(before, moved=False)

    def set_answer_hidden(self, answer_hidden: bool = True) -> None:
        """Hide the gradients that the current step computes, if any, or reveal them."""
        before = self.revealed
        if answer_hidden != before.hides_answer:
            self._revealed_until = self.number if self.quiz_mode else None
            if answer_hidden and self._has_answer():
                self._revealed_until = self.number - 1
            self._leave_hidden_step()
            self._announce(before, moved=False)

    def _begin(self, index: TraceIndex | None, place: TracePosition | None) -> None:
        """Move to a place of another trace, or its first step, without announcing it."""
        self.index, self.place = index, None
        number = min(1, self.count)
        if index is not None and number:
            first = TracePosition(step=number)
            self.place = nearest_at_level(index, first, self._arrival_level())
            steps = () if place is None else (place, TracePosition(step=place.step))
            for each in steps:
                # A place inside of a step may be missing from another run.
                if has_place(index, each):
                    self.place, number = each, each.step
                    break
        self._revealed_until = number if self.quiz_mode else None

    def _go(self, target: StepTarget | None) -> None:
        if target is not None:
            self.go_to_place(*target)

    def _arrival_level(self) -> Level:
        """Return the level to arrive at a step with: quiz mode must not show what is inside."""
        return "node" if self.quiz_mode or self.level == "pass" else self.level

    def _reveal_passed_steps(self) -> None:
        """Reveal the steps passed; hide the one arrived at if it has something to guess."""
        until, number = self._revealed_until, self.number
        if not self.quiz_mode:
            self._revealed_until = None
        elif until is not None and number > until:
            self._revealed_until = number - 1 if self._has_answer() else number

    def _has_answer(self) -> bool:
        return self.index is not None and has_quiz_answer(step_at(self.index, self.number))

    def _leave_hidden_step(self) -> None:
        """Stay at a hidden step as a whole: what is inside would reveal its answer."""
        if self.revealed.hides_answer:
            self.place, self.level = TracePosition(step=self.number), "node"

    def _announce(self, before: RevealedTrace | None, *, moved: bool) -> None:
        """Emit the signals of a change, given what was revealed before of this trace."""
        if moved:
            self.step_changed.emit(self.number)
        self.place_changed.emit(self.place)
        if self.revealed != before:
            self.revealed_changed.emit(self.revealed)
