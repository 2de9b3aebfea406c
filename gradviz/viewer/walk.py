"""Where in a trace we are, how far a step goes, and how much of the run may be told."""

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
    """Moves through one trace; `gradviz.viewer.state.ViewerState` tells everybody about it.

    Attributes:
        place: Where we are; None without a trace.
        level: How far a step goes.
        guessing: Whether each step forward hides what it computes until it is revealed.
    """

    def __init__(self) -> None:
        self.place: Place | None = None
        self.level: Level = "node"
        self.guessing = False
        self._told: int | None = None
        self._index: Index | None = None

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 where there is none."""
        return 0 if self.place is None else self.place.step

    @property
    def count(self) -> int:
        """How many steps the trace has."""
        return 0 if self._index is None else len(self._index.trace.steps)

    @property
    def concealed(self) -> bool:
        """Whether what the current step computes is hidden."""
        return self._told is not None and self.number > self._told

    @property
    def told(self) -> int:
        """Number of the last step that may be told of."""
        return self.count if self._told is None else self._told

    def begin(self, index: Index | None) -> None:
        """Begins at the first step of another trace."""
        self._index = index
        number = min(1, self.count)
        self.place = None
        if index is not None and number:
            self.place = at_level(index, Place(step=number), self._level_of_steps())
        self._told = number if self.guessing else None

    def replace(self, index: Index) -> None:
        """Stays where it is in a trace to which something was added."""
        self._index = index

    def way_to(self, number: int) -> Way | None:
        """The way to a step; to the nearest one where there is none of that number."""
        number = max(min(1, self.count), min(number, self.count))
        if number in (0, self.number):
            return None
        return Place(step=number), self._level_of_steps()

    def _level_of_steps(self) -> Level:
        """The level on which one arrives at a step: what is to be guessed stands inside of it."""
        return "node" if self.guessing or self.level == "pass" else self.level

    def way_into(self) -> Way | None:
        """The way one level down; None where nothing lies inside, or is still to be guessed."""
        if self._index is None or self.place is None or self.concealed:
            return None
        return into(self._index, self.place, self.level)

    def way_out(self) -> Way | None:
        """The way one level up; None from the outermost one."""
        if self._index is None or self.place is None:
            return None
        return out(self._index, self.place, self.level)

    def way_on(self) -> Way | None:
        """The way one step forward; None at the end."""
        return self._way_beside(next_place)

    def way_back(self) -> Way | None:
        """The way one step back; None at the beginning."""
        return self._way_beside(previous_place)

    def way_first(self) -> Way | None:
        """The way to the beginning of the run."""
        if self._index is None or self.place is None:
            return None
        level = "node" if self.guessing else self.level
        return units(self._index, 1, level)[0], level

    def way_last(self) -> Way | None:
        """The way to the end of the run."""
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
        """Goes to a place; see `gradviz.viewer.state.ViewerState.go_to_place`.

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
        """Steps that were passed may be told of; the one arrived at only if nothing is to guess."""
        if not self.guessing:
            self._told = None
        elif self._told is not None and number > self._told and self._index is not None:
            asks = has_answer(step_at(self._index, number))
            self._told = number - 1 if asks else number

    def guess(self, guessing: bool) -> None:
        """Hides from now on what a step forward computes, or hides nothing."""
        self.guessing = guessing
        self._told = self.number if guessing else None

    def conceal(self, concealed: bool) -> None:
        """Hides what the current step computes, or reveals it."""
        self._told = self.number if self.guessing else None
        if concealed:
            self._told = self.number - 1
            if self.place is not None:
                self.place = Place(step=self.number)
                self.level = "node"
