"""Runs work in threads and returns the results to the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import sleep
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThreadPool, Signal, Slot

ReportProgress = Callable[[int, int], None]
OnDone = Callable[[Any], None]
OnFailed = Callable[[Exception], None]

MOST_AT_ONCE = 4

PATIENCE_MS = 300
"""Shorter work is not announced, as it would only flash."""

_PAUSE_S = 0.001

_AFTER_PAINTING = Qt.EventPriority.LowEventPriority.value - 1
"""Qt posts its requests to paint at the low priority."""

_LONGEST_WAIT_S = 0.25
"""Maximum time in seconds that one call of `BackgroundJob.cancelled` waits."""


class JobCancelledError(Exception):
    """The result of a job is no longer wanted."""


class _ResultPainting(QObject):
    """Makes jobs wait while the GUI thread shows a result and paints it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_over = threading.Event()
        self._is_over.set()
        self._is_closed = False

    def begin(self) -> None:
        """Make jobs wait until pending events and paints have been processed."""
        if self._is_closed:
            return
        self._is_over.clear()
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), _AFTER_PAINTING)

    def close(self) -> None:
        """Let jobs go on, and never make them wait again."""
        self._is_closed = True
        self._is_over.set()

    def wait(self) -> None:
        """Wait until the result has been painted; called by jobs."""
        self._is_over.wait(_LONGEST_WAIT_S)

    def customEvent(self, event: QEvent) -> None:
        """Let jobs go on after painting."""
        self._is_over.set()


class BackgroundJob(QObject):
    """One piece of background work.

    The work should check `cancelled` from time to time, may call `report` with its progress, and
    may `commit`. Everything else belongs to the GUI thread.
    """

    _finished = Signal(object)
    _failed = Signal(object)
    _progressed = Signal(object, object)
    _ended = Signal()

    def __init__(
        self,
        done: OnDone,
        failed: OnFailed | None,
        progress: ReportProgress | None,
        painting: _ResultPainting,
        *,
        computes: bool,
    ) -> None:
        super().__init__()
        self._painting = painting
        self._computes = computes
        self._cancel = threading.Event()
        self._committed = False
        self._guard = threading.Lock()
        self._calls = (done, failed, progress)
        self._call: Callable[[], None] | None = None
        self._finished.connect(self._on_work_finished)
        self._failed.connect(self._on_work_failed)
        self._progressed.connect(self._on_work_progressed)

    def cancelled(self) -> bool:
        """Return whether the result is no longer wanted.

        A job that computes first waits while the GUI thread shows a result, so that it does not
        take the interpreter lock from it. Call this only in the work, and not while holding a lock.
        """
        if self._computes:
            self._painting.wait()
        return self._cancel.is_set()

    def pause(self) -> None:
        """Let the GUI thread run; to be called often by work that holds the interpreter lock.

        Raises:
            JobCancelledError: If the result is no longer wanted. The job then ends silently.
        """
        if self.cancelled():
            raise JobCancelledError
        sleep(_PAUSE_S)

    def commit(self) -> None:
        """Make `cancel` do nothing from here on; called by the work before it changes a file.

        Raises:
            JobCancelledError: If the result is no longer wanted. The job then ends silently.
        """
        with self._guard:
            if self._cancel.is_set():
                raise JobCancelledError
            self._committed = True

    def cancel(self) -> bool:
        """Discard the result and ask the work to stop; return False if it is too late."""
        with self._guard:
            if not self._committed:
                self._cancel.set()
            return not self._committed

    def report(self, done: int, total: int) -> None:
        """Report progress; called by the work, in its own thread."""
        self._progressed.emit(done, total)

    def call_after_painting(self, call: Callable[[], None]) -> None:
        """Call a function in the GUI thread once pending events and paints have been processed."""
        self._call = call
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), _AFTER_PAINTING)

    def run(
        self, work: Callable[[BackgroundJob], Any], expected: tuple[type[Exception], ...]
    ) -> None:
        """Do the work, in its thread; an unexpected exception reaches the exception hook."""
        try:
            if not self._cancel.is_set():
                self._finished.emit(work(self))
        except JobCancelledError:
            pass
        except expected as error:
            self._failed.emit(error)
        finally:
            self._ended.emit()

    @Slot(object)
    def _on_work_finished(self, result: object) -> None:
        if not self._cancel.is_set():
            self._painting.begin()
            self._calls[0](result)

    @Slot(object)
    def _on_work_failed(self, error: Exception) -> None:
        if not self._cancel.is_set() and self._calls[1] is not None:
            self._calls[1](error)

    @Slot(object, object)
    def _on_work_progressed(self, done: int, total: int) -> None:
        if not self._cancel.is_set() and self._calls[2] is not None:
            self._calls[2](done, total)

    def customEvent(self, event: QEvent) -> None:
        """Call the function that was passed to `call_after_painting`."""
        call, self._call = self._call, None
        if call is not None:
            call()


