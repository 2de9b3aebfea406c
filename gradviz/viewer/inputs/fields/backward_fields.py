"""The fields for the seed, for the start of the backward pass, and for the state of a module."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QPushButton, QVBoxLayout, QWidget

from gradviz.model.inputs import STATE_SUFFIXES, is_state_file
from gradviz.viewer.inputs.fields.field_choices import start_by_code, start_sentence, starts
from gradviz.viewer.inputs.fields.field_grid import FieldGrid, FormComboBox, FormSpinBox
from gradviz.viewer.inputs.fields.text_field import FieldMessage, FormTextField
from gradviz.viewer.inputs.form_draft import FormDraft
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
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


def module_captions() -> tuple[str, str]:
    """The captions of the fields."""
    return translate("Inputs", "state dict"), translate("Inputs", "mode")


def _modes() -> tuple[tuple[str, str, str], ...]:
    given = translate("Inputs", "As created by the file")
    return (("given", "given", given), ("train", "train", "train()"), ("eval", "eval", "eval()"))


class ModuleFields(QWidget):
    """Shows what a `FormDraft` does to a Module, and reports edits.

    Signals:
        edited: Name of the `FormDraft` attribute, and its new value.
        left: Typing in a field has ended.
    """

    edited = Signal(str, object)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = FormTextField()
        self.browse = QPushButton(self.tr("Choose File…"))
        self.mode = FormComboBox(_modes())
        self._grid = FieldGrid(theme)
        state, mode = module_captions()
        self._state_line = self._grid.add(state, self.state)
        self._grid.add("", self.browse)
        self._grid.add(mode, self.mode)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._grid)
        self._name_fields()
        set_theme_font(self.state, theme, mono=True)
        self.state.textEdited.connect(self._on_state_edited)
        self.state.left.connect(self.left)
        self.browse.clicked.connect(self._on_browse_clicked)
        self.mode.currentIndexChanged.connect(self._on_mode_changed)

    @property
    def in_order(self) -> tuple[QWidget, ...]:
        """All editable widgets in tab order."""
        return (self.state, self.browse, self.mode)

    @property
    def problem(self) -> str:
        """A sentence on the state dict if it is not valid; else empty."""
        if self.isHidden() or not self.state.problem:
            return ""
        return f"{module_captions()[0]}: {self.state.problem}"

    def show_given_mode(self, mode: str) -> None:
        """Show the mode in which the file creates the module; empty if it is not known."""
        text, tip = "given", translate("Inputs", "As created by the file")
        if mode == "mixed":
            text = translate("Inputs", "given (mixed)")
            tip = translate("Inputs", "As created by the file: submodules differ")
        elif mode:
            text = translate("Inputs", "given ({0})").format(mode)
        self.mode.describe("given", text, tip)

    def show_draft(self, draft: FormDraft) -> None:
        """Show a draft with its problem."""
        self.state.show_text(draft.state_dict)
        self.mode.show_value(draft.mode)
        problem = translate("Inputs", "Enter a file that ends in {0}.")
        is_wrong = bool(draft.state_dict.strip()) and not is_state_file(draft.state_dict)
        self._state_line.say(problem.format(", ".join(STATE_SUFFIXES)) if is_wrong else "")

    def arrange(self, captions: int, *, stacked: bool) -> None:
        """Position the captions; see `FieldGrid.arrange`."""
        self._grid.arrange(captions, stacked=stacked)

    def _name_fields(self) -> None:
        self.state.setAccessibleName(self.tr("State dict of the Module"))
        self.state.setPlaceholderText(self.tr("such as model.pt"))
        self.state.setToolTip(
            self.tr(
                "File with the state dict to load, and its key after a colon if it is in a "
                "checkpoint; empty for the parameters that the file creates"
            )
        )
        self.browse.setToolTip(self.tr("Choose the file with the state dict"))
        self.mode.setAccessibleName(self.tr("Mode of the Module"))
        self.mode.setToolTip(self.tr("Whether train() or eval() is called before the run"))

    @Slot(str)
    def _on_state_edited(self, text: str) -> None:
        self.edited.emit("state_dict", text)

    @Slot()
    def _on_browse_clicked(self) -> None:
        patterns = self.tr("State dicts ({0})").format(
            " ".join(f"*{each}" for each in STATE_SUFFIXES)
        )
        title = self.tr("Choose a State Dict")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.state.text(), patterns)
        if chosen:
            self.edited.emit("state_dict", chosen)

    @Slot()
    def _on_mode_changed(self) -> None:
        self.edited.emit("mode", self.mode.value())
