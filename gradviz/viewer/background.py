"""The one door to the background: work runs in a thread, its result comes back to the window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal, Slot

Report = Callable[[int, int], None]
Done = Callable[[Any], None]
Failed = Callable[[Exception], None]

MOST_AT_ONCE = 4


class Job(QObject):
    """One piece of work under way; everything except `cancelled` belongs to the GUI thread.

    Work asks `cancelled` from time to time, and may call `report` with how far it is.
    """

    _finished = Signal(object)
    _failed = Signal(object)
    _progressed = Signal(object, object)
    _ended = Signal()

    def __init__(self, done: Done, failed: Failed | None, progress: Report | None) -> None:
        super().__init__()
        self._cancel = threading.Event()
        self._calls = (done, failed, progress)
        self._finished.connect(self._on_work_finished)
        self._failed.connect(self._on_work_failed)
        self._progressed.connect(self._on_work_progressed)

    def cancelled(self) -> bool:
        """Whether nobody waits for the result any more; may be asked in any thread."""
        return self._cancel.is_set()

    def cancel(self) -> None:
        """Drops the result, and tells the work to stop."""
        self._cancel.set()

    def report(self, done: int, total: int) -> None:
        """Says how far the work is; called by the work, in its thread."""
        self._progressed.emit(done, total)

    def run(self, work: Callable[[Job], Any], expected: tuple[type[Exception], ...]) -> None:
        """Runs in the thread. What is not expected is a bug and reaches the exception hook."""
        try:
            if not self.cancelled():
                self._finished.emit(work(self))
        except expected as error:
            self._failed.emit(error)
        finally:
            self._ended.emit()

    @Slot(object)
    def _on_work_finished(self, result: object) -> None:
        if not self.cancelled():
            self._calls[0](result)

    @Slot(object)
    def _on_work_failed(self, error: Exception) -> None:
        if not self.cancelled() and self._calls[1] is not None:
            self._calls[1](error)

    @Slot(object, object)
    def _on_work_progressed(self, done: int, total: int) -> None:
        if not self.cancelled() and self._calls[2] is not None:
            self._calls[2](done, total)


class Background(QObject):
    """Starts jobs and knows which are under way.

    Signals:
        idle: The last job under way has ended.
    """

    idle = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(MOST_AT_ONCE)
        self._turns = QThreadPool(self)
        self._turns.setMaxThreadCount(1)
        self._jobs: list[Job] = []
        self._lanes: dict[str, Job] = {}
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether any job has not ended yet."""
        return bool(self._jobs)

    def start(
        self,
        work: Callable[[Job], Any],
        on_done: Done,
        on_error: Failed | None = None,
        on_progress: Report | None = None,
        *,
        lane: str = "",
        expected: tuple[type[Exception], ...] = (),
        computes: bool = False,
    ) -> Job:
        """Runs ``work(job)`` in a thread, and one of the callbacks in the GUI thread.

        Args:
            work: Must touch no widget and return something that nobody changes afterwards.
            on_done: Gets what the work returned, unless it was cancelled meanwhile.
            on_error: Gets an exception of the ``expected`` classes.
            on_progress: Gets what the work reports: done and total.
            lane: A job cancels the earlier job of its lane, so that stale results are dropped.
            expected: Exceptions that are no bugs.
            computes: Whether it computes in Python, rather than wait for a file or a child. Such
                jobs run one after the other, as several would leave the window one turn in many.
        """
        job = Job(on_done, on_error, on_progress)
        job._ended.connect(self._on_job_ended)  # noqa: SLF001 - one module, two classes
        if lane:
            self.cancel(lane)
            self._lanes[lane] = job
        self._jobs.append(job)
        if computes:
            # What the window does now comes first: it would share Python with the thread.
            QTimer.singleShot(0, job, lambda: self._take_turn(lambda: job.run(work, expected)))
        else:
            self._pool.start(lambda: job.run(work, expected))
        return job

    def _take_turn(self, run: Callable[[], None]) -> None:
        # The window may have been closed meanwhile, and its threads be gone.
        if not self._closed:
            self._turns.start(run)

    def cancel(self, lane: str) -> None:
        """Cancels the job of a lane, if there is one."""
        if lane in self._lanes:
            self._lanes.pop(lane).cancel()

    def close(self) -> None:
        """Cancels everything and waits until it has ended."""
        self._closed = True
        for job in self._jobs:
            job.cancel()
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