class Background(QObject):
    """Starts jobs in thread pools and tracks the running ones.

    Signals:
        idle: The last running job has ended.
    """

    idle = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(MOST_AT_ONCE)
        self._turns = QThreadPool(self)
        self._turns.setMaxThreadCount(1)
        self._painting = _ResultPainting(self)
        self._jobs: list[BackgroundJob] = []
        self._lanes: dict[str, BackgroundJob] = {}
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether any job is still queued or running."""
        return bool(self._jobs)

    def start(
        self,
        work: Callable[[BackgroundJob], Any],
        on_done: OnDone,
        on_error: OnFailed | None = None,
        on_progress: ReportProgress | None = None,
        *,
        lane: str = "",
        expected: tuple[type[Exception], ...] = (),
        computes: bool = False,
    ) -> BackgroundJob:
        """Run ``work(job)`` in a thread, then one of the callbacks in the GUI thread.

        Args:
            work: Must not touch widgets; nothing may modify its result afterwards.
            on_done: Receives the result, unless the job was cancelled.
            on_error: Receives an exception of one of the ``expected`` classes.
            on_progress: Receives the reported progress: done and total.
            lane: Starting a job cancels the earlier job of the same lane, so that stale results are
                dropped.
            expected: Exceptions that are not bugs.
            computes: Whether the work is Python computation rather than waiting for a file or a
                child process. Such jobs run one at a time: several at once would starve the GUI
                thread of the interpreter lock.
        """
        job = BackgroundJob(on_done, on_error, on_progress, self._painting, computes=computes)
        job._ended.connect(self._on_job_ended)  # noqa: SLF001 - one module, two classes
        if lane:
            self.cancel(lane)
            self._lanes[lane] = job
        self._jobs.append(job)
        if computes:
            # A job competes with the GUI thread for the GIL.
            job.call_after_painting(lambda: self._take_turn(lambda: job.run(work, expected)))
        else:
            self._pool.start(lambda: job.run(work, expected))
        return job

    def _take_turn(self, run: Callable[[], None]) -> None:
        # The window, and its thread pools, may have been closed in the meantime.
        if not self._closed:
            self._turns.start(run)

    def cancel(self, lane: str) -> None:
        """Cancel the current job of a lane, if any."""
        if lane in self._lanes:
            self._lanes.pop(lane).cancel()

    def close(self) -> None:
        """Cancel all jobs and wait until they have ended."""
        self._closed = True
        for job in self._jobs:
            job.cancel()
        self._painting.close()
        self._turns.waitForDone()
        self._pool.waitForDone()
        self._jobs.clear()
        self._lanes.clear()

    @Slot()
    def _on_job_ended(self) -> None:
        job = self.sender()
        self._jobs = [each for each in self._jobs if each is not job]
        self._lanes = {lane: each for lane, each in self._lanes.items() if each is not job}
        if not self._jobs:
            self.idle.emit()
