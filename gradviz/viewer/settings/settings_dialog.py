"""The Settings dialog, in which every change applies and is saved at once."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.language import available_languages, language_name, percent_text
from gradviz.drawing.appearance.palette import ColorMapName
from gradviz.host.limits import memory_percentage
from gradviz.model.inside import RecordingLevel
from gradviz.viewer.preferences import (
    LEAST_BUDGET,
    LEAST_MEMORY,
    LEAST_OUTPUT,
    LEAST_SCALE,
    LEAST_TRACE,
    MOST_BUDGET,
    MOST_MEMORY,
    MOST_OUTPUT,
    MOST_SCALE,
    MOST_SECONDS,
    MOST_TRACE,
    Motion,
    Preferences,
)
from gradviz.viewer.settings.setting_fields import (
    NumberSetting,
    SettingField,
    SwitchSetting,
    TextSetting,
    choice_setting,
)
from gradviz.viewer.source.external_editor import guess_editor
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme, ThemeChoice
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import SYSTEM, translate

_WIDTH = 520


class SettingsDialog(QDialog):
    """Shows the preferences and follows changes made elsewhere."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._state, self._preferences = state, state.preferences
        self.fields: dict[str, SettingField] = {}
        self._headings: list[QLabel] = []
        self._notes: list[QLabel] = []
        self._memory = QLabel()
        self._page = QWidget()
        self._form = QFormLayout(self._page)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._add_look(self._preferences)
        self._add_runs(self._preferences)
        self._add_source(self._preferences)
        self._space = QScrollArea()
        self._space.setWidget(self._page)
        self._space.setWidgetResizable(True)
        self._space.setFrameShape(QScrollArea.Shape.NoFrame)
        self._space.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.addWidget(self._space, 1)
        whole.addWidget(self._buttons())
        self._preferences.changed.connect(self._on_preferences_changed)
        set_theme_font(self, state.theme)
        for note in self._notes:
            set_theme_font(note, state.theme, SMALL_PIXELS)
        self.update_theme()
        self._tell_memory()

    def _add_look(self, preferences: Preferences) -> None:
        self._add_heading(self.tr("Appearance"))
        self._add("language", self.tr("Lan&guage"), _language_field(preferences))
        self._add("theme", self.tr("&Theme"), _theme_field(preferences))
        self._add("text_scale", self.tr("Text si&ze"), _scale_field(preferences))
        self._add("color_map", self.tr("Te&nsor colors"), _map_field(preferences))
        self._add("motion", self.tr("&Animation"), _motion_field(preferences))

    def _add_runs(self, preferences: Preferences) -> None:
        self._add_heading(self.tr("Runs"))
        self._add("time_limit_s", self.tr("Time &limit"), _time_field(preferences))
        self._add("memory_percent", self.tr("&Memory limit"), _memory_field(preferences))
        self._add_note(self._memory)
        self._add("trace_mib", self.tr("Tra&ce size limit"), _trace_field(preferences))
        self._add("output_characters", self.tr("&Printed text limit"), _output_field(preferences))
        self._add("recording_level", self.tr("Recor&d"), _depth_field(preferences))
        self._add("budget_mib", self.tr("&Whole tensors"), _budget_field(preferences))
        text = self.tr(
            "A trace stores whole tensors up to this total size, and only statistics "
            "beyond it. New limits apply from the next run."
        )
        self._add_note(QLabel(text))
        text = self.tr("Run again when file is &saved")
        watch = SwitchSetting(text, lambda: preferences.watch_files, preferences.set_watch_files)
        self._add("watch_files", "", watch)
        text = self.tr("As&k before closing a window with an unsaved run")
        ask = SwitchSetting(text, lambda: preferences.ask_to_save, preferences.set_ask_to_save)
        self._add("ask_to_save", "", ask)

    def _add_source(self, preferences: Preferences) -> None:
        self._add_heading(self.tr("Source"))
        self._add("editor", self.tr("&Editor"), _editor_field(preferences))
        text = self.tr("Program and arguments; {file} and {line} stand for the file and line.")
        self._add_note(QLabel(text))

    def _add_heading(self, title: str) -> None:
        heading = QLabel(title)
        self._headings.append(heading)
        self._form.addRow(heading)

    def _add_note(self, note: QLabel) -> None:
        note.setTextFormat(Qt.TextFormat.PlainText)
        note.setWordWrap(True)
        note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._notes.append(note)
        self._form.addRow("", note)

    def _add(self, name: str, label: str, field: SettingField) -> None:
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.fields[name] = field
        self._form.addRow(label, field)

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

    def _tell_memory(self) -> None:
        used = memory_percentage(self._preferences.memory_percent) / 2**30
        text = self.tr("{0:.1f} GiB of this machine's {1:.1f} GiB.")
        self._memory.setText(text.format(used, memory_percentage(100) / 2**30))

    @Slot(str)
    def _on_preferences_changed(self, name: str) -> None:
        if name in self.fields:
            self.fields[name].refresh()
        if name == "memory_percent":
            self._tell_memory()

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        for at, heading in enumerate(self._headings):
            set_theme_font(heading, self._state.theme, UI_PIXELS + 1, bold=True)
            heading.setContentsMargins(0, self._state.theme.px(14) if at else 0, 0, 0)
        for field in self.fields.values():
            field.setMinimumHeight(self._state.theme.px(26))
        self._form.setContentsMargins(*[self._state.theme.px(14)] * 4)
        self._form.setHorizontalSpacing(self._state.theme.px(24))
        self._form.setVerticalSpacing(self._state.theme.px(6))
        self._fit(self._state.theme)

    def _fit(self, theme: Theme) -> None:
        """Fit the size to the contents; on a low screen, the contents scroll."""
        margins = theme.px(24)
        width = max(theme.px(_WIDTH), self._form.totalMinimumSize().width() + margins)
        height = self._form.totalHeightForWidth(width - margins)
        height += self.reset.sizeHint().height() + theme.px(44)
        space = self.screen().availableGeometry()
        self.setMinimumWidth(min(width, space.width()))
        self.resize(width, min(height, space.height() - theme.px(30)))


