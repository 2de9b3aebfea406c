"""The scrollable sections of the inspector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gradviz.document.facts.fact_rows import FactSection, InspectorFacts, MoreRow, value_rows
from gradviz.viewer.inspector import KEYS
from gradviz.viewer.inspector.row_filling import RowSource
from gradviz.viewer.inspector.row_widgets import RowPool
from gradviz.viewer.inspector.section_view import SectionView
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, halves, height_of
from gradviz.viewer.widgets.focus_ring import order_tabs

MOST_ROWS = 24
"""Number of rows that a section shows at first, and that each request adds."""

_INSET = 8
_GAP = 8


class InspectorBody(ColumnLayoutWidget):
    """A column of sections.

    Signals:
        folded_changed: ``(key, folded)`` of a section.
        more_requested: The same facts are to be shown again, with more rows.
    """

    folded_changed = Signal(object)
    more_requested = Signal()

    def __init__(self, theme: Theme, row_pool: RowPool) -> None:
        super().__init__()
        self._theme = theme
        self._row_pool = row_pool
        row_pool.height_changed.connect(self.refresh)
        row_pool.more_requested.connect(self._on_row_pool_more_requested)
        self._made: list[SectionView] = []
        self._count = 0
        self._facts: InspectorFacts | None = None
        self._most: dict[str, int] = {}

    @property
    def sections(self) -> tuple[SectionView, ...]:
        """The visible sections, from the top."""
        return tuple(self._made[: self._count])

    def show_facts(
        self,
        facts: InspectorFacts | None,
        source: RowSource | None,
        *,
        same: bool,
        folded: dict[str, bool],
    ) -> None:
        """Show other facts, reusing the existing widgets.

        Args:
            facts: The facts to show; None for none.
            source: The data of the rows.
            same: Whether compared tensors share a color scale.
            folded: By key, whether the user has folded or unfolded a section.
        """
        if facts != self._facts:
            self._facts = facts
            self._most.clear()
        with self.hold():
            self._show_sections(facts, source, same, folded)

    def prepare(self) -> None:
        """Create the widgets of a long section in advance, unless a section exists already."""
        if not self._made:
            self._make(1)
            self._row_pool.prepare(self._made[0], self._theme, MOST_ROWS)

    def order_tabs(self) -> None:
        """Set Qt's tab order, which follows the order of creation, to the order of the rows."""
        stops: list[QWidget] = []
        for view in self._made:
            stops.append(view.header)
            for row in view.rows:
                stops += [row, *row.findChildren(QWidget)]
        order_tabs(self, stops)

    def _show_sections(
        self,
        facts: InspectorFacts | None,
        source: RowSource | None,
        same: bool,
        folded: dict[str, bool],
    ) -> None:
        whole = facts.sections if facts is not None and source is not None else ()
        sections = [self._shortened(section) for section in whole]
        shown = (each for each in sections if not folded.get(each.key, each.folded))
        rows = [row for section in shown for row in section.rows]
        shown_values = tuple(value_rows(rows))
        if source is not None:
            source = source.with_usual(shown_values)
            scale = source.shared_scale(shown_values, same=same)
        self._make(len(sections))
        for view, section in zip(self._made, sections, strict=False):
            closed = folded.get(section.key, section.folded)
            if source is not None:
                view.show_section(section, source, scale, folded=closed)
        self._count = len(sections)
        for place, view in enumerate(self._made):
            view.setVisible(place < self._count)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the sections in a column; return the height."""
        space, y = width - 2 * _INSET, 2
        for line in self._lines(halves(space)):
            own = space if len(line) == 1 else halves(space)
            heights = [height_of(view, own, move=move) for view in line]
            for view, left, needed in zip(
                line, (_INSET, _INSET + space - own), heights, strict=False
            ):
                if move:
                    height = needed if view.folded else max(heights)
                    view.setGeometry(left, y, own, height)
            y += max(heights) + _GAP
        return y + _INSET

    def _lines(self, half: int) -> Iterator[tuple[SectionView, ...]]:
        """The sections as lines: two side by side unless one needs the whole width."""
        rest = list(self.sections)
        while rest:
            pair = half and len(rest) > 1 and not any(view.is_wide for view in rest[:2])
            count = 2 if pair else 1
            yield tuple(rest[:count])
            del rest[:count]

    def _shortened(self, section: FactSection) -> FactSection:
        """Limit a section to the rows to show, followed by a `MoreRow` for the others."""
        most = self._most.get(section.key, MOST_ROWS)
        left = len(section.rows) - most
        if left <= 0:
            return section
        more = MoreRow(key=section.key, count=left)
        return replace(section, rows=(*section.rows[:most], more))

    def _make(self, count: int) -> None:
        while len(self._made) < count:
            view = SectionView(self._theme, self._row_pool, self)
            view.folded_changed.connect(self.folded_changed)
            view.height_changed.connect(self.refresh)
            self._made.append(view)

    def _on_row_pool_more_requested(self, key: str) -> None:
        self._most[key] = self._most.get(key, MOST_ROWS) + MOST_ROWS
        self.more_requested.emit()


class InspectorScroll(QScrollArea):
    """Scrolls the body vertically; leaves the inspector's keys to the panel."""

    def __init__(self, body: InspectorBody) -> None:
        super().__init__()
        self._body = body
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(body)
        body.height_changed.connect(self.fit)

    def fit(self) -> None:
        """Fit the body; its width does not depend on whether a scroll bar is visible."""
        width = self._space()
        self._body.resize(width, self._body.settle(width))

    def scroll_with(self, event: QKeyEvent) -> None:
        """Scroll with a key, as any scroll area does."""
        super().keyPressEvent(event)

    def _space(self) -> int:
        return max(1, self.width() - self.verticalScrollBar().sizeHint().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the body to the new width."""
        super().resizeEvent(event)
        if self._body.width() != self._space():
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll with keys that are not the inspector's."""
        if pressed(KEYS, event):
            event.ignore()
        else:
            super().keyPressEvent(event)
