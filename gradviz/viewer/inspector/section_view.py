"""A foldable section of the inspector with a title."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.document.facts.fact_rows import FactRow, FactSection, ScaleRow, TextRow
from gradviz.viewer.inspector.row_filling import RowSource, SharedScale
from gradviz.viewer.inspector.row_widgets import (
    CARD_INSET,
    ChangeView,
    RowPool,
    RowWidget,
)
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, halves, height_of
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_GAP = 10
_ROUND = 6
_WIDE_TEXT = 34
"""Characters of a line of code that needs both columns."""
_ARROW = 14


class SectionView(ColumnLayoutWidget):
    """A header that folds and unfolds the rows below it.

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
        self._rows: list[RowWidget] = []
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

    @property
    def rows(self) -> tuple[RowWidget, ...]:
        """The row widgets below the header, from the top."""
        return tuple(self._rows)

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
        self._rows = self._row_pool.show(rows, self._rows, self, source, scale)
        if folded != self.folded:
            self.folded = folded
            self._show_arrow()
        for row in self._rows:
            if row.parentWidget() is not self:
                row.setParent(self)
            row.show()

    def fold(self, folded: bool) -> None:
        """Fold or unfold the section."""
        if folded != self.folded:
            self.folded = folded
            for row in self._rows:
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
        views = [row for row in self._rows if isinstance(row, TensorView)]
        narrow = [row for row in views if row.natural_width <= most]
        for row in self._rows:
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
        return max(columns) - _GAP + CARD_INSET if self._rows else y

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
