"""A document as a Qt item model: of lists, tables and trees, with text that stays text."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import cast, overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QLineF,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.display.cards import kind_role
from gradviz.model.graph_sketch import SKETCH_SIZE, GraphSketch, SketchBox
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Name, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TOP = -1
"""Stands for the row above those of the first level."""
_COLORS: dict[FieldTone, PaletteRole] = {
    "muted": "text_muted",
    "accent": "accent",
    "ok": "ok",
    "warning": "warning",
    "error": "error",
}
_ICON_COLORS: dict[str, PaletteRole] = {"error": "error", "warning": "warning", "check": "ok"}
_SIGNS: dict[str, PaletteRole] = {
    "sign-custom": "custom_border",
    "sign-builtin": "builtin_border",
    "sign-leaf": "leaf_border",
    "sign-failing": "failing_border",
    "sign-step": "status_now",
    "sign-now": "accent",
    "sign-stop": "border_strong",
    "sign-error": "error",
    "sign-origin": "text_muted",
}
"""Colors of the signs of nodes, which are squares, and of steps, which are discs."""

_SQUARES = frozenset({"sign-custom", "sign-builtin", "sign-leaf", "sign-failing"})
_NO_FIELD = Field()
_FLAGS = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_NO_ROWS = range(0)
_FIRST_ROWS = 2000
"""Rows of the first level that a view gets at once, as it lays out each; the others follow."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


_WIDTH, _HEIGHT = 48, 36
"""Size in pixels, before the theme's scale factor."""

_INSET, _ROUND, _LEAST = 3.0, 1.5, 2.5


def sketch_pixmap(sketch: GraphSketch, theme: Theme) -> QPixmap:
    """Return a picture of a graph in the colors of a theme, sharp on the sharpest screen."""
    app = QGuiApplication.instance()
    ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    return _painted(sketch, theme.name, theme.scale, ratio)


# By what a theme consists of, as it changes in place.
@lru_cache(maxsize=256)
def _painted(sketch: GraphSketch, name: Name, type_scale: float, ratio: float) -> QPixmap:
    theme = Theme(name=name, scale=type_scale)
    width, height = theme.px(_WIDTH), theme.px(_HEIGHT)
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme.color("border"))
    painter.setBrush(theme.color("canvas"))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), 3, 3)
    rects = [_rect(box, width, height) for box in sketch.boxes]
    painter.setPen(QPen(theme.color("text_muted"), 0.8))
    for source, target in sketch.lines:
        painter.drawLine(QLineF(rects[source].center(), rects[target].center()))
    for box, rect in zip(sketch.boxes, rects, strict=True):
        kind = cast("DrawnKind", box.kind)
        painter.setPen(QPen(theme.color(kind_role(kind, "border")), 0.9))
        painter.setBrush(theme.color(kind_role(kind, "fill")))
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
    painter.end()
    return pixmap


def _rect(box: SketchBox, width: int, height: int) -> QRectF:
    """Where a box is in a picture, large enough to be seen."""
    across = (width - 2 * _INSET) / SKETCH_SIZE[0]
    down = (height - 2 * _INSET) / SKETCH_SIZE[1]
    rect = QRectF(box.x * across, box.y * down, box.width * across, box.height * down)
    middle = rect.center()
    rect.setSize(rect.size().expandedTo(QRectF(0, 0, _LEAST, _LEAST).size()))
    rect.moveCenter(middle)
    return rect.translated(_INSET, _INSET)


