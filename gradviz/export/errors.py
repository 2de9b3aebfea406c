"""Errors of the exports."""

from __future__ import annotations

from gradviz.catalogue.messages import say


class ExportError(Exception):
    """Export failed; the message is one sentence for people."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(say(message, **values))
