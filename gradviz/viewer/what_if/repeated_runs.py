"""Repeats the run of the window with other values, as often as a value changes."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from msgspec import structs
from PySide6.QtCore import QObject, Signal

from gradviz.host.job_ending import JobEnding
from gradviz.model.inputs import Offer
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import JobMessage, Ran, RunRequest
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.session.host_bridge import RepeatableJob
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import OpenedTrace, open_with_index

_SLOW_S = 1.0
"""A run that takes longer is not repeated for values on the way to another one."""

_Asked = tuple[Offer, tuple[WhatIfChange, ...]]


class RepeatedRuns(QObject):
    """Makes one run at a time in a child that stays, and shows each at the place that is shown.

    A request that comes during a run waits for its end; only the latest one does. If a run fails,
    what was shown stays.

    Signals:
        failed: Why there is no new run, as a sentence.
    """

    failed = Signal(str)

    def __init__(
        self, session: Session, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._background = session, background
        self._job: tuple[int, RepeatableJob] | None = None
        self._request: RunRequest | None = None
        self._wanted: _Asked | None = None
        self._began = 0.0
        self._last_s = 0.0
        session.bridge.messaged.connect(self._on_bridge_messaged)
        session.bridge.ended.connect(self._on_bridge_ended)

    @property
    def is_slow(self) -> bool:
        """Whether the last run took so long that only final values are worth another one."""
        return self._last_s > _SLOW_S

    def repeat(self, offer: Offer, changes: tuple[WhatIfChange, ...]) -> None:
        """Run an offer with changes and show it, after the run that is being made, if any."""
        self._wanted = offer, changes
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
        self._forget_request()
        if self._job is not None:
            self._job[1].cancel()
            self._job = None

    def _start(self) -> None:
        if self._wanted is None:
            return
        (offer, changes), self._wanted = self._wanted, None
        request = self._session.run_request(offer)
        request = structs.replace(request, changes=changes, stays=True)
        self._session.files.hold(Path(request.trace))
        self._request, self._began = request, monotonic()
        if self._job is None:
            self._job = self._session.bridge.start(request, self._session.limits)
        else:
            self._job[1].run_next(request)

    def _forget_request(self) -> None:
        """Delete the trace of the request, unless it is shown."""
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
        if self._request is not None:
            # Some systems have no child that stays.
            self._finish("" if ending.kind == "finished" else ending.sentence)

    def _finish(self, problem: str) -> None:
        assert self._request is not None
        self._last_s = monotonic() - self._began
        if problem:
            self._fail(problem)
            return
        path, offer = Path(self._request.trace), self._request.offer
        self._background.start(
            lambda job: open_with_index(path, job, live=True),
            lambda opened: self._show(opened, offer),
            lambda error: self._fail(str(error)),
            lane="repeat",
            expected=(TraceError,),
        )

    def _show(self, opened: OpenedTrace, offer: Offer) -> None:
        if self._session.activity == "idle":
            self._session.show_repeated(opened, offer)
        else:
            # Something else has begun in the meantime.
            opened[0].close()
        self._forget_request()
        self._start()

    def _fail(self, sentence: str) -> None:
        self._forget_request()
        self.failed.emit(sentence)
        self._start()
