"""The scrollable sections of the inspector, each with a title by which it is folded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget

from gradviz.document.facts.fact_rows import (
    FactRow,
    FactSection,
    InspectorFacts,
    MoreRow,
    ScaleRow,
    TextRow,
    value_rows,
)
from gradviz.viewer.inspector import KEYS
from gradviz.viewer.inspector.row_filling import RowSource, SharedScale
from gradviz.viewer.inspector.row_widgets import (
    CARD_INSET,
    ChangeView,
    RowPool,
    RowWidget,
)
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, halves, height_of
from gradviz.viewer.widgets.focus_ring import order_tabs
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_GAP = 10
_ROUND = 6
_WIDE_TEXT = 34
"""Characters of a line of code that needs both columns."""
_ARROW = 14


class SectionView(ColumnLayoutWidget):
    """A header that folds and unfolds the rows below it.

    Attributes:
        header: The button with the title.
        rows: The row widgets below it, from the top.

    Signals:
        folded_changed: ``(key, folded)``.
    """

    folded_changed = Signal(object)

    def __init__(self, theme: Theme, row_pool: RowPool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row_pool = row_pool
        self.key = ""
        self.folded = False
        self.rows: list[RowWidget] = []
        self.header = QToolButton(self)
        self.header.setAutoRaise(True)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.clicked.connect(lambda: self.fold(not self.folded))
        self._hint = PlainLabel(muted=True, parent=self)
        self._becomes = PlainLabel(pixels=UI_PIXELS, bold=True, parent=self)
        self._is_wide = False
        self.header.show()
        set_theme_font(self.header, theme, UI_PIXELS, bold=True)
        self._show_arrow()

    @property
    def is_wide(self) -> bool:
        """Whether the section needs both columns."""
        return self._is_wide and not self.folded

    def show_section(
        self, section: FactSection, source: RowSource, scale: SharedScale, *, folded: bool
    ) -> None:
        """Show another section; the owner must lay the widget out afterwards.

        Folded rows get no widgets: after unfolding, the owner shows the section again.
        """
        self.key = section.key
        if self.header.accessibleName() != section.title:
            self.header.setText(section.title.replace("&", "&&"))
            self.header.setAccessibleName(section.title)
        show_text(self._hint, section.hint)
        self._becomes.setText(section.becomes)
        self._is_wide = bool(section.becomes) or any(map(_needs_both_columns, section.rows))
        rows = () if folded else section.rows
        self.rows = self._row_pool.show(rows, self.rows, self, source, scale)
        if folded != self.folded:
            self.folded = folded
            self._show_arrow()
        for row in self.rows:
            if row.parentWidget() is not self:
                row.setParent(self)
            row.show()

    def fold(self, folded: bool) -> None:
        """Fold or unfold the section."""
        if folded != self.folded:
            self.folded = folded
            for row in self.rows:
                row.setVisible(not folded)
            self._show_arrow()
            self.refresh()
            self.folded_changed.emit((self.key, folded))

    def place(self, width: int, *, move: bool) -> int:
        """Lay out header and rows, small tensors two to a line; return the height."""
        half = halves(width) if self._becomes.text() and not self.folded else 0
        self._becomes.setVisible(bool(half))
        y = self._place_header(half or width, move)
        if half and move:
            self._becomes.setGeometry(width - half + CARD_INSET, 0, half - 2 * CARD_INSET, y)
        if self.folded:
            return y
        whole = width - 2 * CARD_INSET
        own = half - 2 * CARD_INSET if half else whole
        top = y + 2
        columns = [top, top]
        most = (own - _GAP) // 2
        views = [row for row in self.rows if isinstance(row, TensorView)]
        narrow = [row for row in views if row.natural_width <= most]
        for row in self.rows:
            space = whole if isinstance(row, ChangeView) else own
            share = most
            if len(narrow) > 1 and row in narrow:
                # As in a newspaper: into the column that has more space left.
                side = int(columns[1] < columns[0])
            else:
                side, share = 0, space
                columns = [max(columns)] * 2
            height = height_of(row, share, move=move)
            if move:
                left = CARD_INSET + side * (share + _GAP)
                row.setGeometry(left, columns[side], share, height)
            columns[side] += height + _GAP
            if share == space:
                columns[1] = columns[0]
        return max(columns) - _GAP + CARD_INSET if self.rows else y

    def _place_header(self, width: int, move: bool) -> int:
        size = self.header.sizeHint()
        own = min(size.width(), width)
        hint_width = width - own - CARD_INSET
        hint = self._hint.heightForWidth(max(1, hint_width)) if not self._hint.isHidden() else 0
        below = hint > 2 * self._hint.fontMetrics().height()
        if below:
            hint = self._hint.heightForWidth(width - 2 * CARD_INSET)
        height = size.height() + hint if below else max(size.height(), hint)
        if move:
            self.header.setGeometry(0, 0, own, size.height())
            if below:
                self._hint.setGeometry(CARD_INSET, size.height(), width - 2 * CARD_INSET, hint)
            else:
                self._hint.setGeometry(own + CARD_INSET, (height - hint) // 2, hint_width, hint)
        return height

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame of the card, or of both cards if its values become others."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("border"), 1))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        half = halves(self.width())
        boxes = [box]
        if half and not self._becomes.isHidden():
            cut = self.width() - half
            boxes = [box.adjusted(0, 0, -cut, 0), box.adjusted(cut, 0, 0, 0)]
        for each in boxes:
            painter.drawRoundedRect(each, _ROUND, _ROUND)
        painter.end()

    def _show_arrow(self) -> None:
        name = "expand" if self.folded else "collapse"
        set_theme_icon(self.header, self._theme, name, "text_muted", side=_ARROW)
        state = self.tr("folded") if self.folded else self.tr("unfolded")
        self.header.setAccessibleDescription(state)
        tip = self.tr("Unfold this section (Space)")
        self.header.setToolTip(tip if self.folded else self.tr("Fold this section (Space)"))


def _needs_both_columns(row: FactRow) -> bool:
    if isinstance(row, TextRow) and row.block:
        return any(len(line) > _WIDE_TEXT for line in row.text.splitlines())
    return isinstance(row, ScaleRow)


MOST_ROWS = 24
"""Number of rows that a section shows at first, and that each request adds."""

_SIDE = 8
_BETWEEN = 8


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
        space, y = width - 2 * _SIDE, 2
        for line in self._lines(halves(space)):
            own = space if len(line) == 1 else halves(space)
            heights = [height_of(view, own, move=move) for view in line]
            for view, left, needed in zip(
                line, (_SIDE, _SIDE + space - own), heights, strict=False
            ):
                if move:
                    height = needed if view.folded else max(heights)
                    view.setGeometry(left, y, own, height)
            y += max(heights) + _BETWEEN
        return y + _SIDE

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
