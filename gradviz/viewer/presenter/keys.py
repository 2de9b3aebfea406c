"""The keys of Presenter Mode, for clickers and keyboards, independent of the focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, Slot
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

from gradviz.viewer.keys import LOCAL_KEYS

_FIELDS = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit, QComboBox, QAbstractItemView)
_MOVES = ("Left", "Right", "Home", "End")


class RoomKeys(QObject):
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
        for local in LOCAL_KEYS["presenter"]:
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
        field = isinstance(focus, _FIELDS)
        button, slider = isinstance(focus, QAbstractButton), isinstance(focus, QSlider)
        for key, shortcut in self._shortcuts.items():
            kept = field or (button and key == "Space") or (slider and key in _MOVES)
            shortcut.setEnabled(self._enabled and not kept)

    @Slot("QWidget*", "QWidget*")
    def _on_app_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        self._fit_to(now)
