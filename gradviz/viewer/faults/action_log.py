"""The last commands of the user, for the report of a crash: their names, nothing of the user's."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

MOST = 20


class ActionLog(QObject):
    """Remembers which actions were triggered, and when."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: deque[tuple[float, str]] = deque(maxlen=MOST)

    def listen(self, actions: Iterable[QAction]) -> None:
        """Takes note of these from now on. Their texts must be our own words."""
        for action in actions:
            action.triggered.connect(self._on_action_triggered)

    def text(self) -> str:
        """One line for each, the last one last; how long ago, and what."""
        now = time.monotonic()
        lines = [f"{now - when:8.1f} s ago  {what}" for when, what in self._entries]
        return "\n".join(lines)

    @Slot()
    def _on_action_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            what = action.text().replace("&", "").rstrip("…")
            self._entries.append((time.monotonic(), what))
