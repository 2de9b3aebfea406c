"""Provides the run on the right: records it in its own child process, or opens its trace."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.host.job_ending import JobEnding
from gradviz.model.inputs import Offer
from gradviz.protocol.messages import (
    ChildRequest,
    Described,
    DescribeRequest,
    JobMessage,
    RunRequest,
    WorkProgress,
)
from gradviz.store.errors import TraceError
from gradviz.store.reader import TraceReader
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.session.host_bridge import Cancellable
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import OpenedTrace, open_with_index

LANE = "open-beside"


class OtherRunLoader(QObject):
    """Owns the trace on the right.

    Signals:
        progressed: Number of backward passes so far.
        shown: `index` has changed.
        described: The tuple of `Offer` found in a Python file.
        failed: An error sentence; nothing is running any more.
        noted: A sentence on how the run ended; its trace is shown nevertheless.
    """

    progressed = Signal(object)
    shown = Signal()
    described = Signal(object)
    failed = Signal(str)
    noted = Signal(str)

    def __init__(
        self,
        session: Session,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._background = background
        self._job: tuple[int, Cancellable] | None = None
        self._request: ChildRequest | None = None
        self._opening: Path | None = None
        self.reader: TraceReader | None = None
        self.index: TraceIndex | None = None
        session.bridge.messaged.connect(self._on_bridge_messaged)
        session.bridge.ended.connect(self._on_bridge_ended)

    @property
    def busy(self) -> bool:
        """Whether a run or a trace is in progress."""
        return self._job is not None or self._opening is not None

    def record(self, offer: Offer) -> None:
        """Run an offer in a child process and record it."""
        request = self._session.run_request(offer)
        self._session.files.hold(Path(request.trace))
        self._ask(request)

    def describe(self, path: Path) -> None:
        """Ask what a Python file offers to run."""
        self._ask(DescribeRequest(path=str(path), runs_work=True))

    def open(self, path: Path) -> None:
        """Open a trace in the background."""
        self.cancel()
        self._session.files.hold(path)
        self._open(path)

    def cancel(self) -> None:
        """Cancel running work; the trace that is shown stays."""
        if self._job is not None:
            self._job[1].cancel()
            self._drop(self._request)
        self._job, self._request = None, None
        self._background.cancel(LANE)
        if self._opening is not None:
            self._session.files.release(self._opening)
        self._opening = None

    def clear(self) -> None:
        """Cancel running work and close the trace."""
        self.cancel()
        self._release_trace()
        self.shown.emit()

    def close(self) -> None:
        """Cancel and release everything, without emitting `shown`."""
        self.cancel()
        self._release_trace()

    def _ask(self, request: ChildRequest) -> None:
        self.cancel()
        self._request = request
        self._job = self._session.bridge.start(request, self._session.limits_of())

    def _drop(self, request: ChildRequest | None) -> None:
        if isinstance(request, RunRequest):
            self._session.files.release(Path(request.trace))

    def _release_trace(self) -> None:
        reader, self.reader, self.index = self.reader, None, None
        if reader is not None:
            reader.close()
            self._session.files.release(reader.path)

    def _open(self, path: Path, ending: JobEnding | None = None) -> None:
        self._opening = path
        live = self._session.files.owns(path)

        def work(job: BackgroundJob) -> OpenedTrace:
            return open_with_index(path, job, live=live, ending=ending)

        def failed(error: Exception) -> None:
            self._opening = None
            self._session.files.release(path)
            self.failed.emit(str(error))

        self._background.start(
            work, self._show, failed, lane=LANE, expected=(TraceError,), computes=True
        )

    def _show(self, opened: OpenedTrace) -> None:
        self._opening = None
        old = self.reader
        self.reader, self.index = opened
        self.shown.emit()
        if old is not None:
            old.close()
            self._session.files.release(old.path)

    def _on_bridge_messaged(self, number: int, message: JobMessage) -> None:
        if self._job is None or number != self._job[0]:
            return
        if isinstance(message, WorkProgress):
            self.progressed.emit(message.done)
        elif isinstance(message, Described) and isinstance(self._request, DescribeRequest):
            if message.offers:
                self.described.emit(message.offers)
            else:
                self.failed.emit(message.problem)

    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        if self._job is None or number != self._job[0]:
            return
        run_request, self._job, self._request = self._request, None, None
        if isinstance(run_request, RunRequest) and Path(run_request.trace).exists():
            if ending.sentence:
                self.noted.emit(ending.sentence)
            self._open(Path(run_request.trace), ending)
            return
        self._drop(run_request)
        if ending.kind != "finished":
            self.failed.emit(ending.sentence)
