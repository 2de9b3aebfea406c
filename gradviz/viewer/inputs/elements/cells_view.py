"""The grid of typed elements: spreadsheet keys, copy and paste."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QFontMetrics, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QScrollArea, QSizePolicy, QTableView, QWidget

from gradviz.viewer.inputs.elements.cell_delegate import CellDelegate
from gradviz.viewer.inputs.elements.cells_model import CellsModel
from gradviz.viewer.local_keys import ELEMENT_KEYS, pressed
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font

CellsViewIndex = QModelIndex | QPersistentModelIndex

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

    def __init__(self, model: CellsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    @Slot(str)
    def _on_delegate_ended(self, direction: str) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.step(direction)

    @Slot()
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

    def currentChanged(self, current: CellsViewIndex, previous: CellsViewIndex) -> None:
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