class RowsModel(QAbstractItemModel):
    """The rows of a `Document`, which are made when they are shown.

    Signals:
        toggled: Key of the row whose box the user clicked, and whether it is to be checked.
    """

    toggled = Signal(object, bool)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.document = Document()
        self._keys: list[Hashable] = []
        self._outer: list[int] = []
        self._fetched = 0
        self._inside: dict[int, range] = {}
        self._numbers: dict[Hashable, int] = {}
        self._rows: dict[int, Row] = {}

    def show(self, document: Document) -> bool:
        """Show another document; return whether there are other rows, not only other contents."""
        old = self.document
        if (document.titles, document.keys, document.below) == (old.titles, old.keys, old.below):
            self.document = document
            self.refresh()
            return False
        self.beginResetModel()
        self.document, self._rows = document, {}
        self._number_rows()
        self._fetched = min(_FIRST_ROWS, len(document.keys))
        self.endResetModel()
        return True

    def _number_rows(self) -> None:
        """Give each row a number, so that those inside a row are consecutive."""
        document = self.document
        self._keys = list(document.keys)
        self._outer = [_TOP] * len(self._keys)
        self._inside = {_TOP: range(len(self._keys))}
        # The list grows while it is read.
        for number, key in enumerate(self._keys):
            inside = document.below.get(key, ())
            if inside:
                first = len(self._keys)
                self._inside[number] = range(first, first + len(inside))
                self._keys += inside
                self._outer += [number] * len(inside)
        self._numbers = {key: number for number, key in enumerate(self._keys)}

    def refresh(self) -> None:
        """Make the rows again that were made, as views lay out all rows that may have changed."""
        made, self._rows = self._rows, {}
        last = self.columnCount() - 1
        for number in made:
            self.dataChanged.emit(self._index(number, 0), self._index(number, last))

    def update_theme(self) -> None:
        """Make the rows again in another theme."""
        self.refresh()

    def key_at(self, place: AnyIndex) -> Hashable | None:
        """Return the key of a row; None for an invalid index."""
        return self._keys[place.internalId()] if place.isValid() else None

    def place_of(self, key: Hashable | None, column: int = 0) -> QModelIndex:
        """Return the index of a key's row; an invalid one if there is none."""
        number = self._numbers.get(key)
        if number is None:
            return _ROOT
        if self._outer[number] == _TOP and number >= self._fetched:
            self._fetch(number + _FIRST_ROWS)
        return self._index(number, column)

    def shown_headings(self) -> list[QModelIndex]:
        """Return the headings that views have already."""
        found = (self._numbers[key] for key in self.document.headings)
        is_later = range(self._fetched, len(self.document.keys))
        return [self._index(each, 0) for each in found if each not in is_later]

    def canFetchMore(self, parent: AnyIndex) -> bool:
        """Tell whether there are more rows of the first level."""
        return not parent.isValid() and self._fetched < len(self.document.keys)

    def fetchMore(self, parent: AnyIndex) -> None:
        """Add more rows where there are many, as a view lays out all of them again."""
        self._fetch(self._fetched + max(_FIRST_ROWS, self._fetched // 4))

    def _fetch(self, count: int) -> None:
        """Let views have a number of rows of the first level."""
        count = min(count, len(self.document.keys))
        if count > self._fetched:
            self.beginInsertRows(_ROOT, self._fetched, count - 1)
            self._fetched = count
            self.endInsertRows()

    def row_at(self, place: AnyIndex) -> Row:
        """Return the row of a valid index."""
        number = place.internalId()
        if number not in self._rows:
            self._rows[number] = self.document.row(self._keys[number])
        return self._rows[number]

    def field_at(self, place: AnyIndex) -> Field:
        """Return the field of a valid index."""
        fields = self.row_at(place).fields
        return fields[place.column()] if place.column() < len(fields) else _NO_FIELD

    def _index(self, number: int, column: int) -> QModelIndex:
        row = number - self._inside[self._outer[number]].start
        return self.createIndex(row, column, number)

    def _inside_of(self, parent: AnyIndex) -> range:
        if not parent.isValid():
            return range(self._fetched)
        return _NO_ROWS if parent.column() else self._inside.get(parent.internalId(), _NO_ROWS)

    def index(self, row: int, column: int, parent: AnyIndex = _ROOT) -> QModelIndex:
        """Return the index of a field."""
        inside = self._inside_of(parent)
        if not (0 <= row < len(inside) and 0 <= column < self.columnCount()):
            return QModelIndex()
        return self.createIndex(row, column, inside[row])

    @overload
    def parent(self) -> QObject | None: ...
    @overload
    def parent(self, place: AnyIndex) -> QModelIndex: ...
    def parent(self, place: AnyIndex | None = None) -> QObject | QModelIndex | None:
        """Return the view, or the index of the row above."""
        if place is None:
            return super().parent()
        outer = self._outer[place.internalId()] if place.isValid() else _TOP
        return QModelIndex() if outer == _TOP else self._index(outer, 0)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of rows inside a row."""
        return len(self._inside_of(parent))

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return len(self.document.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the title of a column."""
        if orientation != Qt.Orientation.Horizontal or section >= self.columnCount():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.document.titles[section]
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.document.titles[section])
            case Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT
            case _:
                return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Tell which fields have a box."""
        # Views ask this for each row, so rows must not be made here.
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if not index.column() and self.document.has_boxes:
            return _FLAGS | Qt.ItemFlag.ItemIsUserCheckable
        return _FLAGS

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a field's value of a role."""
        if not index.isValid():
            return None
        row, field = self.row_at(index), self.field_at(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return field.text
            case Qt.ItemDataRole.AccessibleTextRole:
                # Screen readers read the first field of a row, so it contains the whole row.
                return field.tip or field.text if index.column() else row.sentence
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(field.tip or field.text)
            case Qt.ItemDataRole.CheckStateRole if row.is_on is not None and not index.column():
                return Qt.CheckState.Checked if row.is_on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if field.is_number else _LEFT
            case _:
                return self._look(row, field, role)

    def _look(self, row: Row, field: Field, role: int) -> object:
        """Return color, font or icon of a field."""
        match role:
            case Qt.ItemDataRole.FontRole:
                return self._font(row, field)
            case Qt.ItemDataRole.ForegroundRole if field.tone in _COLORS:
                return self._theme.color(_COLORS[field.tone])
            case Qt.ItemDataRole.BackgroundRole if field.is_marked:
                return self._theme.color("accent_soft")
            case Qt.ItemDataRole.BackgroundRole if row.is_found:
                return self._theme.color("search_hit")
            case Qt.ItemDataRole.BackgroundRole if row.is_now:
                return self._theme.color("current_line")
            case Qt.ItemDataRole.DecorationRole if field.sketch is not None:
                return sketch_pixmap(field.sketch, self._theme)
            case Qt.ItemDataRole.DecorationRole if field.icon in _SIGNS:
                return _sign(field.icon, self._theme)
            case Qt.ItemDataRole.DecorationRole if field.icon:
                color = _ICON_COLORS.get(field.icon, "text_muted")
                return icon(field.icon, self._theme, color)
            case _:
                return None

    def _font(self, row: Row, field: Field) -> QFont | None:
        bold = field.strong or field.is_marked or row.is_now
        if not (bold or field.mono):
            return None
        pixels = SMALL_PIXELS if field.mono else UI_PIXELS
        return self._theme.font(pixels, bold=bold, mono=field.mono)

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Announce that the user has clicked a box; its owner then shows the new state."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggled.emit(self.key_at(index), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


def _sign(name: str, theme: Theme) -> QPixmap:
    """A square or a disc in the color of a kind of node, or of a step."""
    side = theme.px(10)
    pixmap = QPixmap(side + 2, side + 2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color(_SIGNS[name]), 2))
    corner = 2.5 if name in _SQUARES else side / 2
    painter.drawRoundedRect(QRectF(1, 1, side, side), corner, corner)
    painter.end()
    return pixmap
