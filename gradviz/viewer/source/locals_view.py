"""A table of local variables with tensor thumbnails; a click or Enter enlarges a tensor."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import Local
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text
from gradviz.text.sentences.values import is_array
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.source import KEYS
from gradviz.viewer.source.value_text import ReadElements, item_text
from gradviz.viewer.tensor_view.small.thumbnail import paint_thumbnail, thumbnail_size
from gradviz.viewer.tensor_view.tensor_text import spoken
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip

_AnyModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROLE = Qt.ItemDataRole


class LocalsModel(QAbstractTableModel):
    """One row per variable with its name and value.

    Attributes:
        limit: End of the color scale that the variables share.
    """

    def __init__(self) -> None:
        super().__init__()
        self._index: TraceIndex | None = None
        self._elements: ReadElements = lambda _: None
        self._locals: tuple[Local, ...] = ()
        self.limit = 0.0

    @property
    def rows(self) -> tuple[Local, ...]:
        """The variables shown."""
        return self._locals

    def show_locals(
        self, index: TraceIndex, rows: tuple[Local, ...], elements: ReadElements
    ) -> None:
        """Show variables; if their number is unchanged, update the rows without a reset."""
        self._index, self._elements = index, elements
        numbers = (row.item.tensor for row in rows)
        values = (elements(each) for each in numbers if each is not None)
        self.limit = shared_color_limit(each.array() for each in values if each is not None)
        if len(rows) == len(self._locals):
            self._locals = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 1))
            return
        self.beginResetModel()
        self._locals = rows
        self.endResetModel()

    def clear(self) -> None:
        """Remove all rows."""
        self.beginResetModel()
        self._index, self._locals = None, ()
        self.endResetModel()

    def local(self, row: int) -> Local | None:
        """Return the variable in a row, or None if there is no such row."""
        return self._locals[row] if 0 <= row < len(self._locals) else None

    def record(self, row: int) -> TensorRecord | None:
        """Return the tensor record of a row, or None if its value is not a tensor."""
        local = self.local(row)
        if local is None or self._index is None or local.item.tensor is None:
            return None
        known = local.item.tensor in self._index.tensor
        return self._index.tensor[local.item.tensor] if known else None

    def value_text(self, row: int) -> str:
        """Return the value as text; for a tensor, shape, numbers and dtype."""
        local, record = self.local(row), self.record(row)
        if local is None or self._index is None:
            return ""
        text = item_text(self._index, local.item, self._elements)
        if record is None:
            return text
        return f"{text} · {record.dtype}"

    def is_numpy(self, row: int) -> bool:
        """Return whether the value is a NumPy array, which autograd does not track."""
        local = self.local(row)
        return local is not None and is_array(local.item)

    def tip(self, row: int) -> str:
        """Return the full description of a variable, for tooltips and screen readers."""
        local, record = self.local(row), self.record(row)
        if local is None:
            return ""
        item: Item = local.item
        spoken_text = spoken(item.name, record) if record is not None else None
        text = spoken_text or translate("Source", "{name}: {value}").format(
            name=item.name, value=self.value_text(row)
        )
        if self.is_numpy(row):
            text = translate("Source", "{text} (NumPy: not tracked by autograd)").format(text=text)
        if local.fresh:
            text = translate("Source", "{text}; set by this line").format(text=text)
        return text

    def kind_text(self, row: int) -> str:
        """Return a tensor's shape, dtype and non-CPU device; empty for other values."""
        record = self.record(row)
        if record is None:
            return ""
        kind = f"{record_shape_text(record)} {record.dtype}"
        return kind if record.device == "cpu" else f"{kind} · {record.device}"

    def data(self, index: _AnyModelIndex, role: int = _ROLE.DisplayRole) -> object:
        """Return the name, value, tooltip or accessible text of a cell."""
        local = self.local(index.row())
        if local is None:
            return None
        if role == _ROLE.DisplayRole:
            return local.item.name if index.column() == 0 else self.value_text(index.row())
        if role == _ROLE.AccessibleTextRole:
            return self.tip(index.row())
        if role == _ROLE.ToolTipRole:
            return plain_tooltip(self.tip(index.row()))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        """Return the title of a column."""
        if role != _ROLE.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return translate("Source", "Name") if section == 0 else translate("Source", "Value")

    def rowCount(self, parent: _AnyModelIndex = _ROOT) -> int:
        """Return the number of variables."""
        return 0 if parent.isValid() else len(self._locals)

    def columnCount(self, parent: _AnyModelIndex = _ROOT) -> int:
        """Return 2: name and value."""
        return 0 if parent.isValid() else 2


_ROW, _PICTURE, _GAP = 26, 110, 6
"""Row height, maximum thumbnail width and gap, before the theme's scale factor."""

_MOST_NAME = 0.5
"""Maximum share of the width for the name column."""


