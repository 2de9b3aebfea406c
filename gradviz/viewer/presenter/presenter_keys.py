"""The single keys of Presenter Mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QTextEdit,
    QWidget,
)

from gradviz.viewer.local_keys import PRESENTER_KEYS

_FIELDS = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit, QComboBox, QAbstractItemView)
_KEPT_BY_SLIDERS = ("Left", "Right", "Home", "End")
_KEPT_BY_TEXTS = ("Up", "Down", "Home", "End")


class PresenterKeys(QObject):
    """Window-wide single-key shortcuts that leave fields, sliders and buttons their own keys."""

    def __init__(self, window: QWidget, calls: Mapping[str, Callable[[], object]]) -> None:
        """Create the shortcuts, disabled until `set_enabled` is called.

        Args:
            window: The window in which they work.
            calls: The function to call for each command in the key table.
        """
        super().__init__(window)
        self._enabled = False
        self._shortcuts: dict[str, QShortcut] = {}
        for local in PRESENTER_KEYS.keys:
            for key in local.keys:
                shortcut = QShortcut(QKeySequence(key), window)
                shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
                shortcut.setEnabled(False)
                shortcut.activated.connect(calls[local.command])
                self._shortcuts[key] = shortcut

    def set_enabled(self, enabled: bool) -> None:
        """Enable or disable the shortcuts."""
        if enabled == self._enabled:
            return
        self._enabled = enabled
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if enabled:
            app.focusChanged.connect(self._on_app_focus_changed)
        else:
            app.focusChanged.disconnect(self._on_app_focus_changed)
        self._fit_to(QApplication.focusWidget())

    def _fit_to(self, focus: QWidget | None) -> None:
        """Disable the keys that the focused field, slider or button needs itself."""
        kept = _kept_keys(focus)
        for key, shortcut in self._shortcuts.items():
            # Every field lets Esc through, so that it leaves from anywhere.
            taken = key != "Esc" and (kept is None or key in kept)
            shortcut.setEnabled(self._enabled and not taken)

    def _on_app_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        self._fit_to(now)


def _kept_keys(focus: QWidget | None) -> tuple[str, ...] | None:
    """Return the keys that a focused widget needs; None for all keys."""
    if isinstance(focus, QPlainTextEdit | QTextEdit) and focus.isReadOnly():
        return _KEPT_BY_TEXTS
    if isinstance(focus, _FIELDS):
        return None
    if isinstance(focus, QAbstractButton):
        return ("Space",)
    return _KEPT_BY_SLIDERS if isinstance(focus, QSlider) else ()
