"""Places the values of a step in the available space: smaller, shortened, or on several pages."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from PySide6.QtCore import QPoint, QRect, QSize

CELLS, SMALL_CELLS = (20, 16, 14, 12), (11, 10)
"""Font sizes of the numbers, from the preferred one, before the theme's scale factor."""

_LAST_RANK = 2

Joining = Literal["beside", "below", "apart"]
"""Where a part is placed that continues another one: on the same page, or anywhere."""

_JOININGS: tuple[Joining, ...] = ("beside", "below", "apart")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLook:
    """How a part is drawn.

    Attributes:
        cell: Font size of the numbers, before the theme's scale factor.
        most: Largest size, in pixels.
        brief: Whether only the name and the shape are drawn.
    """

    cell: int
    most: QSize
    brief: bool = False


class ValuePart(Protocol):
    """A widget that can be drawn in several sizes."""

    @property
    def has_numbers(self) -> bool:
        """Whether the cells have numbers, or a smaller font would not bring any."""

    @property
    def continues(self) -> bool:
        """Whether it stays beside the part in front of it, from which it was computed."""

    def set_look(self, look: PartLook) -> None:
        """Change the size."""

    def sizeHint(self) -> QSize:
        """Return the size with the current look."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueGroup:
    """The values of one section.

    Attributes:
        rank: 0 for what the step is about; 1 and 2 are shortened, 2 first.
        title: The title.
        parts: The values, in order.
        left_out: Their name if it is to be said that no page has space for them.
    """

    rank: int
    title: ValuePart
    parts: tuple[ValuePart, ...]
    left_out: str = ""


Placement = tuple[ValuePart, QRect]

Page = tuple[Placement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The space for values, in pixels.

    Attributes:
        size: The size of a page.
        gap: Space between two parts in a row.
        below: Space between two rows.
        joining: Where a part is placed that continues another one.
    """

    size: QSize
    gap: int
    below: int
    joining: Joining = "beside"


def pages_of(groups: Sequence[ValueGroup], space: Space) -> tuple[Page, ...]:
    """Place all groups, on one page if they fit.

    What a step saves is shortened to names and shapes rather than that numbers become small, what
    it received only if small numbers do not help. Then groups are left out, the least important
    ones first. What still does not fit goes to further pages. Numbers are left out only where even
    a page for each value has no space for them.
    """
    important = [group for group in groups if group.rank < _LAST_RANK] or groups
    topic = [group for group in groups if group.rank == 0] or important
    shortened = ((groups, 1), (important, 1), (topic, 1))
    choices = (
        *((CELLS, groups, 3), (CELLS, groups, 2), (SMALL_CELLS, groups, 2)),
        (SMALL_CELLS, important, 2),
        *((cells, *each) for cells in (CELLS, SMALL_CELLS) for each in shortened),
    )
    for needs_numbers, (cells, shown, brief_from) in itertools.product((True, False), choices):
        if not needs_numbers and _pages_have_numbers(groups, important, space):
            break
        for joining, cell in itertools.product(_JOININGS if needs_numbers else ("apart",), cells):
            tried = replace(space, joining=joining)
            set_looks(groups, cell, brief_from, tried)
            if needs_numbers and not _have_numbers(shown, brief_from):
                continue
            rows = _shelves(shown, tried, brief_from)
            if _height(rows, tried) <= space.size.height():
                return (_stacked(rows, tried),)
    # With several pages, there is space for more than names. Groups stand closer together, so that
    # what belongs together is on one page.
    space = replace(space, joining="apart")
    set_looks(groups, SMALL_CELLS[-1], _LAST_RANK, space)
    rows = _shelves(important, space, _LAST_RANK, is_dense=True)
    return tuple(_stacked(page, space) for page in _paged(rows, space))


def _have_numbers(groups: Iterable[ValueGroup], brief_from: int) -> bool:
    shown = (group for group in groups if group.rank < brief_from)
    return all(part.has_numbers for group in shown for part in group.parts)


def _pages_have_numbers(
    groups: Sequence[ValueGroup], important: Sequence[ValueGroup], space: Space
) -> bool:
    set_looks(groups, SMALL_CELLS[-1], _LAST_RANK, replace(space, joining="apart"))
    return _have_numbers(important, _LAST_RANK)


def set_looks(groups: Iterable[ValueGroup], cell: int, brief_from: int, space: Space) -> None:
    """Give all parts the same look, except that groups from a rank on are brief."""
    for group in groups:
        # Each part fits below its title.
        title = group.title.sizeHint().height()
        page = QSize(space.size.width(), space.size.height() - title)
        brief = group.rank >= brief_from
        for unit in ((group.title,), *_units(group.parts, space.joining != "apart")):
            most = page
            # The first part leaves the space that the others take.
            for part in reversed(unit):
                part.set_look(PartLook(cell=cell, most=most, brief=brief))
                taken = part.sizeHint()
                if space.joining == "beside":
                    used = QSize(taken.width() + space.gap, 0)
                else:
                    used = QSize(0, taken.height() + space.below)
                most = most - used  # Not -=, which would change `page`.


