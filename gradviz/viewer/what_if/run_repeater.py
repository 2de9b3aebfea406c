"""Repeats the run of the window with other values, as often as a value changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from msgspec import structs
from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.host.job_ending import JobEnding
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer
from gradviz.model.inside import RecordingLevel
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import JobMessage, Ran, RunRequest
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.session.host_bridge import RepeatableJob
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import OpenedTrace, open_with_index

_SLOW_S = 1.0
"""A run that takes longer is not repeated for values on the way to another one."""

_LONGEST_PREVIEW_MS = 1000

_Asked = tuple[Offer, tuple[WhatIfChange, ...], RecordingLevel]


class RunRepeater(QObject):
    """Makes one run at a time in a child that stays, and shows each at the place that is shown.

    A request that comes during a run waits for its end; only the latest one does. If a run fails,
    what was shown stays.

    Attributes:
        preview: Draws the coming run before the other views of the window show it, and returns
            whether it calls `show` when that is done.
        check_settings: Settings of a check of each run, of which its pictures show something;
            None if they don't.

    Signals:
        failed: Why there is no new run, as a sentence.
        dropped: The coming run will not be shown.
    """

    failed = Signal(str)
    dropped = Signal()

    def __init__(
        self, session: Session, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._background = session, background
        self._job: tuple[int, RepeatableJob] | None = None
        self._request: RunRequest | None = None
        self._is_running = False
        self._wanted: _Asked | None = None
        self._began = 0.0
        self._last_s = 0.0
        self._opened: OpenedTrace | None = None
        self.preview: Callable[[], bool] = lambda: False
        self.check_settings: Callable[[], CheckSettings | None] = lambda: None
        self._latest = QTimer(self, singleShot=True, interval=_LONGEST_PREVIEW_MS)
        self._latest.timeout.connect(self.show)
        session.bridge.messaged.connect(self._on_bridge_messaged)
        session.bridge.ended.connect(self._on_bridge_ended)

    @property
    def is_slow(self) -> bool:
        """Whether the last run took so long that only final values are worth another one."""
        return self._last_s > _SLOW_S

    @property
    def is_busy(self) -> bool:
        """Whether a run is asked for, or is made, that is not shown yet."""
        return self._request is not None

    @property
    def coming(self) -> TraceIndex | None:
        """A run that is complete, but that the window does not show yet; None without one."""
        return None if self._opened is None else self._opened[1]

    def repeat(
        self, offer: Offer, changes: tuple[WhatIfChange, ...], level: RecordingLevel
    ) -> None:
        """Run an offer with changes and show it, after the run that is being made, if any.

        Args:
            offer: What to run.
            changes: Its changes.
            level: Level of detail of the run that is shown, so that its place is there again.
        """
        self._wanted = offer, changes, level
        if self._request is None:
            self._start()

    def cancel(self) -> None:
        """Discard what is running; a child that waits stays."""
        if self._request is not None:
            self.stop()

    def stop(self) -> None:
        """Discard what is running, and end the child."""
        self._wanted = None
        self._background.cancel("repeat")
        self._latest.stop()
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None
            self.dropped.emit()
        self._forget_request()
        if self._job is not None:
            self._job[1].cancel()
            self._job = None

    def _start(self) -> None:
        if self._wanted is None:
            return
        (offer, changes, level), self._wanted = self._wanted, None
        request, check = self._session.run_request(offer, changes), self.check_settings()
        request = structs.replace(request, level=level, check=check, stays=True)
        self._session.files.hold(Path(request.trace))
        self._request, self._is_running, self._began = request, True, monotonic()
        if self._job is None:
            self._job = self._session.bridge.start(request, self._session.limits_of(offer))
        else:
            self._job[1].run_next(request)

    def _forget_request(self) -> None:
        """Delete the trace of the request, unless it is shown."""
        self._is_running = False
        if self._request is not None:
            self._session.files.release(Path(self._request.trace))
            self._request = None

    def _on_bridge_messaged(self, number: int, message: JobMessage) -> None:
        if self._job is not None and number == self._job[0] and isinstance(message, Ran):
            self._finish(message.problem)

    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        if self._job is None or number != self._job[0]:
            return
        self._job = None
        if self._is_running:
            # Some systems have no child that stays.
            self._finish("" if ending.kind == "finished" else ending.sentence)

    def _finish(self, problem: str) -> None:
        assert self._request is not None
        self._is_running = False
        self._last_s = monotonic() - self._began
        if problem:
            self._fail(problem)
            return
        path = Path(self._request.trace)
        self._background.start(
            lambda job: open_with_index(path, job, live=True),
            self._take,
            lambda error: self._fail(str(error)),
            lane="repeat",
            expected=(TraceError,),
        )

    def _take(self, opened: OpenedTrace) -> None:
        self._opened = opened
        self._latest.start()
        if not self.preview():
            self.show()

    def show(self) -> None:
        """Show the run that was drawn ahead in all views, and begin the next one."""
        self._latest.stop()
        opened, self._opened = self._opened, None
        if opened is None or self._request is None:
            return
        if self._session.activity == "idle":
            self._session.show_repeated(opened, self._request.offer)
        else:
            # Something else has begun in the meantime.
            opened[0].close()
        self._forget_request()
        self._start()

    def _fail(self, sentence: str) -> None:
        self._forget_request()
        self.failed.emit(sentence)
        self._start()
