"""Keeps one needless message of the offscreen platform off the terminal; all others stay."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

NEEDLESS = ("This plugin does not support propagateSizeHints", "This plugin does not support raise")

Handler = Callable[[QtMsgType, QMessageLogContext, str], None]


class QuietOffscreen:
    """Handles Qt's messages from `install` to `remove`."""

    def __init__(self) -> None:
        self._old: Handler | None = None

    def install(self) -> None:
        """Begins; messages that are not needless go where they went before."""
        self._old = qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        """Puts back what was there."""
        qInstallMessageHandler(self._old)

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text.startswith(NEEDLESS):
            return
        if self._old is not None:
            self._old(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")
