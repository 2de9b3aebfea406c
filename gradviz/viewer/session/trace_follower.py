"""Shows more of an opened trace while another process is still recording it."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, time

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.store.errors import TraceError
from gradviz.store.header import TraceStamp, trace_stamp
from gradviz.viewer.background import Background
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import OpenedTrace, open_with_index
from gradviz.viewer.state import ViewerState

_POLL_MS = 1000
_REST = 4
"""A trace is read again after at least this many times the duration of the last reading."""
_GROWTH = 1.1
_QUIET_S = 30.0
"""A recording without new data for this long may have died, so it is not called in progress."""


class TraceFollower(QObject):
    """Opens the shown trace file again when it has grown, until its recording has ended.

    A finished trace is not watched, nor are runs of this window, which are shown at their end.

    Args:
        state: Shows the trace.
        session: Has opened its file.
        background: Opens it again.
        parent: The window.

    Signals:
        changed: A phrase for the status, such as how many steps there are; empty if the shown
            trace is not being recorded.
        message_emitted: A sentence and its tone, when the recording has ended.
    """

    changed = Signal(str)
    message_emitted = Signal(str, str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._path: Path | None = None
        self._seen: TraceStamp = ()
        self._grown_at = 0.0
        self._text = ""
        self._is_opening = False
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        state.trace_changed.connect(self._on_state_trace_changed)

    @property
    def is_following(self) -> bool:
        """Whether the shown trace is watched."""
        return self._timer.isActive()

    def _on_state_trace_changed(self, index: object) -> None:
        path = self._session.trace_path
        is_same, self._path = path == self._path, path
        if path is None or self._session.files.owns(path) or self._has_ended():
            self._timer.stop()
        elif not is_same or not self.is_following:
            # What was written since the trace was opened is read at the first poll.
            self._seen = ()
            self._grown_at = monotonic() - _age_s(path)
            self._timer.start(_POLL_MS)
        self._tell()

    def _has_ended(self) -> bool:
        index = self._state.index
        return index is None or index.trace.outcome is not None

    def _on_timer_timeout(self) -> None:
        path = self._path
        # A run or another file is about to take the place of this trace.
        if path is None or self._is_opening or self._session.activity != "idle":
            return
        now = trace_stamp(path)
        if now and now != self._seen:
            if self._seen:
                self._grown_at = monotonic()
            self._seen, self._is_opening = now, True
            began = monotonic()
            self._background.start(
                lambda job: open_with_index(path, job, live=False),
                lambda opened: self._show(opened, began),
                self._on_opening_failed,
                lane="follow",
                expected=(TraceError,),
            )
        self._tell()

    def _show(self, opened: OpenedTrace, began: float) -> None:
        self._is_opening = False
        reader, index = opened
        old, replaced = self._state.index, reader.path != self._session.trace_path
        if replaced or old is None or self._session.activity != "idle":
            reader.close()
            self._seen = ()
            return
        is_same = len(index.trace.steps) == len(old.trace.steps)
        # The whole window is drawn again, so not for a few points of a long curve.
        is_same = is_same and _known_passes(index) <= _GROWTH * _known_passes(old)
        if is_same and index.trace.outcome is None:
            reader.close()
            return
        self._session.show_grown(opened)
        if self.is_following:
            self._timer.start(max(_POLL_MS, int(_REST * 1000 * (monotonic() - began))))
        else:
            count = len(index.trace.steps)
            text = self.tr("The recording is complete: %Ln step(s).", "", count)
            self.message_emitted.emit(text, "info")

    def _on_opening_failed(self, error: Exception) -> None:
        # The next poll tries again: a copy over the network, for example, may be half written.
        self._is_opening, self._seen = False, ()

    def _tell(self) -> None:
        text, index = "", self._state.index
        if self.is_following and index is not None and monotonic() - self._grown_at < _QUIET_S:
            count = len(index.trace.steps)
            text = self.tr("Recording is in progress: %Ln step(s)", "", count)
        if text != self._text:
            self._text = text
            self.changed.emit(text)


def _age_s(path: Path) -> float:
    """Time since the last change, in seconds."""
    changed_ns = [mtime for _, mtime in trace_stamp(path)]
    return max(0.0, time() - max(changed_ns, default=0) / 1e9)


def _known_passes(index: TraceIndex) -> int:
    """How many passes have a loss or gradient norms, recorded or not, if some are not."""
    return sum(len(each.losses) for each in index.trace.numbers)
