"""Records the runs of a lesson ahead of time, so that no stop has to wait for one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from gradviz.host.job_ending import JobEnding
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer
from gradviz.model.settings.recording_scope import ALL_PASSES
from gradviz.protocol.messages import CheckRequest, ChildRequest, RunRequest
from gradviz.store.run_ending import store_outcome
from gradviz.viewer.session.host_bridge import Cancellable
from gradviz.viewer.session.session import Session


class PreparedRuns(QObject):
    """Records one run at a time, and keeps the traces until `clear`.

    Signals:
        finished: Name of a run whose trace is complete.
        failed: Name of a run that left no trace, and a sentence.
    """

    finished = Signal(str)
    failed = Signal(str, str)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._checked: frozenset[str] = frozenset()
        self._paths: dict[str, Path] = {}
        self._ahead: dict[str, Offer] = {}
        self._job: tuple[int, Cancellable, str, ChildRequest] | None = None
        session.bridge.ended.connect(self._on_bridge_ended)

    @property
    def busy(self) -> bool:
        """Whether a run is being recorded."""
        return self._job is not None

    def path(self, name: str) -> Path | None:
        """The trace of a run; None until it is complete."""
        return self._paths.get(name)

    def begin(self, checked: frozenset[str]) -> None:
        """Begin another lesson.

        Args:
            checked: Names of the runs after which Jacobians are checked.
        """
        self.clear()
        self._checked = checked

    def prepare(self, offers: Mapping[str, Offer]) -> None:
        """Record runs next, in this order, unless they are recorded."""
        self._ahead = dict(offers)
        self._start_next()

    def clear(self) -> None:
        """Cancel the current run and delete all traces that are not shown."""
        self._ahead = {}
        if self._job is not None:
            _, job, _, request = self._job
            job.cancel()
            self._job = None
            if isinstance(request, RunRequest | CheckRequest):
                self._session.files.release(Path(request.trace))
        for path in self._paths.values():
            self._session.files.release(path)
        self._paths = {}

    def _start_next(self) -> None:
        while self._job is None and self._ahead:
            name = next(iter(self._ahead))
            offer = self._ahead.pop(name)
            if name not in self._paths:
                self._record(name, offer)

    def _record(self, name: str, offer: Offer) -> None:
        # With lines, as a stop may lead to one.
        request = replace(self._session.run_request(offer), level="all", passes=ALL_PASSES)
        self._session.files.hold(Path(request.trace))
        self._start(name, request)

    def _start(self, name: str, request: ChildRequest) -> None:
        number, job = self._session.bridge.start(request, self._session.limits_of())
        self._job = (number, job, name, request)

    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        if self._job is None or number != self._job[0]:
            return
        _, _, name, request = self._job
        self._job = None
        assert isinstance(request, RunRequest | CheckRequest)
        path = Path(request.trace)
        if isinstance(request, RunRequest) and ending.kind != "finished":
            store_outcome(path, ending.outcome)
        if not path.exists():
            self._session.files.release(path)
            self.failed.emit(name, ending.sentence)
        elif isinstance(request, RunRequest) and name in self._checked:
            settings = replace(CheckSettings(), auto_cast=True)
            self._start(
                name, CheckRequest(offer=request.offer, trace=request.trace, settings=settings)
            )
        else:
            self._paths[name] = path
            self.finished.emit(name)
        self._start_next()
