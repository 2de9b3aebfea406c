"""The grid of typed elements: spreadsheet keys, copy and paste."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QScrollArea,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gradviz.viewer.forms.controls import FormTextField
from gradviz.viewer.inputs.elements.cells_model import CellsModel, CellsModelIndex
from gradviz.viewer.local_keys import ELEMENT_KEYS, pressed
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font

_CORNER = 6
_ENDS = {
    Qt.Key.Key_Return: "down",
    Qt.Key.Key_Enter: "down",
    Qt.Key.Key_Tab: "right",
    Qt.Key.Key_Backtab: "left",
}


class CellDelegate(QStyledItemDelegate):
    """Applies each keystroke immediately, so that a run never misses it; Escape reverts.

    Signals:
        ended: Direction of the key that ended typing: ``down``, ``right`` or ``left``.
        left: Typing in a cell has ended, for whatever reason.
    """

    ended = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._before = ""

    def _on_editor_text_edited(self, text: str) -> None:
        self.commitData.emit(self.sender())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: CellsModelIndex
    ) -> None:
        """Mark an invalid element with a background and a line, a rounded one with a corner."""
        super().paint(painter, option, index)
        model = index.model()
        if not isinstance(model, CellsModel):
            return
        box = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if model.is_wrong(index):
            painter.setBrush(self.theme.color("error"))
            painter.drawRect(QRectF(box.left() + 2, box.bottom() - 3, box.width() - 4, 2))
        elif model.is_rounded(index):
            corner, side = box.topRight(), self.theme.px(_CORNER)
            painter.setBrush(self.theme.color("warning"))
            painter.drawPolygon(
                QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
            )
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: CellsModelIndex) -> None:
        """Give an invalid element the error colors."""
        super().initStyleOption(option, index)
        model = index.model()
        if isinstance(model, CellsModel) and model.is_wrong(index):
            option.backgroundBrush = QBrush(self.theme.color("error_fill"))
            palette = option.palette
            palette.setColor(palette.ColorRole.Text, self.theme.color("error"))

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: CellsModelIndex
    ) -> QWidget:
        """Create a text field in the cell."""
        field = FormTextField(parent=parent)
        field.setFrame(False)
        field.setAlignment(Qt.AlignmentFlag.AlignCenter)
        name = self.tr("Element [{0}, {1}]").format(index.row(), index.column())
        field.setAccessibleName(name)
        self._before = str(index.data(Qt.ItemDataRole.EditRole))
        field.textEdited.connect(self._on_editor_text_edited)
        return field

    def setEditorData(self, editor: QWidget, index: CellsModelIndex) -> None:
        """Show the element; keep the cursor where it is while typing."""
        if isinstance(editor, FormTextField):
            editor.show_value(str(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: CellsModelIndex
    ) -> None:
        """Pass the text to the model as typed."""
        if isinstance(editor, FormTextField):
            model.setData(index, editor.text())

    def destroyEditor(self, editor: QWidget, index: CellsModelIndex) -> None:
        """End the edit, so that further typing is a new one."""
        super().destroyEditor(editor, index)
        self.left.emit()

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Move down with Enter and right with Tab; revert what was typed with Escape."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(editor, event)
        key = Qt.Key(event.key())
        if not isinstance(editor, FormTextField) or (key not in _ENDS and key != Qt.Key.Key_Escape):
            return super().eventFilter(editor, event)
        if key == Qt.Key.Key_Escape:
            editor.setText(self._before)
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
        if key in _ENDS:
            self.ended.emit(_ENDS[key])
        return True


_ROW = 26
_HEADER = 20
_LEAST_COLUMN, _MOST_COLUMN = 44, 160
_MOST_ROWS = 6


class CellsView(QTableView):
    """Table view of a `CellsModel`.

    Signals:
        cleared: Positions of the elements to set to 0.
        pasted: The text, and the row and column at which it starts.
        left: Typing in a cell has ended.
    """

    cleared = Signal(object)
    pasted = Signal(str, object)
    left = Signal()

    def __init__(self, model: CellsModel, theme: Theme) -> None:
        super().__init__()
        self._cells = model
        self._theme = theme
        self._delegate = CellDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.AnyKeyPressed | triggers.EditKeyPressed | triggers.DoubleClicked
        )
        self.setTabKeyNavigation(False)
        self.setToolTip(self.tr("Type or paste the elements. Enter moves down, Tab moves right."))
        self.setCornerButtonEnabled(False)
        self.setWordWrap(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionsClickable(False)
            header.setHighlightSections(False)
            header.setSectionResizeMode(header.ResizeMode.Fixed)
            header.setMinimumSectionSize(8)
        self._delegate.ended.connect(self._on_delegate_ended)
        self._delegate.left.connect(self.left)
        model.modelReset.connect(self._on_model_reset)
        self.setStyleSheet(_style())
        set_theme_font(self, theme, SMALL_PIXELS)
        self.update_theme()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self.fit()

    def fit(self) -> None:
        """Fit the columns and the grid to their content."""
        theme, shape = self._theme, self._cells.cells.shape
        metrics = QFontMetrics(theme.font(SMALL_PIXELS))
        longest = max(self._cells.cells.texts, key=len, default="")
        width = metrics.horizontalAdvance(longest) + theme.px(16)
        width = max(theme.px(_LEAST_COLUMN), min(width, theme.px(_MOST_COLUMN)))
        self.horizontalHeader().setDefaultSectionSize(width)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self.horizontalHeader().setVisible(bool(shape))
        self.horizontalHeader().setFixedHeight(theme.px(_HEADER))
        self.verticalHeader().setVisible(len(shape) > 1)
        self.updateGeometry()

    def copied_text(self) -> str:
        """The selected elements, or the whole plane, as spreadsheet lines."""
        chosen = self.selectedIndexes()
        rows = sorted({index.row() for index in chosen}) or range(self._cells.rowCount())
        columns = sorted({index.column() for index in chosen}) or range(self._cells.columnCount())
        index = self._cells.index
        return "\n".join(
            "\t".join(str(index(row, column).data()) for column in columns) for row in rows
        )

    def copy_selection(self) -> None:
        """Copy the selected elements to the clipboard."""
        QGuiApplication.clipboard().setText(self.copied_text())

    def paste(self) -> None:
        """Request pasting the clipboard's text."""
        at = self.currentIndex()
        place = (max(0, at.row()), max(0, at.column()))
        self.pasted.emit(QGuiApplication.clipboard().text(), place)

    def clear_selection(self) -> None:
        """Request setting the selected elements to 0."""
        position = self._cells.position
        self.cleared.emit([position(at.row(), at.column()) for at in self.selectedIndexes()])

    def step(self, direction: str) -> bool:
        """Move one cell down, right or left, wrapping at the ends; False at the last cell."""
        rows, columns = self._cells.rowCount(), self._cells.columnCount()
        at = self.currentIndex()
        if not at.isValid():
            return False
        across = at.row() * columns + at.column() + (1 if direction == "right" else -1)
        down = at.column() * rows + at.row() + 1
        target = down if direction == "down" else across
        if not 0 <= target < rows * columns:
            return False
        row, column = (
            (target % rows, target // rows) if direction == "down" else divmod(target, columns)
        )
        self._go(self._cells.index(row, column))
        return True

    def _go(self, index: QModelIndex) -> None:
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flag)
        self.scrollTo(index)

    def _scroll_form(self) -> None:
        scroll_area = self.parentWidget()
        while scroll_area is not None and not isinstance(scroll_area, QScrollArea):
            scroll_area = scroll_area.parentWidget()
        inside = None if scroll_area is None else scroll_area.widget()
        if scroll_area is None or inside is None or not self.hasFocus():
            return
        cell = self.visualRect(self.currentIndex())
        corner = self.viewport().mapTo(inside, cell.bottomRight())
        scroll_area.ensureVisible(corner.x(), corner.y(), 0, cell.height())

    def _on_delegate_ended(self, direction: str) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.step(direction)

    def _on_model_reset(self) -> None:
        self.fit()
        if self._cells.rowCount():
            self._go(self._cells.index(0, 0))

    def sizeHint(self) -> QSize:
        """As wide as all columns, and high enough for a few rows."""
        theme, across = self._theme, self.horizontalHeader()
        rows, columns = self._cells.rowCount(), self._cells.columnCount()
        width = columns * across.defaultSectionSize() + 2 * self.frameWidth()
        if not self.verticalHeader().isHidden():
            width += self.verticalHeader().sizeHint().width()
        bar = self.verticalScrollBar().sizeHint().width()
        width += bar if rows > _MOST_ROWS else 0
        height = min(max(1, rows), _MOST_ROWS) * theme.px(_ROW) + 2 * self.frameWidth()
        height += 0 if across.isHidden() else theme.px(_HEADER)
        height += bar if width > self.width() else 0
        return QSize(width, height)

    def minimumSizeHint(self) -> QSize:
        """Narrower than all columns, but never lower than the preferred height."""
        hint = self.sizeHint()
        return QSize(min(60, hint.width()), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height, since a horizontal scroll bar may appear or disappear."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """Claim characters and the grid's own keys before the window's shortcuts do."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if (
            override
            and isinstance(event, QKeyEvent)
            and (pressed(ELEMENT_KEYS, event) or _types(event))
        ):
            event.accept()
            return True
        return super().event(event)

    def currentChanged(self, current: CellsModelIndex, previous: CellsModelIndex) -> None:
        """Scroll the grid and the form to the current element."""
        super().currentChanged(current, previous)
        self._scroll_form()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Scroll the form to the current element."""
        super().focusInEvent(event)
        self._scroll_form()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of a spreadsheet."""
        match pressed(ELEMENT_KEYS, event):
            case "down":
                self.step("down")
            case "zero":
                self.clear_selection()
            case "copy":
                self.copy_selection()
            case "paste":
                self.paste()
            case "leave":
                super().focusNextPrevChild(True)
            case _:
                super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move from cell to cell with Tab, and from the last cell to the next field."""
        if self.step("right" if forward else "left"):
            return True
        return super().focusNextPrevChild(forward)


def _types(event: QKeyEvent) -> bool:
    """Whether a key types a character."""
    plain = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
    text = event.text()
    return bool(text) and text.isprintable() and not event.modifiers() & ~plain


def _style() -> str:
    muted, border = sheet_color("text_muted"), sheet_color("border")
    strong, focus = sheet_color("border_strong"), sheet_color("focus")
    selection, text = sheet_color("selection"), sheet_color("selection_text")
    return f"""
        QTableView {{
            border: 1px solid {strong}; border-radius: 4px; gridline-color: {border};
            selection-background-color: {selection}; selection-color: {text};
        }}
        QTableView:focus {{ border: 1px solid {focus}; }}
        QTableView QLineEdit {{ border: 1px solid {focus}; border-radius: 0; padding: 0; }}
        QTableCornerButton::section {{ background: transparent; border: none; }}
        QHeaderView {{ background: transparent; }}
        QHeaderView::section {{
            background: transparent; color: {muted}; border: none; padding: 0 4px;
        }}
    """
