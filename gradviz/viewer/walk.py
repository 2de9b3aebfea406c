"""Movement through a trace: position, stepping level, and what quiz mode still hides."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.model.conceal import has_answer
from gradviz.model.index import Index
from gradviz.model.levels import at_level, into, next_place, out, previous_place
from gradviz.model.places import Level, Place, is_finer
from gradviz.model.query import step_at
from gradviz.model.units import units

Way = tuple[Place, Level]


class Walk:
    """Position in one trace; `gradviz.viewer.state.ViewerState` emits the signals for it.

    Attributes:
        place: Current position; None without a trace.
        level: Stepping level.
        guessing: Whether quiz mode is on: each step forward hides what it computes.
    """

    def __init__(self) -> None:
        self.place: Place | None = None
        self.level: Level = "node"
        self.guessing = False
        self._told: int | None = None
        self._index: Index | None = None

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 without a trace."""
        return 0 if self.place is None else self.place.step

    @property
    def count(self) -> int:
        """Number of steps in the trace."""
        return 0 if self._index is None else len(self._index.trace.steps)

    @property
    def concealed(self) -> bool:
        """Whether quiz mode hides what the current step computes."""
        return self._told is not None and self.number > self._told

    @property
    def told(self) -> int:
        """Number of the last revealed step."""
        return self.count if self._told is None else self._told

    def begin(self, index: Index | None) -> None:
        """Start at the first step of another trace."""
        self._index = index
        number = min(1, self.count)
        self.place = None
        if index is not None and number:
            self.place = at_level(index, Place(step=number), self._level_of_steps())
        self._told = number if self.guessing else None

    def replace(self, index: Index) -> None:
        """Replace the trace by an extended version of it, keeping the position."""
        self._index = index

    def way_to(self, number: int) -> Way | None:
        """Return the target for a step number, clamped to the trace; None if already there."""
        number = max(min(1, self.count), min(number, self.count))
        if number in (0, self.number):
            return None
        return Place(step=number), self._level_of_steps()

    def _level_of_steps(self) -> Level:
        """Return the level to arrive at a step with: quiz mode must not show what is inside."""
        return "node" if self.guessing or self.level == "pass" else self.level

    def way_into(self) -> Way | None:
        """Return the target one level down; None if nothing is inside or it is still hidden."""
        if self._index is None or self.place is None or self.concealed:
            return None
        return into(self._index, self.place, self.level)

    def way_out(self) -> Way | None:
        """Return the target one level up; None on the outermost level."""
        if self._index is None or self.place is None:
            return None
        return out(self._index, self.place, self.level)

    def way_on(self) -> Way | None:
        """Return the target one step forward; None at the end."""
        return self._way_beside(next_place)

    def way_back(self) -> Way | None:
        """Return the target one step back; None at the beginning."""
        return self._way_beside(previous_place)

    def way_first(self) -> Way | None:
        """Return the target at the beginning of the run."""
        if self._index is None or self.place is None:
            return None
        level = "node" if self.guessing else self.level
        return units(self._index, 1, level)[0], level

    def way_last(self) -> Way | None:
        """Return the target at the end of the run."""
        if self._index is None or self.place is None:
            return None
        level = "node" if self.guessing else self.level
        return at_level(self._index, units(self._index, self.count, level)[-1], level), level

    def _way_beside(self, beside: Callable[[Index, Place, Level], Place | None]) -> Way | None:
        if self._index is None or self.place is None:
            return None
        place = beside(self._index, self.place, self.level)
        if place is None:
            return None
        if self.guessing and place.step != self.number:
            return Place(step=place.step), "node"
        return place, self.level

    def go(self, place: Place, level: Level | None = None) -> bool:
        """Go to a position; see `gradviz.viewer.state.ViewerState.go_to_place`.

        Returns:
            Whether anything has changed.
        """
        if self._index is None:
            return False
        level = level or self.level
        if is_finer(place.level, "node" if level == "pass" else level):
            level = place.level
        place = at_level(self._index, place, level)
        if (place, level) == (self.place, self.level):
            return False
        moved = place.step != self.number
        self.place, self.level = place, level
        if moved:
            self._tell_up_to(place.step)
        return True

    def _tell_up_to(self, number: int) -> None:
        """Reveal the steps passed; hide the one arrived at if it has something to guess."""
        if not self.guessing:
            self._told = None
        elif self._told is not None and number > self._told and self._index is not None:
            asks = has_answer(step_at(self._index, number))
            self._told = number - 1 if asks else number

    def guess(self, guessing: bool) -> None:
        """Turn quiz mode on or off."""
        self.guessing = guessing
        self._told = self.number if guessing else None

    def conceal(self, concealed: bool) -> None:
        """Hide what the current step computes, or reveal it."""
        self._told = self.number if self.guessing else None
        if concealed:
            self._told = self.number - 1
            if self.place is not None:
                self.place = Place(step=self.number)
                self.level = "node"
