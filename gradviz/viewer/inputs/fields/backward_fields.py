"""The fields for the seed, for the start of the backward pass, and for the state of a module."""

from __future__ import annotations

from gradviz.model.inputs import STATE_SUFFIXES, is_state_file
from gradviz.viewer.forms.controls import (
    FieldError,
    FormComboBox,
    FormEntry,
    FormSpinBox,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm, FieldMessage
from gradviz.viewer.inputs.form_draft import FormDraft
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate

MOST_OUTPUTS = 100


def _starts() -> tuple[tuple[str, str, str], ...]:
    """The ways to start the backward pass."""
    return (
        ("sum", translate("Inputs", "sum"), "output.sum().backward()"),
        ("ones", translate("Inputs", "ones"), "output.backward(torch.ones_like(output))"),
        ("randn", translate("Inputs", "randn"), "output.backward(torch.randn_like(output))"),
        (
            "nothing",
            translate("Inputs", "none"),
            translate("Inputs", "The code runs its own backward passes"),
        ),
    )


def _start_by_code() -> tuple[str, str]:
    """Text and tooltip of the start if the code calls backward itself."""
    return (
        translate("Inputs", "by the code"),
        translate("Inputs", "The code calls backward itself, so gradviz starts no backward pass."),
    )


def _start_sentence(gradient: str, output: int, seed: int) -> str:
    """Say in a sentence how the backward pass starts."""
    match gradient:
        case "sum":
            template = translate(
                "Inputs",
                "The backward pass starts at the sum of output {0}, with the gradient 1. Other "
                "outputs get no gradient.",
            )
        case "ones":
            template = translate(
                "Inputs", "The backward pass starts at output {0}, with a gradient of ones."
            )
        case "randn":
            template = translate(
                "Inputs",
                "The backward pass starts at output {0}, with a random gradient (seed {1}).",
            )
        case _:
            template = translate(
                "Inputs", "gradviz starts no backward pass. The code may run its own."
            )
    return template.format(output, seed)


class BackwardFields(FieldForm):
    """Shows the part of a `FormDraft` that belongs to no argument, and reports edits."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, is_muted=True, has_history=True)
        self.seed = self.add_field(
            "seed",
            FormSpinBox((0, 2**31 - 1)),
            translate("Inputs", "seed"),
            title=self.tr("Seed"),
            tip=self.tr("Seed of the random numbers in the file, the inputs and the run"),
        )
        self.start = self.add_field(
            "gradient",
            FormComboBox(_starts()),
            translate("Inputs", "backward"),
            title=self.tr("How the backward pass starts"),
            tip=self.tr("How the backward pass starts"),
        )
        self.output = self.add_field(
            "output",
            FormSpinBox((0, MOST_OUTPUTS)),
            translate("Inputs", "output"),
            title=self.tr("Output that the backward pass starts at, counted from 0"),
            tip=self.tr(
                "Output that the backward pass starts at, counted from 0; other outputs get no "
                "gradient"
            ),
        )
        self._note = FieldMessage("note", theme)
        self.add_wide(self._note)

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
        for value, text, tip in _starts():
            is_by_code = by_code and value == draft.gradient
            self.start.describe(value, *(_start_by_code() if is_by_code else (text, tip)))
        self.show_values(draft)
        self.lines["output"].show(draft.gradient != "nothing" and not by_code)
        sentence = _start_sentence(draft.gradient, draft.output, draft.seed)
        self._note.say(_start_by_code()[1] if by_code else sentence)
        self.start.setAccessibleDescription(self._note.text())


def _modes() -> tuple[FormEntry, ...]:
    given = translate("Inputs", "As created by the file")
    return (("given", "given", given), ("train", "train", "train()"), ("eval", "eval", "eval()"))


def _read_state(text: str) -> str:
    if text.strip() and not is_state_file(text):
        problem = translate("Inputs", "Enter a file that ends in {0}.")
        raise FieldError(problem.format(", ".join(STATE_SUFFIXES)))
    return text.strip()


class ModuleFields(FieldForm):
    """Shows what a `FormDraft` does to a Module, and reports edits."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, is_muted=True, has_history=True)
        self.state = self.add_field(
            "state_dict",
            FormTextField(hint=self.tr("such as model.pt"), read=_read_state, mono=True),
            translate("Inputs", "state dict"),
            title=self.tr("State dict of the Module"),
            tip=self.tr(
                "File with the state dict to load, and its key after a colon if it is in a "
                "checkpoint; empty for the parameters that the file creates"
            ),
        )
        endings = " ".join(f"*{each}" for each in STATE_SUFFIXES)
        self.browse = self.add_browse(
            "state_dict",
            self.tr("Choose File…"),
            title=self.tr("Choose a State Dict"),
            patterns=self.tr("State dicts ({0})").format(endings),
            tip=self.tr("Choose the file with the state dict"),
        )
        self.mode = self.add_field(
            "mode",
            FormComboBox(_modes()),
            translate("Inputs", "mode"),
            title=self.tr("Mode of the Module"),
            tip=self.tr("Whether train() or eval() is called before the run"),
        )

    @property
    def problem(self) -> str:
        """A sentence on the state dict if it is not valid; else empty."""
        caption = self.lines["state_dict"].caption.text()
        is_valid = self.isHidden() or not self.problem_text
        return "" if is_valid else f"{caption}: {self.problem_text}"

    def show_given_mode(self, mode: str) -> None:
        """Show the mode in which the file creates the module; empty if it is not known."""
        text, tip = "given", translate("Inputs", "As created by the file")
        if mode == "mixed":
            text = translate("Inputs", "given (mixed)")
            tip = translate("Inputs", "As created by the file: submodules differ")
        elif mode:
            text = translate("Inputs", "given ({0})").format(mode)
        self.mode.describe("given", text, tip)
