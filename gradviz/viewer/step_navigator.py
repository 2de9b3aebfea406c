"""Movement through a trace: position, stepping level, and what quiz mode has revealed."""

from __future__ import annotations

from collections.abc import Callable

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
from gradviz.analysis.position.trace_position import Level, TracePosition, is_finer
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace

StepTarget = tuple[TracePosition, Level]


class StepNavigator:
    """Position in one trace; `gradviz.viewer.state.ViewerState` emits the signals for it.

    Attributes:
        place: Current position; None without a trace.
        level: Stepping level.
        quiz_mode: Whether quiz mode is on: each step forward hides what it computes.
    """

    def __init__(self) -> None:
        self.place: TracePosition | None = None
        self.level: Level = "node"
        self.quiz_mode = False
        self._revealed_until: int | None = None
        self._index: TraceIndex | None = None

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 without a trace."""
        return 0 if self.place is None else self.place.step

    @property
    def count(self) -> int:
        """Number of steps in the trace."""
        return 0 if self._index is None else len(self._index.trace.steps)

    @property
    def revealed(self) -> RevealedTrace:
        """The trace with the results that may be shown."""
        until, number = self._revealed_until, self.number
        if until is None:
            return RevealedTrace.of_all(self._index)
        hidden_step = number if number > until else None
        return RevealedTrace(index=self._index, until=until, hidden_step=hidden_step)

    def begin(self, index: TraceIndex | None) -> None:
        """Start at the first step of another trace."""
        self._index = index
        number = min(1, self.count)
        self.place = None
        if index is not None and number:
            self.place = nearest_at_level(index, TracePosition(step=number), self._arrival_level())
        self._revealed_until = number if self.quiz_mode else None

    def replace(self, index: TraceIndex) -> None:
        """Replace the trace by an extended version of it, keeping the position."""
        self._index = index

    def target_of_step(self, number: int) -> StepTarget | None:
        """Return the target for a step number, clamped to the trace; None if already there."""
        number = max(min(1, self.count), min(number, self.count))
        if number in (0, self.number):
            return None
        return TracePosition(step=number), self._arrival_level()

    def _arrival_level(self) -> Level:
        """Return the level to arrive at a step with: quiz mode must not show what is inside."""
        return "node" if self.quiz_mode or self.level == "pass" else self.level

    def inner_target(self) -> StepTarget | None:
        """Return the target one level down; None if nothing is inside or it is still hidden."""
        if self._index is None or self.place is None or self.revealed.hides_answer:
            return None
        return step_into(self._index, self.place, self.level)

    def outer_target(self) -> StepTarget | None:
        """Return the target one level up; None on the outermost level."""
        if self._index is None or self.place is None:
            return None
        return step_out(self._index, self.place, self.level)

    def next_target(self) -> StepTarget | None:
        """Return the target one step forward; None at the end."""
        return self._neighbor_target(next_place)

    def previous_target(self) -> StepTarget | None:
        """Return the target one step back; None at the beginning."""
        return self._neighbor_target(previous_place)

    def first_target(self) -> StepTarget | None:
        """Return the target at the beginning of the run."""
        if self._index is None or self.place is None:
            return None
        level = "node" if self.quiz_mode else self.level
        return positions_in_step(self._index, 1, level)[0], level

    def last_target(self) -> StepTarget | None:
        """Return the target at the end of the run."""
        if self._index is None or self.place is None:
            return None
        level = "node" if self.quiz_mode else self.level
        return nearest_at_level(
            self._index, positions_in_step(self._index, self.count, level)[-1], level
        ), level

    def _neighbor_target(
        self, neighbor_of: Callable[[TraceIndex, TracePosition, Level], TracePosition | None]
    ) -> StepTarget | None:
        if self._index is None or self.place is None:
            return None
        place = neighbor_of(self._index, self.place, self.level)
        if place is None:
            return None
        if self.quiz_mode and place.step != self.number:
            return TracePosition(step=place.step), "node"
        return place, self.level

    def go(self, place: TracePosition, level: Level | None = None) -> bool:
        """Go to a position; see `gradviz.viewer.state.ViewerState.go_to_place`.

        Returns:
            Whether anything has changed.
        """
        if self._index is None:
            return False
        level = level or self.level
        if is_finer(place.level, "node" if level == "pass" else level):
            level = place.level
        before, number = (self.place, self.level), self.number
        self.place, self.level = nearest_at_level(self._index, place, level), level
        if self.number != number:
            self._reveal_passed_steps()
        self._leave_hidden_step()
        return (self.place, self.level) != before

    def _reveal_passed_steps(self) -> None:
        """Reveal the steps passed; hide the one arrived at if it has something to guess."""
        until, number = self._revealed_until, self.number
        if not self.quiz_mode:
            self._revealed_until = None
        elif until is not None and number > until:
            self._revealed_until = number - 1 if self._has_answer() else number

    def _has_answer(self) -> bool:
        return self._index is not None and has_quiz_answer(step_at(self._index, self.number))

    def _leave_hidden_step(self) -> None:
        """Stay at a hidden step as a whole: what is inside would reveal its answer."""
        if self.revealed.hides_answer:
            self.place, self.level = TracePosition(step=self.number), "node"

    def set_quiz_mode(self, quiz_mode: bool) -> None:
        """Turn quiz mode on or off."""
        self.quiz_mode = quiz_mode
        self._revealed_until = self.number if quiz_mode else None

    def set_answer_hidden(self, answer_hidden: bool) -> None:
        """Hide the gradients that the current step computes, if any, or reveal them."""
        self._revealed_until = self.number if self.quiz_mode else None
        if answer_hidden and self._has_answer():
            self._revealed_until = self.number - 1
            self._leave_hidden_step()