class LocalsView(QTableView):
    """A table view of a `LocalsModel`.

    Signals:
        row_chosen: Number of a row that was clicked or on which Enter was pressed.
    """

    row_chosen = Signal(object)

    def __init__(self, theme: Theme, elements: ReadElements, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = LocalsModel()
        self._delegate = _Delegate(self.rows, elements, theme)
        self.setModel(self.rows)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.clicked.connect(self._on_row_clicked)
        self.rows.modelReset.connect(self._on_rows_changed)
        self.rows.dataChanged.connect(self._on_rows_changed)
        self._theme = theme
        wear(self, theme, SMALL_PIXELS)
        self.dress()

    def dress(self) -> None:
        """Repaint with another theme."""
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(self._theme.px(_ROW))
        self._fit()
        self.viewport().update()

    def _fit(self) -> None:
        """Size the name column to its contents, up to its maximum share."""
        theme = self._delegate.theme
        metrics = QFontMetrics(theme.font(SMALL_PIXELS, bold=True))
        names = (local.item.name for local in self.rows.rows)
        wide = max((metrics.horizontalAdvance(name) for name in names), default=0)
        wide = min(wide + theme.px(26), round(self.viewport().width() * _MOST_NAME))
        if wide != self.columnWidth(0):
            self.setColumnWidth(0, wide)

    @Slot()
    def _on_rows_changed(self) -> None:
        self._fit()

    @Slot(QModelIndex)
    def _on_row_clicked(self, place: QModelIndex) -> None:
        self.row_chosen.emit(place.row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the name column."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enlarge the tensor on Enter; leave Left and Right to the panel, where they step."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_chosen.emit(self.currentIndex().row())
        elif pressed(KEYS, event) in ("next", "previous", "first", "last"):
            event.ignore()
        else:
            super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    """Paints variable names and values."""

    def __init__(self, rows: LocalsModel, elements: ReadElements, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._rows = rows
        self._elements = elements

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        painter.save()
        self._paint_ground(painter, option)
        gap = self.theme.px(_GAP)
        if index.column() == 0:
            self._paint_name(painter, option.rect.adjusted(gap, 0, -2, 0), index.row())
        else:
            self._paint_value(painter, option.rect.adjusted(2, 0, -gap, 0), index.row())
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the same height for every row."""
        return QSize(0, self.theme.px(_ROW))

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        states, theme = QStyle.StateFlag, self.theme
        if option.state & states.State_Selected:
            painter.fillRect(option.rect, theme.color("selection"))
        elif option.state & states.State_MouseOver:
            painter.fillRect(option.rect, theme.color("raised"))
        painter.setPen(QPen(theme.color("border"), 1))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())

    def _paint_name(self, painter: QPainter, box: QRect, row: int) -> None:
        """Paint the name in bold with a dot if the current line set the variable."""
        local, theme = self._rows.local(row), self.theme
        if local is None:
            return
        font = theme.font(SMALL_PIXELS, bold=local.fresh)
        if local.fresh:
            side = theme.px(6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawEllipse(QRectF(box.left(), box.center().y() - side / 2, side, side))
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        _write(painter, box.adjusted(theme.px(10), 0, 0, 0), local.item.name)

    def _paint_value(self, painter: QPainter, box: QRect, row: int) -> None:
        record, theme = self._rows.record(row), self.theme
        value = None if record is None else self._elements(record.id)
        text = self._rows.value_text(row)
        if value is not None and record is not None and record.shape and record.count:
            box = self._paint_picture(painter, box, value)
            text = self._rows.kind_text(row)
        if self._rows.is_numpy(row):
            box = self._paint_tag(painter, box)
        painter.setFont(theme.font(SMALL_PIXELS))
        painter.setPen(theme.color("text" if record is None else "text_muted"))
        _write(painter, box, text)

    def _paint_picture(self, painter: QPainter, box: QRect, value: TensorValue) -> QRect:
        """Paint a thumbnail of the elements; return the rest of the cell."""
        theme = self.theme
        most = QSizeF(min(theme.px(_PICTURE), box.width() * 0.6), box.height() - 4)
        size = thumbnail_size(value, most)
        place = QRectF(box.left(), box.center().y() - size.height() / 2, *size.toTuple())
        paint_thumbnail(painter, place, value, theme, self._rows.limit)
        return box.adjusted(round(size.width()) + theme.px(_GAP), 0, 0, 0)

    def _paint_tag(self, painter: QPainter, box: QRect) -> QRect:
        """Tag the array as not tracked by autograd; return the rest of the cell."""
        theme, text = self.theme, self.tr("NumPy: not tracked by autograd")
        painter.setFont(theme.font(SMALL_PIXELS - 1))
        wide = min(painter.fontMetrics().horizontalAdvance(text) + theme.px(10), box.width())
        tag = QRect(box.left(), box.top() + 4, wide, box.height() - 8)
        painter.setPen(theme.color("warning"))
        painter.setBrush(theme.color("warning_fill"))
        painter.drawRoundedRect(tag, 4, 4)
        _write(painter, tag.adjusted(theme.px(5), 0, -2, 0), text)
        return box.adjusted(wide + theme.px(_GAP), 0, 0, 0)


def _write(painter: QPainter, box: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
