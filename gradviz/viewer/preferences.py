"""User preferences: typed, stored between sessions, with a signal for each change."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Generic, Literal, Self, TypeVar, get_args, overload

from PySide6.QtCore import QObject, QSettings, Signal

from gradviz.catalogue.language import available_languages
from gradviz.drawing.appearance.palette import DEFAULT_COLOR_MAP, ColorMapName
from gradviz.host.limits import MEMORY_PERCENT, OUTPUT_CHARACTERS, TIME_S, TRACE_BYTES
from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.recording_scope import parse_pass_range
from gradviz.store.file_kind import is_special
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.translation import SYSTEM

Motion = Literal["system", "on", "off"]

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_N = TypeVar("_N", bound=float)

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


class Preference(Generic[_T]):
    """An attribute of `Preferences` that is stored; an invalid stored value is ignored.

    Args:
        key: Key in the settings.
        default: What counts as stored while nothing valid is.
        read: Returns the value of what is stored; raises ValueError on what is not valid.
        write: Returns what is stored for a value.
        expected: What is valid, for the log.
    """

    def __init__(
        self,
        key: str,
        default: object,
        read: Callable[[object], _T],
        write: Callable[[_T], object] = lambda value: value,
        expected: str = "",
    ) -> None:
        self.key = key
        self._default, self._read, self._write = default, read, write
        self._expected = expected

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, preferences: None, owner: type) -> Self: ...

    @overload
    def __get__(self, preferences: Preferences, owner: type) -> _T: ...

    def __get__(self, preferences: Preferences | None, owner: type) -> Self | _T:
        if preferences is None:
            return self
        stored = preferences.stored(self.name, self.key)
        try:
            return self._read(self._default if stored is None else stored)
        except ValueError:
            _LOG.warning("The setting %s is %r; expected %s.", self.key, stored, self._expected)
        return self._read(self._default)

    def __set__(self, preferences: Preferences, value: _T) -> None:
        preferences.store(self.name, self.key, self._write(value))


class NumberPreference(Preference[_N]):
    """A number within limits, to which a new value is clamped."""

    def __init__(
        self, key: str, default: _N, limits: tuple[_N, _N], rounded: Callable[[float], _N]
    ) -> None:
        self.limits = least, most = limits

        def read(stored: object) -> _N:
            number = float(str(stored))
            if least <= number <= most:
                return rounded(number)
            raise ValueError

        def write(value: _N) -> _N:
            return max(least, min(rounded(value), most))

        super().__init__(key, default, read, write, f"a number from {least} to {most}")


def _choice(key: str, default: _T, kind: object) -> Preference[_T]:
    """One of the values of a literal type."""
    values = get_args(kind)
    return Preference(key, default, partial(_one_of, values), expected=_listed(values))


def _switch(key: str, default: bool = True) -> Preference[bool]:
    """Whether something is on."""

    def read(stored: object) -> bool:
        return _SWITCHES.index(_one_of(_SWITCHES, stored)) == 1

    return Preference(key, _SWITCHES[default], read, _SWITCHES.__getitem__, _listed(_SWITCHES))


def _one_of(allowed: tuple[_T, ...], stored: object) -> _T:
    for each in allowed:
        if stored == each:
            return each
    raise ValueError


def _listed(values: tuple[str, ...]) -> str:
    return f"one of {', '.join(values)}"


def _language(stored: object) -> str:
    return _one_of((SYSTEM, *available_languages()), stored)


def _passes(stored: object) -> str:
    text = str(stored)
    if text:
        parse_pass_range(text)
    return text


def _folded(stored: object) -> dict[str, bool]:
    pairs = [each.partition("=") for each in str(stored).split()]
    return {key: value == _SWITCHES[True] for key, _, value in pairs if value in _SWITCHES}


def _folded_text(folded: dict[str, bool]) -> str:
    return " ".join(f"{key}={_SWITCHES[value]}" for key, value in folded.items())


_IN_MEMORY: dict[str, object] = {"hint_seen": _SWITCHES[True]}
"""Values of preferences in memory that differ from the defaults."""


class Preferences(QObject):
    """The user's preferences, shared by all windows; an invalid stored value is ignored.

    Attributes:
        language: Code of the language, such as ``de``; ``system`` for the system's.
        theme: Light, dark or the system's.
        text_scale: Factor applied to all text sizes.
        motion: Whether steps are animated: always, never or as the system is set.
        color_map: Name of the color map that tensors are drawn with.
        time_limit_s: Time limit of a run in seconds; 0 means no limit.
        memory_percent: Memory limit of a run, in percent of this machine's memory.
        output_characters: Limit for the printed characters that a trace stores.
        trace_mib: Limit for the size of a run's trace, in MiB.
        budget_mib: Memory budget for whole tensors in one trace, in MiB.
        recording_level: Level of detail to record; all by default, since runs in the window are
            small.
        passes: Which backward passes of the user's code to record, as `parse_pass_range` reads it;
            empty for a sample of a long run.
        watch_files: Whether an open Python file runs again when it is saved.
        ask_to_save: Whether a window asks what becomes of an unsaved run before it closes.
        legend: Whether the graph's legend is expanded.
        hint_seen: Whether the first-start hint was seen; always true for preferences in memory.
        same_scale: Whether compared tensors share one color scale.
        editor: Command of the user's editor with ``{file}`` and ``{line}``; empty to detect one.
        folded_sections: Folded state of the inspector's sections that the user has opened or
            closed, by key.

    Signals:
        changed: Name of the attribute that has a new value.
    """

    language = Preference("window/language", SYSTEM, _language, expected="an available language")
    theme: Preference[ThemeChoice] = _choice("window/theme", "system", ThemeChoice)
    text_scale = NumberPreference(
        "window/text_scale", 1.0, (0.8, 2.0), lambda scale: round(scale, 2)
    )
    motion: Preference[Motion] = _choice("window/motion", "system", Motion)
    color_map = _choice("window/colour_map", DEFAULT_COLOR_MAP, ColorMapName)
    time_limit_s = NumberPreference("run/time_limit_s", TIME_S, (0, 86_400), round)
    memory_percent = NumberPreference("run/memory_percent", MEMORY_PERCENT, (10, 90), round)
    output_characters = NumberPreference(
        "run/output_characters", OUTPUT_CHARACTERS, (1_000, 1_000_000_000), round
    )
    trace_mib = NumberPreference("run/trace_mib", TRACE_BYTES >> 20, (16, 1 << 20), round)
    budget_mib = NumberPreference("run/budget_mib", 256, (16, 16_384), round)
    recording_level: Preference[RecordingLevel] = _choice(
        "run/recording_level", "all", RecordingLevel
    )
    passes = Preference("run/passes", "", _passes, str.strip, "a range of passes")
    watch_files = _switch("run/watch_files")
    ask_to_save = _switch("run/ask_to_save")
    legend = _switch("graph/legend")
    hint_seen = _switch("window/hint_seen", default=False)
    same_scale = _switch("inspector/same_scale")
    editor = Preference("source/editor", "", str, str.strip)
    folded_sections = Preference("inspector/sections", "", _folded, _folded_text)

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
        self._own = None if stored else dict(_IN_MEMORY)
        self._given: dict[str, object] = {} if theme is None else {"theme": theme}

    def set(self, name: str, value: object) -> None:
        """Store the value of a preference by its name."""
        assert name in _PREFERENCES
        setattr(self, name, value)

    def reset(self) -> None:
        """Remove every stored preference, so that the defaults apply."""
        old = {name: getattr(self, name) for name in _PREFERENCES}
        self._given.clear()
        if self._own is not None:
            self._own = dict(_IN_MEMORY)
        else:
            settings = QSettings()
            for each in _PREFERENCES.values():
                settings.remove(each.key)
        for name, value in old.items():
            if getattr(self, name) != value:
                self.changed.emit(name)

    def store(self, name: str, key: str, value: object) -> None:
        """Store what `Preference` writes, and announce it if the preference has a new value."""
        old = getattr(self, name)
        self._given.pop(name, None)
        if self._own is not None:
            self._own[name] = value
        else:
            QSettings().setValue(key, value)
        if getattr(self, name) != old:
            self.changed.emit(name)

    def stored(self, name: str, key: str) -> object:
        """Return what is stored for a preference; None if nothing is."""
        if name in self._given:
            return self._given[name]
        if self._own is not None:
            return self._own.get(name)
        return QSettings().value(key)


_PREFERENCES = {
    name: each for name, each in vars(Preferences).items() if isinstance(each, Preference)
}
