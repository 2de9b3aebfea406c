"""Handlers of Qt's messages: needless ones are dropped, and a lost display ends the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

SILENCED_MESSAGE = (
    "This plugin does not support propagateSizeHints",
    "This plugin does not support raise",
)

MessageHandler = Callable[[QtMsgType, QMessageLogContext, str], None]


LOST_DISPLAY = "The X11 connection broke: "
"""Begins what Qt says before Xlib calls ``exit`` in the middle of any call."""


class MessageFilter:
    """Handles some of Qt's messages between `install` and `remove`."""

    def __init__(self) -> None:
        self._old: MessageHandler | None = None

    def install(self) -> None:
        """Start; all other messages are handled as before."""
        self._old = qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        """Restore the previous message handler."""
        qInstallMessageHandler(self._old)

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if self._old is not None:
            self._old(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")


class QuietOffscreen(MessageFilter):
    """Drops needless messages of Qt's offscreen platform."""

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if not text.startswith(SILENCED_MESSAGE):
            super()._handle(kind, context, text)


class LostDisplay(MessageFilter):
    """Ends the process at once when the X server has gone.

    Xlib would run the destructors of objects that are in use, which crash. The temporary files are
    removed by the next start.
    """

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        super()._handle(kind, context, text)
        if text.startswith(LOST_DISPLAY):
            sys.stderr.flush()
            os._exit(1)
