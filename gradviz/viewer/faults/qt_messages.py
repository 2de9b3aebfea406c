"""A message handler that drops needless messages of Qt's offscreen platform."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

NEEDLESS = ("This plugin does not support propagateSizeHints", "This plugin does not support raise")

Handler = Callable[[QtMsgType, QMessageLogContext, str], None]


class QuietOffscreen:
    """Filters Qt's messages between `install` and `remove`."""

    def __init__(self) -> None:
        self._old: Handler | None = None

    def install(self) -> None:
        """Start to filter; all other messages are handled as before."""
        self._old = qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        """Restore the previous message handler."""
        qInstallMessageHandler(self._old)

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text.startswith(NEEDLESS):
            return
        if self._old is not None:
            self._old(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")
