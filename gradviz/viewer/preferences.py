"""User preferences: typed, stored between sessions, with a signal for each change."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Literal, TypeVar, get_args

from PySide6.QtCore import QObject, QSettings, Signal

from gradviz.catalogue.language import available_languages
from gradviz.drawing.appearance.palette import DEFAULT_COLOR_MAP, ColorMapName
from gradviz.host.limits import MEMORY_PERCENT, OUTPUT_CHARACTERS, TIME_S, TRACE_BYTES
from gradviz.model.inside import RecordingLevel
from gradviz.store.file_kind import is_special
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.translation import SYSTEM

Motion = Literal["system", "on", "off"]

LEAST_SCALE, MOST_SCALE = 0.8, 2.0
"""Bounds of the text size factor."""
MOST_SECONDS = 86_400
LEAST_MEMORY, MOST_MEMORY = 10, 90
"""Bounds of a run's memory limit, in percent of the machine's memory."""
LEAST_OUTPUT, MOST_OUTPUT = 1_000, 1_000_000_000
"""Bounds of the printed characters that a trace stores."""
LEAST_TRACE, MOST_TRACE = 16, 1 << 20
"""Bounds of the size of a run's trace, in MiB."""
LEAST_BUDGET, MOST_BUDGET = 16, 16_384
"""Bounds of the memory budget for whole tensors in one trace, in MiB."""

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T", bound=str)

_KEYS = {
    "language": "window/language",
    "theme": "window/theme",
    "text_scale": "window/text_scale",
    "motion": "window/motion",
    "color_map": "window/colour_map",
    "time_limit_s": "run/time_limit_s",
    "memory_percent": "run/memory_percent",
    "output_characters": "run/output_characters",
    "trace_mib": "run/trace_mib",
    "budget_mib": "run/budget_mib",
    "recording_level": "run/recording_level",
    "watch_files": "run/watch_files",
    "ask_to_save": "run/ask_to_save",
    "legend": "graph/legend",
    "minimap": "graph/minimap",
    "hint_seen": "window/hint_seen",
    "same_scale": "inspector/same_scale",
    "editor": "source/editor",
    "folded_sections": "inspector/sections",
}

_SWITCHES = ("false", "true")
"""Off and on, in the format that QSettings writes."""


def leave_special_settings() -> None:
    """Keep no settings if their file is a pipe or device: opening it might never end.

    Call it once the application has its name, before the first `QSettings` of that name, which
    opens the file.
    """
    form, scope = QSettings.defaultFormat(), QSettings.Scope.UserScope
    # Only other settings, which have no file, tell the folder without opening these.
    other = Path(QSettings(form, scope, "gradviz-folder", "gradviz").fileName())
    folder = other.parent.parent
    for path in (folder / "gradviz" / other.name, folder / other.name):
        if is_special(path):
            _LOG.warning("%s is a pipe or device, not a regular file. No settings are kept.", path)
            QSettings.setPath(form, scope, f"{os.devnull}/gradviz")


