"""The keys of presenter mode: what clickers and speakers press, wherever the focus is."""

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
    """Single keys that act window-wide, but take nothing from a field, a slider or a button."""

    def __init__(self, window: QWidget, calls: Mapping[str, Callable[[], object]]) -> None:
        """Makes the shortcuts; none acts before `set_enabled`.

        Args:
            window: Where they act.
            calls: What is done for each command of the keys' table.
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
        """Begins or ends to act."""
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
        """Leaves to a field all keys, to a slider its arrows, and to a button the space bar."""
        field = isinstance(focus, _FIELDS)
        button, slider = isinstance(focus, QAbstractButton), isinstance(focus, QSlider)
        for key, shortcut in self._shortcuts.items():
            kept = field or (button and key == "Space") or (slider and key in _MOVES)
            shortcut.setEnabled(self._enabled and not kept)

    @Slot("QWidget*", "QWidget*")
    def _on_app_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        self._fit_to(now)
