"""The Settings dialog, in which every change applies and is saved at once."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.language import available_languages, language_name, percent_text
from gradviz.host.limits import TIME_S, memory_percentage
from gradviz.model.settings.recording_scope import parse_pass_range
from gradviz.viewer.forms.controls import (
    FieldError,
    FormCheckBox,
    FormComboBox,
    FormEntry,
    FormSpinBox,
    FormTextField,
)
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.preferences import NumberPreference, Preferences
from gradviz.viewer.source.external_editor import guess_editor
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import SYSTEM
from gradviz.viewer.widgets.layouts import lay_out, scroll

_WIDTH = 520


class SettingsDialog(QDialog):
    """Shows the preferences and follows changes made elsewhere."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._preferences = state, state.preferences
        self.form = FieldForm(state.theme)
        self._add_look()
        self._add_runs()
        self._add_source()
        area = QScrollArea()
        scroll(area, self.form)
        lay_out(QVBoxLayout(self), (area, 1), self._buttons(), margins=None)
        for name in self.form.controls:
            self._on_preferences_changed(name)
        self._preferences.changed.connect(self._on_preferences_changed)
        self.form.edited.connect(self._on_form_edited)
        set_theme_font(self, state.theme)
        self.form.update_theme()
        self.update_theme()

    def _add_look(self) -> None:
        system = self.tr("System")
        languages = ((code, language_name(code)) for code in available_languages())
        themes = (("system", system), ("light", self.tr("Light")), ("dark", self.tr("Dark")))
        colors = (("CET-CBD1", self.tr("Ocher to blue")), ("CET-D1A", self.tr("Red to blue")))
        motions = (
            ("system", system),
            ("on", self.tr("Animate steps")),
            ("off", self.tr("No animation")),
        )
        self.form.add_heading(self.tr("Appearance"))
        self._add_choice("language", self.tr("Lan&guage"), (SYSTEM, system), *languages)
        self._add_choice("theme", self.tr("&Theme"), *themes)
        self._add_number(Preferences.text_scale, self.tr("Text si&ze"), percent_text(""), 10)
        self._add_choice("color_map", self.tr("Te&nsor colors"), *colors)
        self._add_choice("motion", self.tr("&Animation"), *motions)

    def _add_runs(self) -> None:
        form = self.form
        form.add_heading(self.tr("Runs"))
        seconds, mebibytes = self.tr(" s"), self.tr(" MiB")
        time = self._add_number(Preferences.time_limit_s, self.tr("Time &limit"), seconds, 30)
        time.setSpecialValueText(self.tr("none"))
        text = self.tr("With {0} s, a program that runs as a whole has no time limit")
        time.setToolTip(text.format(TIME_S))
        memory = self.tr("&Memory limit")
        self._add_number(Preferences.memory_percent, memory, percent_text(""), 5)
        self._memory = form.add_note()
        self._add_number(Preferences.trace_mib, self.tr("Tra&ce size limit"), mebibytes, 256)
        text, unit = self.tr("&Printed text limit"), self.tr(" characters")
        self._add_number(Preferences.output_characters, text, unit, 100_000)
        self._add_choice(
            "recording_level",
            self.tr("Recor&d"),
            ("nodes", self.tr("Nodes")),
            ("ops", self.tr("Nodes and ops")),
            ("lines", self.tr("Nodes and source lines")),
            ("all", self.tr("Nodes, ops and source lines")),
            title=self.tr("Recording level"),
        )
        hint = self.tr("the first 20 and a sample")
        passes = FormTextField(hint=hint, read=self._read_passes, when_done=True)
        tip = self.tr("all, or for scripts a range such as 3, 3:5, 500: or last:20")
        form.add_field("passes", passes, self.tr("Passes of long r&uns"), tip=tip)
        self._add_number(Preferences.budget_mib, self.tr("&Whole tensors"), mebibytes, 64)
        form.add_note(
            self.tr(
                "A trace stores whole tensors up to this total size, and only statistics "
                "beyond it. New limits apply from the next run."
            )
        )
        for name, text in (
            ("watch_files", self.tr("Run again when file is &saved")),
            ("ask_to_save", self.tr("As&k before closing a window with an unsaved run")),
        ):
            form.add_field(name, FormCheckBox(text))

    def _read_passes(self, text: str) -> str:
        with suppress(ValueError):
            if text.strip():
                parse_pass_range(text.strip())
            return text
        raise FieldError(self.tr("Enter all, or a range such as 3, 3:5, 500: or last:20."))

    def _add_source(self) -> None:
        form = self.form
        form.add_heading(self.tr("Source"))
        example = self.tr("for example {example}").format(example="code --goto {file}:{line}")
        editor = FormTextField(hint=guess_editor() or example, when_done=True)
        form.add_field("editor", editor, self.tr("&Editor"))
        form.add_note(
            self.tr("Program and arguments; {file} and {line} stand for the file and line.")
        )

    def _add_choice(self, name: str, caption: str, *entries: FormEntry, title: str = "") -> None:
        self.form.add_field(name, FormComboBox(entries), caption, title=title)

    def _add_number(
        self,
        preference: NumberPreference[int] | NumberPreference[float],
        caption: str,
        unit: str,
        step: int,
    ) -> FormSpinBox:
        factor, (least, most) = _factor(preference.name), preference.limits
        limits = (round(factor * least), round(factor * most))
        field = FormSpinBox(limits, step=step, suffix=unit, when_done=True)
        field.setGroupSeparatorShown(True)
        return self.form.add_field(preference.name, field, caption)

    def _buttons(self) -> QDialogButtonBox:
        kind = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kind.Close)
        self.reset = buttons.addButton(self.tr("&Reset All"), QDialogButtonBox.ButtonRole.ResetRole)
        self.reset.setToolTip(self.tr("Restore all settings to their defaults"))
        self.reset.clicked.connect(self._preferences.reset)
        buttons.rejected.connect(self.reject)
        for button in buttons.buttons():
            # The style's own icon is dark in both themes.
            button.setIcon(QIcon())
            # Enter confirms a number and must not close the dialog.
            if isinstance(button, QPushButton):
                button.setAutoDefault(False)
        return buttons

    def _on_preferences_changed(self, name: str) -> None:
        if name in self.form.controls:
            value, factor = getattr(self._preferences, name), _factor(name)
            self.form.controls[name].show_value(value if factor == 1 else round(factor * value))
        if name == "memory_percent":
            used = memory_percentage(self._preferences.memory_percent) / 2**30
            text = self.tr("{0:.1f} GiB of this machine's {1:.1f} GiB.")
            self._memory.setText(text.format(used, memory_percentage(100) / 2**30))

    def _on_form_edited(self, name: str, value: float) -> None:
        if self.form.lines[name].problem_text:
            return
        self._preferences.set(name, value if _factor(name) == 1 else value / _factor(name))

    def update_theme(self) -> None:
        """Fit sizes to the theme, and the dialog to its contents; on a low screen, they scroll."""
        theme, form = self._state.theme, self.form
        form.setContentsMargins(*[theme.px(14)] * 4)
        form.arrange(form.caption_width + theme.px(16))
        margins = theme.px(24)
        width = max(theme.px(_WIDTH), form.minimumSizeHint().width() + margins)
        height = form.heightForWidth(width - margins)
        height += self.reset.sizeHint().height() + theme.px(44)
        space = self.screen().availableGeometry()
        self.setMinimumWidth(min(width, space.width()))
        self.resize(width, min(height, space.height() - theme.px(30)))


def _factor(name: str) -> int:
    """Number by which a preference is multiplied to be shown: the text size is in percent."""
    return 100 if name == Preferences.text_scale.name else 1
