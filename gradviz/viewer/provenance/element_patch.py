"""Small table of a tensor's elements around the marked ones."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.dependence.tensor_patch import PatchElement, TensorPatch
from gradviz.text.phrases import shape_text
from gradviz.text.provenance import element_name
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.tensor_view.number_text import exact_number, short_number
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_CELL, _ROW = 46, 22


class ElementPatch(QWidget):
    """Name, shape and elements of a patch; marked elements are bold with an arrow.

    Signals:
        element_picked: The `ElementRef` that was clicked, or activated with Enter.
    """

    element_picked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._patch: TensorPatch | None = None
        self._title = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._title.setWordWrap(False)
        self.table = QTableWidget()
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
        FocusRing(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self.table)
        column.addStretch(1)
        self.table.itemActivated.connect(self._on_table_item_activated)
        self.table.itemClicked.connect(self._on_table_item_activated)

    @property
    def patch(self) -> TensorPatch | None:
        """The elements that are shown, or None."""
        return self._patch

    @property
    def title(self) -> str:
        """Name and shape of the tensor, as text."""
        return self._title.text()

    def show_patch(self, patch: TensorPatch) -> None:
        """Show other elements."""
        self._patch = patch
        title = self.tr("{name} {shape}").format(name=patch.name, shape=shape_text(patch.shape))
        if patch.before:
            title = self.tr("{name} {shape}, at [{before}, …]").format(
                name=patch.name,
                shape=shape_text(patch.shape),
                before=", ".join(map(str, patch.before)),
            )
        self._title.setText(title)
        self.table.clear()
        self.table.setRowCount(len(patch.cells))
        self.table.setColumnCount(len(patch.cells[0]))
        self.table.verticalHeader().setVisible(bool(patch.rows))
        self.table.horizontalHeader().setVisible(bool(patch.columns))
        self.table.setVerticalHeaderLabels([str(row) for row in patch.rows])
        self.table.setHorizontalHeaderLabels([str(column) for column in patch.columns])
        self.set_theme(self._theme)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._theme = theme
        self._title.set_theme(theme)
        self.table.setFont(theme.font(SMALL_PIXELS, mono=True))
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            set_header_font(header, theme.font(SMALL_PIXELS, mono=True))
        self._fill()

    def _fill(self) -> None:
        if self._patch is None:
            return
        table, theme = self.table, self._theme
        cell_texts: list[str] = []
        for row, line in enumerate(self._patch.cells):
            for column, cell in enumerate(line):
                table.setItem(row, column, self._item(cell))
                if cell.marked:
                    cell_texts.append(self._text(cell))
        table.setAccessibleName(self._title.text())
        table.setAccessibleDescription("; ".join(cell_texts))
        metrics = table.fontMetrics()
        texts = [short_number(cell.value) for line in self._patch.cells for cell in line]
        widest = max(metrics.horizontalAdvance(f"▸ {text} ") for text in texts)
        table.horizontalHeader().setDefaultSectionSize(max(theme.px(_CELL), widest + theme.px(8)))
        table.horizontalHeader().setFixedHeight(theme.px(_ROW))
        table.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self._fit()

    def _item(self, cell: PatchElement) -> QTableWidgetItem:
        text = short_number(cell.value)
        # Color must never be the only mark.
        item = QTableWidgetItem(f"▸ {text}" if cell.marked else text)
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(plain_tooltip(self._text(cell)))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, self._text(cell))
        item.setData(Qt.ItemDataRole.UserRole, cell.element)
        if cell.marked:
            item.setFont(self._theme.font(SMALL_PIXELS, bold=True, mono=True))
            item.setBackground(QBrush(self._theme.color("accent_soft")))
        if not _is_finite(cell.value):
            item.setForeground(QBrush(self._theme.color("error")))
        return item

    def _text(self, cell: PatchElement) -> str:
        name = "" if self._patch is None else self._patch.name
        text = self.tr("{element} is {value}")
        element = element_name(name, cell.element)
        return text.format(element=element, value=exact_number(cell.value))

    def _fit(self) -> None:
        table = self.table
        table.ensurePolished()
        rows, columns = table.verticalHeader(), table.horizontalHeader()
        side = rows.sizeHint().width() if rows.isVisibleTo(table) else 0
        top = columns.height() if columns.isVisibleTo(table) else 0
        table.setFixedSize(side + columns.length() + 2, top + rows.length() + 2)
        self.setFixedWidth(max(table.width(), self._title.sizeHint().width()))

    @Slot(QTableWidgetItem)
    def _on_table_item_activated(self, item: QTableWidgetItem) -> None:
        if self._patch is not None:
            element = item.data(Qt.ItemDataRole.UserRole)
            self.element_picked.emit(ElementRef(tensor=self._patch.tensor, index=tuple(element)))


def _is_finite(value: complex | float | int | bool) -> bool:
    number = complex(value)
    return math.isfinite(number.real) and math.isfinite(number.imag)
