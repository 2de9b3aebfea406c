"""A log of the last commands for error reports: only their names, no user data."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

MOST = 20


class ActionLog(QObject):
    """Records which actions were triggered, and when."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: deque[tuple[float, str]] = deque(maxlen=MOST)

    def listen(self, actions: Iterable[QAction]) -> None:
        """Start to record actions; their texts must not contain user data."""
        for action in actions:
            action.triggered.connect(self._on_action_triggered)

    def text(self) -> str:
        """One line per action, the latest one last: how long ago, and which action."""
        now = time.monotonic()
        lines = [f"{now - when:8.1f} s ago  {what}" for when, what in self._entries]
        return "\n".join(lines)

    @Slot()
    def _on_action_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            what = action.text().replace("&", "").rstrip("…")
            self._entries.append((time.monotonic(), what))
