"""A message handler that drops needless messages of Qt's offscreen platform."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

SILENCED_MESSAGE = (
    "This plugin does not support propagateSizeHints",
    "This plugin does not support raise",
)

MessageHandler = Callable[[QtMsgType, QMessageLogContext, str], None]


class QuietOffscreen:
    """Filters Qt's messages between `install` and `remove`."""

    def __init__(self) -> None:
        self._old: MessageHandler | None = None

    def install(self) -> None:
        """Start to filter; all other messages are handled as before."""
        self._old = qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        """Restore the previous message handler."""
        qInstallMessageHandler(self._old)

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text.startswith(SILENCED_MESSAGE):
            return
        if self._old is not None:
            self._old(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")
