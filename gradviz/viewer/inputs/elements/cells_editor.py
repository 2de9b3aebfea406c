"""The grid of typed elements with spin boxes that choose its plane."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QMenu, QSpinBox, QVBoxLayout, QWidget

from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.forms.controls import FieldError, FormSpinBox
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.inputs.elements.cells_model import CellsModel
from gradviz.viewer.inputs.elements.cells_view import CellsView
from gradviz.viewer.inputs.elements.pasted_tensor import parse_pasted, placed
from gradviz.viewer.inputs.elements.typed_cells import TypedCells
from gradviz.viewer.local_keys import ELEMENT_KEYS, keys_of
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out


class CellsEditor(QWidget):
    """Edits `TypedCells`.

    Args:
        name: Name of the argument.
        theme: Colors and fonts.

    Signals:
        edited: ``cell 3`` if the element at this position in row-major order is being typed,
            ``cells`` for any other edit; and the `TypedCells` after it.
        refused: Why a paste failed; empty after any other edit.
        left: Typing in a cell has ended.
    """

    edited = Signal(str, object)
    refused = Signal(str)
    left = Signal()

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._name = name
        self._dtype = "float64"
        self._model = CellsModel(self)
        self.view = CellsView(self._model, theme)
        self.view.setAccessibleName(self.tr("{0}: elements").format(name))
        self._theme = theme
        self._planes = FieldForm(theme)
        lay_out(QVBoxLayout(self), self._planes, self.view, gap=4)
        self.menu = ContextMenu(self.view, self._fill_menu, self._place_of_menu)
        self._model.typed.connect(self._on_model_typed)
        self.view.cleared.connect(self._on_view_cleared)
        self.view.pasted.connect(self.paste)
        self.view.left.connect(self.left)

    @property
    def fields(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return (*self.planes, self.view)

    @property
    def planes(self) -> tuple[QSpinBox, ...]:
        """Spin boxes for the indices of the dimensions before the last two."""
        fields = self._planes.controls.values()
        return tuple(field for field in fields if isinstance(field, QSpinBox))

    def show_cells(self, cells: TypedCells, dtype: str) -> None:
        """Show elements in a dtype."""
        changed = cells.shape != self._model.cells.shape
        self._dtype = dtype
        self._model.show_cells(cells, dtype)
        if changed:
            self._make_planes(cells.shape)
        self.view.fit()
        self.view.setVisible(math.prod(cells.shape) > 0)

    def paste(self, text: str, at: tuple[int, int] = (0, 0)) -> None:
        """Paste the elements of a text at a row and a column, or say why this is not possible."""
        try:
            cells = placed(parse_pasted(text), self._model.cells, self._model.place, at)
        except FieldError as error:
            self.refused.emit(str(error))
        else:
            self._edit(cells)

    def _fill_menu(self, menu: QMenu, at: QPoint | None) -> None:
        for text, command, do in (
            (self.tr("&Copy"), "copy", self.view.copy_selection),
            (self.tr("&Paste"), "paste", self.view.paste),
            (self.tr("&Set to 0"), "zero", self.view.clear_selection),
        ):
            # Only displayed, as in every menu; the grid itself handles the key.
            keys = ", ".join(keys_of(ELEMENT_KEYS, command))
            menu.addAction(f"{text}\t{keys}").triggered.connect(do)

    def _place_of_menu(self) -> QPoint:
        return self.view.visualRect(self.view.currentIndex()).center()

    def _make_planes(self, shape: tuple[int, ...]) -> None:
        old = self._planes
        self._planes = FieldForm(self._theme, row=FlowLayout(), has_history=True)
        for axis, size in enumerate(shape[:-2]):
            prefix = self.tr("dim {0}: ").format(axis)
            field = self._planes.add_field(
                str(axis),
                FormSpinBox((0, max(0, size - 1)), prefix=prefix),
                title=self.tr("{0}: index of dimension {1}").format(self._name, axis),
                tip=self.tr("Index of dimension {0} that the grid shows").format(axis),
            )
            field.show_value(self._model.place[axis])
        self._planes.edited.connect(self._on_planes_edited)
        self._planes.setVisible(len(shape) > 2)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(old, self._planes)
        old.hide()
        old.deleteLater()

    def _edit(self, cells: TypedCells, name: str = "cells") -> None:
        self.refused.emit("")
        self.edited.emit(name, cells)

    def _on_model_typed(self, position: int, text: str) -> None:
        self._edit(self._model.cells.with_texts(text, position), f"cell {position}")

    def _on_view_cleared(self, positions: list[int]) -> None:
        zero = "False" if self._dtype == "bool" else "0"
        self._edit(self._model.cells.with_texts(zero, *positions))

    def _on_planes_edited(self) -> None:
        self._model.show_place(tuple(field.value() for field in self.planes))
