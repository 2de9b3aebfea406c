"""The view of every list, table and tree of rows: how it looks, keys, clicks, copy and menu."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from gradviz.document.document import Document, Field, Row
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.commands.context_menu import ContextMenu, copy_text
from gradviz.viewer.local_keys import KeyScope, pressed
from gradviz.viewer.rows.rows_model import AnyIndex, RowsModel
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.focus_ring import FocusRing

ROW_PIXELS, LINE_PIXELS = 26, 16
"""Height of a row of one line, and of one that is a line of text, in an unscaled theme."""

_EDGE, _GAP, _BAR = 4, 8, 3
_DECORATION = Qt.ItemDataRole.DecorationRole
_MOST_SHARE = 0.6
"""Largest part of a field that a picture before a text takes."""

_PICTURE, _WIDE = (66, 44), 110
"""Largest sizes of pictures, in high rows and in those of one line."""

_INDENTATION = 14
_LEAST = 48
_PADDING = 16
_MEASURED = 400
"""Most rows whose texts are measured for the width of a column."""

FillRowMenu = Callable[[QMenu, Hashable], None]
"""Adds the entries of a panel for the row of a key, before those that every row has."""


@dataclass(frozen=True, slots=True)
class ColumnWidth:
    """How wide a column is, in pixels of an unscaled theme.

    Attributes:
        least: Width that it needs.
        grows: Its part of the width that all columns leave; the last one takes it if none grows.
        most: It is as wide as its texts, up to this; 0 if its texts do not matter.
        drop: Columns with a higher number are hidden sooner if there is no room; 0 is never.
    """

    least: int
    grows: float = 0
    most: int = 0
    drop: int = 0


class RowsDelegate(QStyledItemDelegate):
    """Makes rows high enough to be read and hit, and paints what is not the text of a field.

    Args:
        theme: Colors and fonts.
        view: The view of the rows.
    """

    def __init__(self, theme: Theme, view: RowsView) -> None:
        super().__init__(view)
        self.theme = theme
        self._rows, self._room = view.rows, view

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Give a selected field the same colors in every style, focused or not."""
        super().initStyleOption(option, index)
        if option.state & QStyle.StateFlag.State_Selected:
            option.state &= ~QStyle.StateFlag.State_Selected
            option.backgroundBrush = QBrush(self.theme.color("selection"))
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.Text, self.theme.color("selection_text"))
            option.palette = palette

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one field."""
        row, field = self._rows.row_at(index), self._rows.field_at(index)
        end, note = self._end_of(row), row.note if self._room.is_list else ""
        if end or note:
            self._paint_list_row(painter, option, index, (end, note))
        elif field.tensor is not None:
            self._paint_picture(painter, option, index, field)
        else:
            super().paint(painter, option, index)
        if field.share is not None:
            box, height = QRectF(option.rect).adjusted(_EDGE, 0, -_EDGE, 0), self.theme.px(_BAR)
            box.setTop(box.bottom() - height)
            box.setWidth(max(1.0, box.width() * field.share))
            painter.fillRect(box, self.theme.color("accent"))

    def _paint_list_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: AnyIndex,
        texts: tuple[str, str],
    ) -> None:
        """Paint a row with a text at its end, and another one below."""
        end, note = texts
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_chosen:
            painter.fillRect(option.rect, self.theme.color("selection"))
        box = option.rect.adjusted(_EDGE, 0, -_EDGE, 0)
        own = QStyleOptionViewItem(option)
        own.rect = option.rect.adjusted(0, 0, -self._end_width(end, box.width()), 0)
        if note:
            own.rect = own.rect.adjusted(0, 0, 0, -self._note_height())
        super().paint(painter, own, index)
        quiet: PaletteRole = "selection_text" if is_chosen else "text_muted"
        painter.save()
        painter.setFont(self.theme.font(SMALL_PIXELS))
        painter.setPen(self.theme.color(quiet))
        upper = QRect(box.left(), own.rect.top(), box.width(), own.rect.height())
        right, left = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
        middle, metrics = Qt.AlignmentFlag.AlignVCenter, painter.fontMetrics()
        shown = metrics.elidedText(end, Qt.TextElideMode.ElideMiddle, box.width() // 2)
        painter.drawText(upper, right | middle, shown)
        # Only this tells how wide a picture before the text is.
        self.initStyleOption(own, index)
        before = own.decorationSize.width() + _EDGE if index.data(_DECORATION) else 0
        lower = QRect(box.left(), own.rect.bottom(), box.width(), self._note_height())
        lower.setLeft(lower.left() + before)
        painter.drawText(
            lower,
            left | Qt.AlignmentFlag.AlignTop,
            metrics.elidedText(note, Qt.TextElideMode.ElideRight, lower.width()),
        )
        painter.restore()

    def _paint_picture(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: AnyIndex,
        field: Field,
    ) -> None:
        """Paint the picture of a tensor, and the text after it."""
        assert field.tensor is not None
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self.theme.color("selection"))
        space = QRectF(option.rect).adjusted(_EDGE, 0, -_EDGE, 0)
        size = thumbnail_size(field.tensor, self._most)
        top, width = space.center().y() - size.height() / 2, min(size.width(), space.width())
        if field.text:
            width = min(width, space.width() * _MOST_SHARE)
        own = QStyleOptionViewItem(option)
        own.rect = option.rect.adjusted(int(width) + _GAP, 0, 0, 0)
        super().paint(painter, own, index)
        box = QRectF(space.left(), top, width, size.height())
        paint_thumbnail(painter, box, field.tensor, self.theme, field.limit)

    @property
    def _most(self) -> QSizeF:
        """Largest size of a picture."""
        if self._room.wordWrap():
            return QSizeF(*_PICTURE)
        return QSizeF(_WIDE, self.theme.px(self._room.row_pixels) - _EDGE)

    def _end_of(self, row: Row) -> str:
        return row.fields[1].text if self._room.is_list and len(row.fields) > 1 else ""

    def _end_width(self, end: str, room: int) -> int:
        """The width of the text at a row's end with its gap, at most half of the room."""
        if not end:
            return 0
        metrics = QFontMetrics(self.theme.font(SMALL_PIXELS))
        return min(metrics.horizontalAdvance(end), room // 2) + _GAP

    def _note_height(self) -> int:
        return QFontMetrics(self.theme.font(SMALL_PIXELS)).height() + _EDGE

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the height of a row, whose texts have the width of their columns."""
        row, field, height = self._rows.row_at(index), self._rows.field_at(index), 0
        if self._room.wordWrap():
            room = self._room.room_of(index)
            room -= self._end_width(self._end_of(row), room)
            # Qt ignores an empty one.
            option.rect = QRect(0, 0, max(room, 1), 1)
            if field.tensor is not None:
                picture = thumbnail_size(field.tensor, self._most)
                height = int(picture.height()) + 2 * _EDGE
        size = super().sizeHint(option, index)
        size = size.expandedTo(QSize(0, max(height, self.theme.px(self._room.row_pixels))))
        return size + QSize(0, self._note_height() if row.note and self._room.is_list else 0)


class RowsView(QTreeView):
    """Shows a `Document`; Enter or a click goes to what a row is about.

    Args:
        theme: Colors and fonts.
        widths: Of each column; empty for a list.
        keys: The keys of the view; ``switch`` is the command of a row's box.
        clicks: Whether one click goes there, rather than two.
        wraps: Whether long texts have several lines, where there are few rows.
        of_lines: Whether rows are lines of text in the last column: as low as the text, wider than
            the view if need be, and several can be selected and copied.

    Signals:
        chosen: Key of the row, and the column, that was clicked or on which Enter was pressed.
        current_changed: Key of the new current row; None for none.
        command_pressed: Another command of its keys.
    """

    chosen = Signal(object, int)
    current_changed = Signal(object)
    command_pressed = Signal(str)

    def __init__(
        self,
        theme: Theme,
        widths: Sequence[ColumnWidth] = (),
        keys: KeyScope | None = None,
        *,
        clicks: bool = True,
        wraps: bool = False,
        of_lines: bool = False,
    ) -> None:
        super().__init__()
        self._theme, self._widths, self._keys = theme, widths, keys
        self._drawn = self._fitting = False
        self._wraps, self._of_lines = wraps, of_lines
        self._fill_row_menu: FillRowMenu | None = None
        self.rows = RowsModel(theme, self)
        self.setModel(self.rows)
        self._delegate = RowsDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(not widths or of_lines)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setIndentation(_INDENTATION)
        self.setAllColumnsShowFocus(True)
        self.setExpandsOnDoubleClick(False)
        if of_lines:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(not widths)
        self.header().sectionResized.connect(self._on_header_section_resized)
        FocusRing(self)
        self.menu = ContextMenu(self, self._fill_menu, self._menu_place)
        (self.clicked if clicks else self.doubleClicked).connect(self._choose)
        self.rows.rowsInserted.connect(self._span_headings)
        self.selectionModel().currentChanged.connect(self._on_selection_current_changed)
        set_theme_font(self, theme)
        self.update_theme()

    @property
    def is_list(self) -> bool:
        """Whether rows have no columns: the second field of each stands at its right end."""
        return not self._widths

    @property
    def row_pixels(self) -> int:
        """Height of a row of one line, in pixels of an unscaled theme."""
        return LINE_PIXELS if self._of_lines else ROW_PIXELS

    def room_of(self, place: AnyIndex) -> int:
        """Return the width of a field, in pixels."""
        width = self.viewport().width() if self.is_list else self.columnWidth(place.column())
        return width if place.column() else width - self.indentation_of(place)

    @property
    def current_key(self) -> Hashable | None:
        """Key of the current row; None for none."""
        return self.rows.key_at(self.currentIndex())

    def show_document(self, document: Document) -> None:
        """Show another document; the current row stays if it is still there."""
        key = self.current_key
        if self.rows.show(document):
            self.setRootIsDecorated(bool(document.below))
            # Measuring many rows takes long.
            wraps = self._wraps and len(document.keys) <= _MEASURED
            self.setWordWrap(wraps)
            self.setUniformRowHeights(not wraps)
            self._span_headings()
            if key is not None:
                self.go_to(key)
            self.fit()
        elif not document.below:
            # Its texts may be longer than those before.
            self.fit()

    def _span_headings(self) -> None:
        for place in self.rows.shown_headings():
            self.setFirstColumnSpanned(place.row(), place.parent(), True)

    def set_widths(self, widths: Sequence[ColumnWidth]) -> None:
        """Have other columns."""
        self._widths = widths
        self._drawn = False
        self.fit()

    def go_to(self, key: Hashable | None, column: int | None = None) -> None:
        """Make the row of a key current and bring it into view; none for None.

        Args:
            key: The key.
            column: The column of the current field; by default, it stays.
        """
        if column is None:
            column = max(self.currentIndex().column(), 0)
        place = self.rows.place_of(key, column)
        if place != self.currentIndex():
            self.setCurrentIndex(place)
        if place.isValid():
            self.scrollTo(place)

    def height_of(self, rows: int) -> int:
        """Return the height of a number of rows like the first one, in pixels."""
        return rows * self.sizeHintForIndex(self.rows.index(0, 0)).height() if rows else 0

    def add_to_menu(self, fill: FillRowMenu) -> None:
        """Put a panel's own entries before those that every row has."""
        self._fill_row_menu = fill

    def toggle(self, key: Hashable) -> None:
        """Show the rows below a row, or hide them."""
        place = self.rows.place_of(key)
        self.setExpanded(place, not self.isExpanded(place))

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        set_header_font(self.header(), self._theme.font())
        self.fit()

    def fit(self) -> None:
        """Show the columns for which there is room, unless the user has set their widths."""
        if self.wordWrap():
            # How many lines a row has depends on the width.
            self.scheduleDelayedItemsLayout()
        count = self.rows.columnCount()
        if self._drawn or len(self._widths) != count:
            return
        room = self.viewport().width()
        wanted = [self._wanted(column) for column in range(count)]
        shown = set(range(count))
        for column in sorted(shown, key=lambda each: -self._widths[each].drop):
            if self._widths[column].drop and sum(wanted[each] for each in shown) > room:
                shown.remove(column)
        free = room - sum(wanted[each] for each in shown)
        parts = {each: self._widths[each].grows for each in shown if self._widths[each].grows}
        parts = parts or {max(shown): 1.0}
        self._fitting = True
        for column in range(count):
            self.setColumnHidden(column, column not in shown)
            part = parts.get(column, 0) / sum(parts.values())
            least = self._theme.px(min(_LEAST, self._widths[column].least))
            self.setColumnWidth(column, max(least, wanted[column] + int(free * part)))
        self._fitting = False

    def _wanted(self, column: int) -> int:
        width, document = self._widths[column], self.rows.document
        title = QFontMetrics(self._theme.font()).horizontalAdvance(document.titles[column])
        wanted = max(self._theme.px(width.least), title + _PADDING)
        if not width.most or len(document.keys) > _MEASURED:
            return wanted
        keys = document.all_keys()
        if not keys or len(keys) > _MEASURED:
            return wanted
        metrics = QFontMetrics(self._theme.font(bold=True))
        for place in (self.rows.place_of(key, column) for key in keys):
            text = metrics.horizontalAdvance(self.rows.field_at(place).text)
            before = 0 if column else self.indentation_of(place)
            wanted = max(wanted, text + before + _PADDING if text else 0)
        return min(wanted, self._theme.px(width.most))

    def indentation_of(self, place: AnyIndex) -> int:
        """The width before a row's first field, in pixels, for the levels above it."""
        depth = int(self.rootIsDecorated())
        outer = self.rows.parent(place)
        while outer.isValid():
            outer, depth = outer.parent(), depth + 1
        return self.indentation() * depth

    def _fill_menu(self, menu: QMenu, at: QPoint | None) -> None:
        place = self.currentIndex() if at is None else self.indexAt(at)
        if not place.isValid():
            return
        self.setCurrentIndex(place)
        if self._fill_row_menu is not None:
            self._fill_row_menu(menu, self.rows.key_at(place))
        menu.addSeparator()
        menu.addAction(self.tr("&Copy Row")).triggered.connect(self.copy_row)
        if self._widths:
            menu.addAction(self.tr("Copy &Table")).triggered.connect(self.copy_table)

    def _menu_place(self) -> QPoint:
        return self.visualRect(self.currentIndex()).center()

    def copy_row(self) -> None:
        """Copy the current row, its texts separated by tabs, or the lines that are selected."""
        if self._of_lines:
            places = sorted(self.selectedIndexes(), key=lambda at: self.visualRect(at).top())
            copy_text("\n".join(self.rows.row_at(at).texts[-1] for at in places if not at.column()))
        elif self.currentIndex().isValid():
            copy_text("\t".join(self.rows.row_at(self.currentIndex()).texts))

    def copy_table(self) -> None:
        """Copy all rows with the titles of their columns."""
        copy_text(self.rows.document.table)

    def _switch(self) -> None:
        """Announce that the box of the current row was clicked, whichever field is current."""
        if self.currentIndex().isValid():
            is_on = self.rows.row_at(self.currentIndex()).is_on
            self.rows.toggled.emit(self.current_key, not is_on)

    def _choose(self, place: QModelIndex) -> None:
        # The first of two clicks may have led to other rows.
        if place.isValid():
            self.chosen.emit(self.rows.key_at(place), place.column())

    def _on_selection_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        self.current_changed.emit(self.rows.key_at(current))

    def _on_header_section_resized(self, column: int, old: int, new: int) -> None:
        self._drawn |= not self._fitting

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns that fit."""
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current row on Enter, copy it, or emit another command."""
        command = None if self._keys is None else pressed(self._keys, event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_row()
        elif command == "switch":
            self._switch()
        elif command:
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)


def set_header_font(header: QHeaderView, font: QFont) -> None:
    """Set the font of the titles.

    Under a style sheet, a header keeps its font until it is polished again.
    """
    header.setFont(font)
    style = header.style()
    style.unpolish(header)
    style.polish(header)
