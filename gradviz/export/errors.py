"""Why something could not be exported."""

from __future__ import annotations

from gradviz.model.messages import say


class ExportError(Exception):
    """The export is not possible; its text is one sentence for people."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(say(message, **values))