class Preferences(QObject):
    """The user's preferences, shared by all windows; an invalid stored value is ignored.

    Signals:
        changed: Name of the property that has a new value.
    """

    changed = Signal(str)

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        stored: bool = True,
        theme: ThemeChoice | None = None,
    ) -> None:
        """Use the stored preferences, or defaults that live in memory only.

        Args:
            parent: The owning object.
            stored: Whether to read and write `QSettings`. False gives every user the same window,
                for example in screenshots.
            theme: Theme of this process until another one is chosen; it is not stored.
        """
        super().__init__(parent)
        self._own: dict[str, object] | None = None if stored else {}
        self._given: dict[str, object] = {} if theme is None else {"theme": theme}

    @property
    def theme(self) -> ThemeChoice:
        """Theme choice: light, dark or the system's."""
        return self._choice("theme", get_args(ThemeChoice), "system")

    def set_theme(self, choice: ThemeChoice) -> None:
        """Store the theme choice."""
        self._store("theme", choice)

    @property
    def language(self) -> str:
        """Code of the language, such as ``de``; ``system`` for the system's."""
        return self._choice("language", (SYSTEM, *available_languages()), SYSTEM)

    def set_language(self, language: str) -> None:
        """Store the language."""
        self._store("language", language)

    @property
    def text_scale(self) -> float:
        """Factor applied to all text sizes, from 0.8 to 2."""
        return self._number("text_scale", LEAST_SCALE, MOST_SCALE, 1.0)

    def set_text_scale(self, scale: float) -> None:
        """Store the text size factor, clamped to its bounds."""
        self._store("text_scale", max(LEAST_SCALE, min(round(scale, 2), MOST_SCALE)))

    @property
    def motion(self) -> Motion:
        """Whether steps are animated: always, never or as the system is set."""
        return self._choice("motion", get_args(Motion), "system")

    def set_motion(self, motion: Motion) -> None:
        """Store whether steps are animated."""
        self._store("motion", motion)

    @property
    def color_map(self) -> ColorMapName:
        """Name of the color map that tensors are drawn with."""
        return self._choice("color_map", get_args(ColorMapName), DEFAULT_COLOR_MAP)

    def set_color_map(self, name: ColorMapName) -> None:
        """Store the color map."""
        self._store("color_map", name)

    @property
    def time_limit_s(self) -> int:
        """Time limit of a run in seconds; 0 means no limit."""
        return round(self._number("time_limit_s", 0, MOST_SECONDS, TIME_S))

    def set_time_limit_s(self, seconds: int) -> None:
        """Store the time limit, clamped to its bounds."""
        self._store("time_limit_s", max(0, min(seconds, MOST_SECONDS)))

    @property
    def memory_percent(self) -> int:
        """Memory limit of a run, in percent of this machine's memory."""
        return round(self._number("memory_percent", LEAST_MEMORY, MOST_MEMORY, MEMORY_PERCENT))

    def set_memory_percent(self, percent: int) -> None:
        """Store the memory limit, clamped to its bounds."""
        self._store("memory_percent", max(LEAST_MEMORY, min(percent, MOST_MEMORY)))

    @property
    def output_characters(self) -> int:
        """Limit for the printed characters that a trace stores."""
        return round(
            self._number("output_characters", LEAST_OUTPUT, MOST_OUTPUT, OUTPUT_CHARACTERS)
        )

    def set_output_characters(self, characters: int) -> None:
        """Store the limit for printed characters, clamped to its bounds."""
        self._store("output_characters", max(LEAST_OUTPUT, min(characters, MOST_OUTPUT)))

    @property
    def trace_mib(self) -> int:
        """Limit for the size of a run's trace, in MiB."""
        return round(self._number("trace_mib", LEAST_TRACE, MOST_TRACE, TRACE_BYTES >> 20))

    def set_trace_mib(self, mebibytes: int) -> None:
        """Store the limit for the size of a trace, clamped to its bounds."""
        self._store("trace_mib", max(LEAST_TRACE, min(mebibytes, MOST_TRACE)))

    @property
    def budget_mib(self) -> int:
        """Memory budget for whole tensors in one trace, in MiB."""
        return round(self._number("budget_mib", LEAST_BUDGET, MOST_BUDGET, 256))

    def set_budget_mib(self, mebibytes: int) -> None:
        """Store the budget for whole tensors, clamped to its bounds."""
        self._store("budget_mib", max(LEAST_BUDGET, min(mebibytes, MOST_BUDGET)))

    @property
    def recording_level(self) -> RecordingLevel:
        """Level of detail to record; all by default, since runs in the window are small."""
        return self._choice("recording_level", get_args(RecordingLevel), "all")

    def set_recording_level(self, level: RecordingLevel) -> None:
        """Store the level of detail to record."""
        self._store("recording_level", level)

    @property
    def watch_files(self) -> bool:
        """Whether an open Python file runs again when it is saved."""
        return self._switch("watch_files")

    def set_watch_files(self, watch: bool) -> None:
        """Store whether an open file runs again when it is saved."""
        self._store("watch_files", _SWITCHES[watch])

    @property
    def ask_to_save(self) -> bool:
        """Whether a window asks what becomes of an unsaved run before it closes."""
        return self._switch("ask_to_save")

    def set_ask_to_save(self, ask: bool) -> None:
        """Store whether a window asks about an unsaved run."""
        self._store("ask_to_save", _SWITCHES[ask])

    @property
    def editor(self) -> str:
        """Command of the user's editor with ``{file}`` and ``{line}``; empty to detect one."""
        return str(self._found("editor", ""))

    def set_editor(self, template: str) -> None:
        """Store the editor command."""
        self._store("editor", template.strip())

    @property
    def legend(self) -> bool:
        """Whether the graph's legend is expanded."""
        return self._switch("legend")

    def set_legend(self, shown: bool) -> None:
        """Store whether the legend is expanded."""
        self._store("legend", _SWITCHES[shown])

    @property
    def minimap(self) -> bool:
        """Whether a graph that does not fit its view has a minimap."""
        return self._switch("minimap")

    def set_minimap(self, shown: bool) -> None:
        """Store whether the minimap is shown."""
        self._store("minimap", _SWITCHES[shown])

    @property
    def hint_seen(self) -> bool:
        """Whether the first-start hint was seen; always true for preferences in memory."""
        if self._own is not None:
            return True
        return self._choice("hint_seen", _SWITCHES, _SWITCHES[False]) == _SWITCHES[True]

    def set_hint_seen(self, seen: bool) -> None:
        """Store whether the first-start hint was seen."""
        self._store("hint_seen", _SWITCHES[seen])

    def reset(self) -> None:
        """Remove every stored preference, so that the defaults apply."""
        old = {name: getattr(self, name) for name in _KEYS}
        self._given.clear()
        if self._own is not None:
            self._own.clear()
        else:
            settings = QSettings()
            for key in _KEYS.values():
                settings.remove(key)
        for name, value in old.items():
            if getattr(self, name) != value:
                self.changed.emit(name)

    @property
    def same_scale(self) -> bool:
        """Whether compared tensors share one color scale."""
        return self._switch("same_scale")

    def set_same_scale(self, same: bool) -> None:
        """Store whether compared tensors share one color scale."""
        self._store("same_scale", _SWITCHES[same])

    @property
    def folded_sections(self) -> dict[str, bool]:
        """Folded state of the inspector's sections that the user has opened or closed, by key."""
        pairs = [each.partition("=") for each in str(self._found("folded_sections", "")).split()]
        return {key: value == _SWITCHES[True] for key, _, value in pairs if value in _SWITCHES}

    def set_folded_sections(self, folded: dict[str, bool]) -> None:
        """Store the folded state of the inspector's sections."""
        pairs = (f"{key}={_SWITCHES[value]}" for key, value in folded.items())
        self._store("folded_sections", " ".join(pairs))

    def _store(self, name: str, value: object) -> None:
        old = getattr(self, name)
        self._given.pop(name, None)
        if self._own is not None:
            self._own[name] = value
        else:
            QSettings().setValue(_KEYS[name], value)
        if getattr(self, name) != old:
            self.changed.emit(name)

    def _found(self, name: str, default: object) -> object:
        if name in self._given:
            return self._given[name]
        if self._own is not None:
            return self._own.get(name, default)
        return QSettings().value(_KEYS[name], default)

    def _switch(self, name: str) -> bool:
        """Read an on/off preference whose default is on."""
        return self._choice(name, _SWITCHES, _SWITCHES[True]) == _SWITCHES[True]

    def _choice(self, name: str, allowed: tuple[_T, ...], default: _T) -> _T:
        value = self._found(name, default)
        for each in allowed:
            if value == each:
                return each
        text = "The setting %s is %r; expected one of %s."
        _LOG.warning(text, _KEYS[name], value, ", ".join(allowed))
        return default

    def _number(self, name: str, least: float, most: float, default: float) -> float:
        value = self._found(name, default)
        try:
            number = float(str(value))
        except ValueError:
            number = float("nan")
        if least <= number <= most:
            return number
        text = "The setting %s is %r; expected a number from %s to %s."
        _LOG.warning(text, _KEYS[name], value, least, most)
        return default