def _language_field(preferences: Preferences) -> SettingField:
    entries = [(SYSTEM, translate("SettingsDialog", "System"))]
    entries += [(code, language_name(code)) for code in available_languages()]
    name, write = translate("SettingsDialog", "Language"), preferences.set_language
    return choice_setting(name, entries, lambda: preferences.language, write)


def _theme_field(preferences: Preferences) -> SettingField:
    entries: tuple[tuple[ThemeChoice, str], ...] = (
        ("system", translate("SettingsDialog", "System")),
        ("light", translate("SettingsDialog", "Light")),
        ("dark", translate("SettingsDialog", "Dark")),
    )
    name, write = translate("SettingsDialog", "Theme"), preferences.set_theme
    return choice_setting(name, entries, lambda: preferences.theme, write)


def _map_field(preferences: Preferences) -> SettingField:
    entries: tuple[tuple[ColorMapName, str], ...] = (
        ("CET-CBD1", translate("SettingsDialog", "Ocher to blue")),
        ("CET-D1A", translate("SettingsDialog", "Red to blue")),
    )
    name, write = translate("SettingsDialog", "Tensor colors"), preferences.set_color_map
    return choice_setting(name, entries, lambda: preferences.color_map, write)


def _motion_field(preferences: Preferences) -> SettingField:
    entries: tuple[tuple[Motion, str], ...] = (
        ("system", translate("SettingsDialog", "System")),
        ("on", translate("SettingsDialog", "Animate steps")),
        ("off", translate("SettingsDialog", "No animation")),
    )
    name, write = translate("SettingsDialog", "Animation"), preferences.set_motion
    return choice_setting(name, entries, lambda: preferences.motion, write)


def _depth_field(preferences: Preferences) -> SettingField:
    entries: tuple[tuple[RecordingLevel, str], ...] = (
        ("nodes", translate("SettingsDialog", "Nodes")),
        ("ops", translate("SettingsDialog", "Nodes and ops")),
        ("lines", translate("SettingsDialog", "Nodes and source lines")),
        ("all", translate("SettingsDialog", "Nodes, ops and source lines")),
    )
    name, write = translate("SettingsDialog", "Recording level"), preferences.set_recording_level
    return choice_setting(name, entries, lambda: preferences.recording_level, write)


def _editor_field(preferences: Preferences) -> TextSetting:
    hint = guess_editor() or translate("SettingsDialog", "for example {example}").format(
        example="code --goto {file}:{line}"
    )
    return TextSetting(
        translate("SettingsDialog", "Editor"),
        hint,
        lambda: preferences.editor,
        preferences.set_editor,
    )


def _scale_field(preferences: Preferences) -> NumberSetting:
    bounds = round(100 * LEAST_SCALE), round(100 * MOST_SCALE)
    return NumberSetting(
        translate("SettingsDialog", "Text size"),
        bounds,
        10,
        percent_text(""),
        lambda: round(100 * preferences.text_scale),
        lambda percent: preferences.set_text_scale(percent / 100),
    )


def _time_field(preferences: Preferences) -> NumberSetting:
    field = NumberSetting(
        translate("SettingsDialog", "Time limit"),
        (0, MOST_SECONDS),
        30,
        translate("SettingsDialog", " s"),
        lambda: preferences.time_limit_s,
        preferences.set_time_limit_s,
    )
    field.setSpecialValueText(translate("SettingsDialog", "none"))
    return field


def _memory_field(preferences: Preferences) -> NumberSetting:
    return NumberSetting(
        translate("SettingsDialog", "Memory limit"),
        (LEAST_MEMORY, MOST_MEMORY),
        5,
        percent_text(""),
        lambda: preferences.memory_percent,
        preferences.set_memory_percent,
    )


def _trace_field(preferences: Preferences) -> NumberSetting:
    return NumberSetting(
        translate("SettingsDialog", "Trace size limit"),
        (LEAST_TRACE, MOST_TRACE),
        256,
        translate("SettingsDialog", " MiB"),
        lambda: preferences.trace_mib,
        preferences.set_trace_mib,
    )


def _output_field(preferences: Preferences) -> NumberSetting:
    return NumberSetting(
        translate("SettingsDialog", "Printed text limit"),
        (LEAST_OUTPUT, MOST_OUTPUT),
        100_000,
        translate("SettingsDialog", " characters"),
        lambda: preferences.output_characters,
        preferences.set_output_characters,
    )


def _budget_field(preferences: Preferences) -> NumberSetting:
    return NumberSetting(
        translate("SettingsDialog", "Whole tensors"),
        (LEAST_BUDGET, MOST_BUDGET),
        64,
        translate("SettingsDialog", " MiB"),
        lambda: preferences.budget_mib,
        preferences.set_budget_mib,
    )
