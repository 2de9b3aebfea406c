"""The fields for the seed and for the start of the backward pass."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.viewer.inputs.fields.field_choices import start_by_code, start_sentence, starts
from gradviz.viewer.inputs.fields.field_grid import FieldGrid, FormComboBox, FormSpinBox
from gradviz.viewer.inputs.fields.text_field import FieldMessage
from gradviz.viewer.inputs.form_draft import FormDraft
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate


def captions() -> tuple[str, str, str]:
    """The captions of the fields."""
    return (
        translate("Inputs", "seed"),
        translate("Inputs", "backward"),
        translate("Inputs", "output"),
    )


MOST_OUTPUTS = 100


class BackwardFields(QWidget):
    """Shows the part of a `FormDraft` that belongs to no argument, and reports edits.

    Signals:
        edited: Name of the `FormDraft` attribute, and its new value.
        left: Typing in a field has ended.
    """

    edited = Signal(str, object)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.seed = FormSpinBox(2**31 - 1)
        self.start = FormComboBox(starts())
        self.output = FormSpinBox(MOST_OUTPUTS)
        self._grid = FieldGrid(theme)
        seed, start, output = captions()
        self._grid.add(seed, self.seed)
        self._grid.add(start, self.start)
        self._output_line = self._grid.add(output, self.output)
        self._note = FieldMessage("note", theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._grid)
        layout.addWidget(self._note)
        self._name_fields()
        self.seed.valueChanged.connect(self._on_seed_changed)
        self.output.valueChanged.connect(self._on_output_changed)
        self.start.currentIndexChanged.connect(self._on_start_changed)
        for field in (self.seed, self.output):
            field.editingFinished.connect(self.left)

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return (self.seed, self.start, self.output)

    @property
    def sentence(self) -> str:
        """How the backward pass starts."""
        return self._note.text()

    def show_draft(self, draft: FormDraft, *, by_code: bool) -> None:
        """Show the seed and the start of a draft.

        Args:
            draft: The fields.
            by_code: Whether the code calls backward itself, so that gradviz starts no pass.
        """
        for value, text, tip in starts():
            is_by_code = by_code and value == draft.gradient
            self.start.describe(value, *(start_by_code() if is_by_code else (text, tip)))
        self.seed.show_value(draft.seed)
        self.start.show_value(draft.gradient)
        self.output.show_value(draft.output)
        self._output_line.show(draft.gradient != "nothing" and not by_code)
        sentence = start_sentence(draft.gradient, draft.output, draft.seed)
        self._note.say(start_by_code()[1] if by_code else sentence)
        self.start.setAccessibleDescription(self._note.text())

    def arrange(self, captions: int, *, stacked: bool) -> None:
        """Position the captions; see `FieldGrid.arrange`."""
        self._grid.arrange(captions, stacked=stacked)

    def _name_fields(self) -> None:
        self.seed.setAccessibleName(self.tr("Seed"))
        self.seed.setToolTip(
            self.tr("Seed of the random numbers in the file, the inputs and the run")
        )
        self.start.setAccessibleName(self.tr("How the backward pass starts"))
        self.start.setToolTip(self.tr("How the backward pass starts"))
        self.output.setAccessibleName(
            self.tr("Output that the backward pass starts at, counted from 0")
        )
        self.output.setToolTip(
            self.tr(
                "Output that the backward pass starts at, counted from 0; other outputs get no "
                "gradient"
            )
        )

    @Slot(int)
    def _on_seed_changed(self, value: int) -> None:
        self.edited.emit("seed", value)

    @Slot(int)
    def _on_output_changed(self, value: int) -> None:
        self.edited.emit("output", value)

    @Slot()
    def _on_start_changed(self) -> None:
        self.edited.emit("gradient", self.start.value())
