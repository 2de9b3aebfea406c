"""The table of the ops in a step."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gradviz.viewer.local_keys import pressed
from gradviz.viewer.ops import KEYS
from gradviz.viewer.ops.op_model import (
    HEADING_ROLE,
    INPUTS,
    LINE,
    NOTE,
    NOW_ROLE,
    OP,
    OUTPUTS,
    SHARE_ROLE,
    TIME,
    OpsModel,
)
from gradviz.viewer.ops.op_rows import OpHeading
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font

_SIGN, _EDGE, _STEP, _GAP = 14, 6, 9, 10
_BAR = 3


class OpsDelegate(QStyledItemDelegate):
    """Paints cells and headings, with an arrow in the current row."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        painter.save()
        painter.setClipRect(option.rect)
        self._paint_ground(painter, option, index)
        heading = index.data(HEADING_ROLE)
        if isinstance(heading, OpHeading):
            self._paint_heading(painter, option, heading)
        else:
            self._paint_cell(painter, option, index)
        if index.column() == OP and index.data(NOW_ROLE):
            self._paint_sign(painter, option.rect)
        painter.restore()

    def _paint_ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        heading = index.data(HEADING_ROLE)
        if index.data(NOW_ROLE):
            painter.fillRect(option.rect, self._theme.color("current_line"))
        elif isinstance(heading, OpHeading) and heading.outer:
            painter.fillRect(option.rect, self._theme.color("raised"))
        if option.state & QStyle.StateFlag.State_Selected and self._view.hasFocus():
            painter.setPen(self._theme.color("focus"))
            rect = option.rect.adjusted(0, 0, 0, -1)
            painter.drawLine(rect.topLeft(), rect.topRight())
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _paint_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, heading: OpHeading
    ) -> None:
        theme = self._theme
        header = self._view.horizontalHeader()
        left = -header.offset() + theme.px(_SIGN + _EDGE + (0 if heading.outer else _STEP))
        space = QRect(
            left,
            option.rect.top(),
            self._view.viewport().width() - left - theme.px(_EDGE),
            option.rect.height(),
        )
        bold = theme.font(SMALL_PIXELS, bold=heading.outer)
        painter.setPen(theme.color("text" if heading.outer else "text_muted"))
        space = _put(painter, space, heading.title, bold, theme.px(_GAP))
        painter.setPen(theme.color("text"))
        space = _put(
            painter, space, heading.code, theme.font(SMALL_PIXELS, mono=True), theme.px(_GAP)
        )
        painter.setPen(theme.color("text_muted"))
        _put(painter, space, heading.hint, theme.font(SMALL_PIXELS), 0)

    def _paint_cell(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme = self._theme
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        before = theme.px(_SIGN + _EDGE + 2 * _STEP) if index.column() == OP else theme.px(_EDGE)
        rect = option.rect.adjusted(before, 0, -theme.px(_EDGE), 0)
        share = index.data(SHARE_ROLE)
        if index.column() == TIME and isinstance(share, float):
            # Below the number, so that its background is the same as in other cells.
            height = theme.px(_BAR)
            bar = QRectF(
                rect.left(), rect.bottom() - height, max(1.0, rect.width() * share), height
            )
            painter.fillRect(bar, theme.color("accent"))
        painter.setFont(own.font)
        painter.setPen(own.palette.color(QPalette.ColorRole.Text))
        text = own.fontMetrics.elidedText(own.text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _paint_sign(self, painter: QPainter, rect: QRect) -> None:
        side = self._theme.px(_SIGN)
        top = rect.top() + (rect.height() - side) // 2
        place = QRect(rect.left() + self._theme.px(_EDGE) // 2, top, side, side)
        icon("next", self._theme, "accent").paint(painter, place)


def _put(painter: QPainter, space: QRect, text: str, font: QFont, gap: int) -> QRect:
    """Write text at the left of a rectangle; return the rest of the rectangle."""
    if not text or space.width() <= 0:
        return space
    painter.setFont(font)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, space.width())
    painter.drawText(space, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
    return space.adjusted(metrics.horizontalAdvance(shown) + gap, 0, 0, 0)


_WIDTHS = {OP: (160, 0.18), OUTPUTS: (70, 0.12), NOTE: (118, 0.14), TIME: (68, 0), LINE: (72, 0.08)}
"""Minimum column widths, and shares of a wide table; the inputs column gets the rest."""
_LEAST = 48
_INPUTS = 110
"""Width of the inputs column that is kept by narrowing others."""

_CUT = {OP: 116, OUTPUTS: 60, NOTE: 52}
"""Width down to which a column may be narrowed."""
_ROW, _HEADER = 22, 24


class OpsView(QTableView):
    """A table in which Enter goes to a row, and Left and Right step.

    Signals:
        row_requested: Row and column that were clicked or chosen with Enter.
        command_pressed: ``next``, ``previous`` or ``copy``.
    """

    row_requested = Signal(int, int)
    command_pressed = Signal(str)

    def __init__(self, rows: OpsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ops")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Ops in the step"))
        self._theme = theme
        self._drawn = self._fitting = False
        self.setModel(rows)
        self._delegate = OpsDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(INPUTS, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(self._on_header_section_resized)
        FocusRing(self)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self._delegate.set_theme(theme)
        self.setFont(theme.font())
        header = self.horizontalHeader()
        set_header_font(header, theme.font())
        header.setFixedHeight(theme.px(_HEADER))
        header.setMinimumSectionSize(theme.px(_LEAST))
        self.verticalHeader().setMinimumSectionSize(theme.px(_ROW))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self._fit()

    def _fit(self) -> None:
        """Set the column widths unless the user has resized a column."""
        if self._drawn:
            return
        self._fitting = True
        for column, width in self._widths().items():
            self.setColumnWidth(column, width)
        self._fitting = False

    def _widths(self) -> dict[int, int]:
        """Return the width of each column except inputs, reduced in a narrow table."""
        px, space = self._theme.px, self.viewport().width()
        widths = {
            column: max(px(least), round(share * space))
            for column, (least, share) in _WIDTHS.items()
        }
        wanted = sum(widths.values()) + px(_INPUTS)
        spare = sum(widths[column] - px(least) for column, least in _CUT.items())
        cut = max(0.0, min(1.0, (wanted - space) / max(1, spare)))
        for column, least in _CUT.items():
            widths[column] -= round(cut * (widths[column] - px(least)))
        return widths

    @Slot(int, int, int)
    def _on_header_section_resized(self, column: int, old: int, new: int) -> None:
        left_pressed = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if left_pressed and column != INPUTS and not self._fitting:
            self._drawn = True

    def reveal_row(self, row: int) -> None:
        """Make a row current and scroll it into view."""
        place = self.model().index(row, OP)
        self.setCurrentIndex(place)
        self.scrollTo(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the columns."""
        super().resizeEvent(event)
        self._fit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit `row_requested` for the clicked row."""
        super().mouseReleaseEvent(event)
        place = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and place.isValid():
            self._request(place)

    def _request(self, place: QModelIndex) -> None:
        self.row_requested.emit(place.row(), place.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the commands of the key table; Up and Down move between rows."""
        command = pressed(KEYS, event)
        if command == "go":
            if self.currentIndex().isValid():
                self._request(self.currentIndex())
        elif command in ("next", "previous", "copy"):
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)
