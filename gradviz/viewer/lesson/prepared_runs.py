"""Records the runs of a lesson ahead of time, so that no stop has to wait for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.gallery.registry import offer_of, scene
from gradviz.host.job_ending import JobEnding
from gradviz.model.check_settings import CheckSettings
from gradviz.protocol.messages import CheckRequest, ChildRequest, RunRequest
from gradviz.viewer.session.host_bridge import Cancellable
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState


class PreparedRuns(QObject):
    """Records one scene at a time on its own inputs, and keeps the traces until `clear`.

    Signals:
        finished: Id of a scene whose trace is complete.
        failed: Id of a scene that left no trace, and a sentence.
    """

    finished = Signal(str)
    failed = Signal(str, str)

    def __init__(self, state: ViewerState, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._checked: frozenset[str] = frozenset()
        self._paths: dict[str, Path] = {}
        self._waiting: list[str] = []
        self._job: tuple[int, Cancellable, str, ChildRequest] | None = None
        session.bridge.ended.connect(self._on_bridge_ended)

    @property
    def busy(self) -> bool:
        """Whether a scene is being recorded."""
        return self._job is not None

    def path(self, scene_id: str) -> Path | None:
        """The trace of a scene; None until it is complete."""
        return self._paths.get(scene_id)

    def begin(self, checked: frozenset[str]) -> None:
        """Begin another lesson.

        Args:
            checked: Ids of the scenes whose Jacobians are checked after the run.
        """
        self.clear()
        self._checked = checked

    def prepare(self, scene_ids: Sequence[str]) -> None:
        """Record scenes of the gallery that are not recorded yet, in this order."""
        running = None if self._job is None else self._job[2]
        wanted = dict.fromkeys(scene_ids)
        self._waiting = [each for each in wanted if each not in self._paths and each != running]
        self._start_next()

    def clear(self) -> None:
        """Cancel the current run and delete all traces that are not shown."""
        self._waiting = []
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
        if self._job is not None or not self._waiting:
            return
        name = self._waiting.pop(0)
        path = self._session.files.new_path()
        self._session.files.hold(path)
        budget_bytes = self._state.preferences.budget_mib << 20
        # With lines, as a stop may lead to one.
        self._start(
            name,
            RunRequest(
                offer=offer_of(scene(name)),
                trace=str(path),
                level="lines",
                budget_bytes=budget_bytes,
            ),
        )

    def _start(self, name: str, request: ChildRequest) -> None:
        number, job = self._session.bridge.start(request, self._session.limits)
        self._job = (number, job, name, request)

    @Slot(object, object)
    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        if self._job is None or number != self._job[0]:
            return
        _, _, name, request = self._job
        self._job = None
        assert isinstance(request, RunRequest | CheckRequest)
        path = Path(request.trace)
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
