"""Small table of a tensor's elements around the marked ones."""

from __future__ import annotations

import math
from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QVBoxLayout, QWidget

from gradviz.analysis.dependence.tensor_patch import PatchElement, TensorPatch
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.document.document import Field, FieldTone, Row, document_of
from gradviz.text.phrases import shape_text
from gradviz.text.provenance import element_name
from gradviz.viewer.rows.rows_delegate import ROW_PIXELS
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

_CELL = 46


class ElementPatch(QWidget):
    """Name, shape and elements of a patch; marked elements are bold with an arrow.

    Signals:
        element_picked: The `ElementRef` that was clicked, or activated with Enter.
    """

    element_picked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.patch: TensorPatch | None = None
        self._non_finite: FieldTone = "error"
        self._title = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._title.setWordWrap(False)
        self.table = RowsView(theme, (ColumnWidth(_CELL),))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setAllColumnsShowFocus(False)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        lay_out(QVBoxLayout(self), self._title, self.table, 1, gap=2)
        self.table.chosen.connect(self._on_table_chosen)

    @property
    def title(self) -> str:
        """Name and shape of the tensor, as text."""
        return self._title.text()

    def show_patch(self, patch: TensorPatch, non_finite: FieldTone = "error") -> None:
        """Show other elements, with NaN and Inf in this color."""
        self.patch, self._non_finite = patch, non_finite
        title = self.tr("{name} {shape}").format(name=patch.name, shape=shape_text(patch.shape))
        if patch.before:
            title = self.tr("{name} {shape}, at [{before}, …]").format(
                name=patch.name,
                shape=shape_text(patch.shape),
                before=", ".join(map(str, patch.before)),
            )
        self._title.setText(title)
        self.update_theme()

    def update_theme(self) -> None:
        """Fill the table, in columns as wide as the theme's font needs."""
        patch, table, theme = self.patch, self.table, self._theme
        if patch is None:
            return
        columns = list(map(str, patch.columns)) or [""] * len(patch.cells[0])
        fields = [[self._field(each) for each in cells] for cells in patch.cells]
        if patch.rows:
            columns = ["", *columns]
            for at, number in enumerate(patch.rows):
                fields[at].insert(0, Field(text=str(number), tone="muted", is_number=True))
        rows = [Row(fields=tuple(each)) for each in fields]
        metrics = QFontMetrics(theme.font(SMALL_PIXELS, bold=True, mono=True))
        texts = [field.text for row in rows for field in row.fields]
        widest = max(metrics.horizontalAdvance(f"{text} ") for text in texts)
        cell = max(_CELL, ceil(widest / theme.scale) + 8)
        table.set_widths([ColumnWidth(cell)] * len(columns))
        table.show_document(document_of(tuple(columns), rows))
        table.setHeaderHidden(not patch.columns)
        table.setAccessibleName(self._title.text())
        marked = [each for line in patch.cells for each in line if each.marked]
        table.setAccessibleDescription("; ".join(map(self._text, marked)))
        table.ensurePolished()
        top = table.header().sizeHint().height() if patch.columns else 0
        width = theme.px(cell) * len(columns) + 2
        table.setFixedSize(width, top + theme.px(ROW_PIXELS) * len(rows) + 2)
        self.setFixedWidth(max(width, self._title.sizeHint().width()))

    def _field(self, cell: PatchElement) -> Field:
        text, whole = number_text(cell.value), self._text(cell)
        # Color must never be the only mark.
        shown = f"▸ {text}" if cell.marked else text
        tone: FieldTone = "plain" if _is_finite(cell.value) else self._non_finite
        return Field(
            text=shown, tip=whole, tone=tone, mono=True, is_number=True, is_marked=cell.marked
        )

    def _text(self, cell: PatchElement) -> str:
        name = "" if self.patch is None else self.patch.name
        text = self.tr("{element} is {value}")
        element = element_name(name, cell.element)
        return text.format(element=element, value=exact_number(cell.value))

    def _on_table_chosen(self, row: int, column: int) -> None:
        patch = self.patch
        if patch is not None and column >= bool(patch.rows):
            element = patch.cells[row][column - bool(patch.rows)].element
            self.element_picked.emit(ElementRef(tensor=patch.tensor, index=tuple(element)))


def _is_finite(value: complex | float | int | bool) -> bool:
    number = complex(value)
    return math.isfinite(number.real) and math.isfinite(number.imag)