def _units(parts: Sequence[ValuePart], joined: bool) -> list[tuple[ValuePart, ...]]:
    """Return the parts, if wanted those together that continue each other."""
    units: list[tuple[ValuePart, ...]] = []
    for part in parts:
        if units and joined and part.continues:
            units[-1] = (*units[-1], part)
        else:
            units.append((part,))
    return units


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Parts placed relative to the top left corner of their row."""

    parts: tuple[Placement, ...]
    size: QSize

    def beside(self, other: _Row, gap: int) -> _Row:
        moved = tuple(
            (part, box.translated(self.size.width() + gap, 0)) for part, box in other.parts
        )
        width = self.size.width() + gap + other.size.width()
        height = max(self.size.height(), other.size.height())
        return _Row(parts=(*self.parts, *moved), size=QSize(width, height))

    def above(self, other: _Row, gap: int) -> _Row:
        moved = tuple(
            (part, box.translated(0, self.size.height() + gap)) for part, box in other.parts
        )
        height = self.size.height() + gap + other.size.height()
        width = max(self.size.width(), other.size.width())
        return _Row(parts=(*self.parts, *moved), size=QSize(width, height))


def _shelves(
    groups: Sequence[ValueGroup], space: Space, brief_from: int, *, is_dense: bool = False
) -> list[_Row]:
    """Return the groups as rows; small groups share one, and only what exceeds a page is split."""
    shelves: list[_Row] = []
    was_brief = False
    for group in groups:
        brief = group.rank >= brief_from
        between = space.gap if brief or was_brief or is_dense else 2 * space.gap
        was_brief = brief
        left = space.size.width() - between - shelves[-1].size.width() if shelves else 0
        rows = _rows_of(group, space, brief)
        whole = rows[0]
        for row in rows[1:]:
            whole = whole.above(row, space.below)
        if whole.size.height() <= space.size.height():
            rows = [whole]
        else:
            rows = _rows_of(group, space, brief, first=left)
        if rows[0].size.width() <= left:
            shelves[-1] = shelves[-1].beside(rows.pop(0), between)
        shelves += rows
    return shelves


def _rows_of(group: ValueGroup, space: Space, brief: bool, first: int = 0) -> list[_Row]:
    """Return the rows of a group: its title in front if it is brief, else above the first row.

    Args:
        group: The group.
        space: The space for all values.
        brief: Whether only names and shapes are shown.
        first: Width of the first row if a part fits into it; otherwise the whole width.
    """
    parts = (group.title, *group.parts) if brief else group.parts
    # Names alone may stand closer together than cells.
    rows = list(_flow(parts, replace(space, gap=space.gap * 2 // 3) if brief else space, first))
    if brief or not rows:
        return rows or list(_flow((group.title,), space))
    title = next(_flow((group.title,), space))
    return [title.above(rows[0], 0), *rows[1:]]


def _flow(parts: Sequence[ValuePart], space: Space, first: int = 0) -> Iterator[_Row]:
    """Place parts from left to right, in as many rows as needed."""
    row: list[Placement] = []
    x, height = 0, 0
    units = _units(parts, space.joining == "beside")
    most = first if units and _width(units[0], space) <= first else space.size.width()
    for unit in units:
        if row and x + _width(unit, space) > most:
            yield _Row(parts=tuple(row), size=QSize(x - space.gap, height))
            row, x, height = [], 0, 0
            most = space.size.width()
        for part in unit:
            size = part.sizeHint()
            row.append((part, QRect(QPoint(x, 0), size)))
            x += size.width() + space.gap
            height = max(height, size.height())
    if row:
        yield _Row(parts=tuple(row), size=QSize(x - space.gap, height))


def _width(unit: Sequence[ValuePart], space: Space) -> int:
    return sum(part.sizeHint().width() for part in unit) + space.gap * (len(unit) - 1)


def _height(rows: Sequence[_Row], space: Space) -> int:
    return sum(row.size.height() for row in rows) + space.below * max(0, len(rows) - 1)


def _stacked(rows: Iterable[_Row], space: Space) -> Page:
    placed: list[Placement] = []
    y = 0
    for row in rows:
        placed += [(part, box.translated(0, y)) for part, box in row.parts]
        y += row.size.height() + space.below
    return tuple(placed)


def _paged(rows: Sequence[_Row], space: Space) -> list[list[_Row]]:
    pages: list[list[_Row]] = [[]]
    for row in rows:
        if pages[-1] and _height([*pages[-1], row], space) > space.size.height():
            pages.append([])
        pages[-1].append(row)
    return pages
