"""The elements of an argument: a grid to type in, or a preview of the fill."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.model.fill_values import filled_value
from gradviz.model.inputs import MOST_VALUES, RANDOM_FILLS, InputSpec
from gradviz.model.tensor import TensorValue
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.forms.form import FieldMessage
from gradviz.viewer.inputs.elements.cells_editor import CellsEditor
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading
from gradviz.viewer.inputs.form_draft import ArgumentDraft
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out

_SCALE = 1.2
"""Thumbnails are drawn for the graph; here they are enlarged to match the text."""
_MOST_HEIGHT = 96


class FillPreview(QWidget):
    """Shows the elements of a fill; hidden without a tensor."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._value: TensorValue | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def value(self) -> TensorValue | None:
        """The tensor that is shown; None without one."""
        return self._value

    def show_value(self, value: TensorValue | None) -> None:
        """Show a tensor, or hide the preview."""
        if value != self._value:
            self._value = value
            self._fit()
        self.setVisible(value is not None)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._fit()

    def _fit(self) -> None:
        height = 0.0 if self._value is None else self._size(self._value).height()
        self.setFixedHeight(round(height * self._factor()) + 2)
        self.update()

    def _factor(self) -> float:
        return _SCALE * self._theme.scale

    def _size(self, value: TensorValue) -> QSizeF:
        most = QSizeF(max(20.0, (self.width() - 2) / self._factor()), _MOST_HEIGHT)
        return thumbnail_size(value, most)

    def sizeHint(self) -> QSize:
        """Any width, at the height that the tensor needs."""
        return QSize(120, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tensor."""
        if self._value is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(1, 1)
        painter.scale(self._factor(), self._factor())
        box = QRectF(QPointF(0, 0), self._size(self._value))
        paint_thumbnail(painter, box, self._value, self._theme)
        painter.end()


class ElementsPart(QWidget):
    """Shows the elements if they are known, otherwise where they come from.

    Signals:
        edited: `CellsEdit`.
        left: Typing in a cell has ended.
    """

    edited = Signal(object)
    left = Signal()

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._name = name
        self._theme = theme
        self.editor: CellsEditor | None = None
        self.preview = FillPreview(theme)
        self.preview.setAccessibleName(self.tr("{0}: preview of the fill").format(name))
        self.problem = FieldMessage("error", theme)
        self._refusal = FieldMessage("error", theme)
        self.note = FieldMessage("note", theme)
        self._column = lay_out(
            QVBoxLayout(self), self.preview, self._refusal, self.problem, self.note, gap=4
        )

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return () if self.editor is None else self.editor.fields

    @property
    def refusal(self) -> str:
        """Why the last paste failed; empty if it succeeded."""
        return self._refusal.text()

    def refuse(self, sentence: str) -> None:
        """Show why a paste failed; an empty sentence removes the message."""
        self._refusal.say(sentence)
        if self.editor is not None:
            self.editor.view.setAccessibleDescription(sentence)

    def show_draft(self, draft: ArgumentDraft, reading: ArgumentReading, seed: int) -> None:
        """Show the elements of a draft."""
        typed = draft.kind == "tensor" and draft.fill == "values" and "fill" not in reading.problems
        if typed and draft.cells is not None:
            self._made_editor().show_cells(draft.cells, draft.dtype)
        if self.editor is not None:
            self.editor.setVisible(typed)
        self.problem.say(reading.problems.get("values", ""))
        spec = reading.spec if draft.kind == "tensor" else None
        self.preview.show_value(None if spec is None or typed else filled_value(spec))
        origin_notes = [] if spec is None else [_origin(spec, seed)]
        self.note.say(join_sentences((*origin_notes, *reading.notes)))

    def _made_editor(self) -> CellsEditor:
        if self.editor is None:
            # A grid costs more than all other fields together, and few arguments need one.
            self.editor = CellsEditor(self._name, self._theme)
            self.editor.edited.connect(self.edited)
            self.editor.left.connect(self.left)
            self.editor.refused.connect(self.refuse)
            self._column.insertWidget(0, self.editor)
        return self.editor


def _origin(spec: InputSpec, seed: int) -> str:
    """Say where the elements come from if they are not shown."""
    if spec.fill in RANDOM_FILLS:
        return translate("Inputs", "Random elements, drawn during the run with seed {0}.").format(
            seed
        )
    if spec.fill == "given":
        return translate("Inputs", "As created by the file; choose another fill to change it.")
    if math.prod(spec.shape) > MOST_VALUES:
        return translate("Inputs", "Only tensors of up to {0} elements are shown here.").format(
            format_count(MOST_VALUES)
        )
    return ""
