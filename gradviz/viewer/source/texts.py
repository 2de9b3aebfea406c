"""Parses source texts: short ones at once, long ones in the background."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.model.index import Index
from gradviz.model.source import Source
from gradviz.viewer.background import Background
from gradviz.viewer.source.syntax import Text, plain_text_of, text_of
from gradviz.viewer.state import ViewerState

MOST_AT_ONCE = 20_000
"""Maximum number of characters parsed in the GUI thread."""


class Texts(QObject):
    """A cache of a trace's parsed sources.

    Args:
        state: The viewer state whose trace is shown.
        background: Parses long sources; without it, they are parsed at once, too.
        parent: The owner of this object.

    Signals:
        ready: Number of a source that has now been parsed.
    """

    ready = Signal(object)

    def __init__(
        self, state: ViewerState, background: Background | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._known: dict[int, Text] = {}
        state.trace_changed.connect(self._on_state_trace_changed)

    def get(self, source: Source) -> Text:
        """Return a parsed source; a long one has no colors and statements at first."""
        text = self._known.get(source.id)
        if text is None:
            at_once = len(source.text) <= MOST_AT_ONCE or self._background is None
            text = text_of(source.text) if at_once else self._later(source)
            self._known[source.id] = text
        return text

    def _later(self, source: Source) -> Text:
        plain = plain_text_of(source.text)
        known, background = self._known, self._background
        assert background is not None

        def done(text: Text) -> None:
            # The number would mean another source if the trace has changed.
            if known is self._known:
                known[source.id] = text
                self.ready.emit(source.id)

        background.start(
            lambda _job: text_of(source.text), done, lane=f"source {source.id}", computes=True
        )
        return plain

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        if self._background is not None:
            for source in self._known:
                self._background.cancel(f"source {source}")
        self._known = {}
