"""What the user prefers: typed, remembered over starts, and announced when it changes."""

from __future__ import annotations

import logging
from typing import Literal, TypeVar, get_args

from PySide6.QtCore import QObject, QSettings, Signal

from gradviz.viewer.theme import Choice

Motion = Literal["system", "on", "off"]

LEAST_SCALE, MOST_SCALE = 0.8, 2.0
"""Bounds of the factor on the size of type."""

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T", bound=str)


class Preferences(QObject):
    """One object for all windows. A stored value that makes no sense counts as never stored.

    Signals:
        changed: Name of the property that has a new value.
    """

    changed = Signal(str)

    @property
    def theme(self) -> Choice:
        """Light, dark, or as the system has it."""
        return _choice("window/theme", get_args(Choice), "system")

    def set_theme(self, choice: Choice) -> None:
        """Changes `theme`."""
        self._store("theme", "window/theme", choice)

    @property
    def text_scale(self) -> float:
        """Factor on the size of all type, from 0.8 to 2."""
        return _number("window/text_scale", LEAST_SCALE, MOST_SCALE, 1.0)

    def set_text_scale(self, scale: float) -> None:
        """Changes `text_scale`, within its bounds."""
        scale = max(LEAST_SCALE, min(round(scale, 2), MOST_SCALE))
        self._store("text_scale", "window/text_scale", scale)

    @property
    def motion(self) -> Motion:
        """Whether steps are animated: as the system has it, always, or never."""
        return _choice("window/motion", get_args(Motion), "system")

    def set_motion(self, motion: Motion) -> None:
        """Changes `motion`."""
        self._store("motion", "window/motion", motion)

    def _store(self, name: str, key: str, value: object) -> None:
        if getattr(self, name) != value:
            QSettings().setValue(key, value)
            self.changed.emit(name)


def _choice(key: str, allowed: tuple[_T, ...], default: _T) -> _T:
    value = QSettings().value(key, default)
    for each in allowed:
        if value == each:
            return each
    _LOG.warning("The setting %s is %r, which is none of %s.", key, value, ", ".join(allowed))
    return default


def _number(key: str, least: float, most: float, default: float) -> float:
    value = QSettings().value(key, default)
    try:
        number = float(str(value))
    except ValueError:
        number = float("nan")
    if least <= number <= most:
        return number
    _LOG.warning("The setting %s is %r, which is not from %s to %s.", key, value, least, most)
    return default
