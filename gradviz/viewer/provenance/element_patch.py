"""Small table of a tensor's elements around the marked ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QVBoxLayout, QWidget

from gradviz.analysis.dependence.tensor_patch import PatchElement, TensorPatch
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.text.phrases import shape_text
from gradviz.text.provenance import element_name
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.row_model import Cell
from gradviz.viewer.widgets.row_table import RowTable

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
        self._non_finite: PaletteRole = "error"
        self._title = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._title.setWordWrap(False)
        self.table = RowTable()
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self.table)
        column.addStretch(1)
        self.table.cell_chosen.connect(self._on_table_cell_chosen)
        wear(self.table, theme, SMALL_PIXELS, mono=True)
        self.dress()

    @property
    def patch(self) -> TensorPatch | None:
        """The elements that are shown, or None."""
        return self._patch

    @property
    def title(self) -> str:
        """Name and shape of the tensor, as text."""
        return self._title.text()

    def show_patch(self, patch: TensorPatch, non_finite: PaletteRole = "error") -> None:
        """Show other elements, with NaN and Inf in this color."""
        self._patch, self._non_finite = patch, non_finite
        title = self.tr("{name} {shape}").format(name=patch.name, shape=shape_text(patch.shape))
        if patch.before:
            title = self.tr("{name} {shape}, at [{before}, …]").format(
                name=patch.name,
                shape=shape_text(patch.shape),
                before=", ".join(map(str, patch.before)),
            )
        self._title.setText(title)
        columns = list(map(str, patch.columns)) or [""] * len(patch.cells[0])
        self.table.row_model.set_titles(columns, list(map(str, patch.rows)))
        self.table.row_model.show(map(self._cells, patch.cells))
        self.table.verticalHeader().setVisible(bool(patch.rows))
        self.table.horizontalHeader().setVisible(bool(patch.columns))
        self.dress()

    def dress(self) -> None:
        """Apply another theme."""
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            set_header_font(header, self._theme.font(SMALL_PIXELS, mono=True))
        self._fill()

    def _fill(self) -> None:
        if self._patch is None:
            return
        table, theme = self.table, self._theme
        table.row_model.update(map(self._cells, self._patch.cells))
        cells = [cell for line in self._patch.cells for cell in line]
        table.setAccessibleName(self._title.text())
        table.setAccessibleDescription("; ".join(self._text(each) for each in cells if each.marked))
        metrics = table.fontMetrics()
        widest = max(metrics.horizontalAdvance(f"▸ {number_text(cell.value)} ") for cell in cells)
        table.horizontalHeader().setDefaultSectionSize(max(theme.px(_CELL), widest + theme.px(8)))
        table.horizontalHeader().setFixedHeight(theme.px(_ROW))
        table.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self._fit()

    def _cells(self, cells: Sequence[PatchElement]) -> list[Cell]:
        return [self._cell(each) for each in cells]

    def _cell(self, cell: PatchElement) -> Cell:
        text = number_text(cell.value)
        look: dict[int, object] = {
            Qt.ItemDataRole.TextAlignmentRole: Qt.AlignmentFlag.AlignRight
            | Qt.AlignmentFlag.AlignVCenter
        }
        if cell.marked:
            look[Qt.ItemDataRole.FontRole] = self._theme.font(SMALL_PIXELS, bold=True, mono=True)
            look[Qt.ItemDataRole.BackgroundRole] = self._theme.color("accent_soft")
        if not _is_finite(cell.value):
            look[Qt.ItemDataRole.ForegroundRole] = self._theme.color(self._non_finite)
        whole = self._text(cell)
        # Color must never be the only mark.
        return Cell(text=f"▸ {text}" if cell.marked else text, tip=whole, spoken=whole, more=look)

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

    @Slot(int, int)
    def _on_table_cell_chosen(self, row: int, column: int) -> None:
        if self._patch is not None:
            element = self._patch.cells[row][column].element
            self.element_picked.emit(ElementRef(tensor=self._patch.tensor, index=tuple(element)))


def _is_finite(value: complex | float | int | bool) -> bool:
    number = complex(value)
    return math.isfinite(number.real) and math.isfinite(number.imag)
