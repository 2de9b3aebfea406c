"""Progress of the current work, shown only if it takes noticeably long."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.protocol.messages import Ready, WorkProgress
from gradviz.viewer.background import PATIENCE_MS
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate

_TICK_MS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentWork:
    """The work in progress.

    Attributes:
        text: A description without full stop.
        seconds: Time since the start.
        done: Completed units of `total`.
        total: 0 if the amount of work is unknown.
        cancellable: Whether the session can cancel it.
        replaces: Whether its result will replace the shown run.
    """

    text: str
    seconds: int = 0
    done: int = 0
    total: int = 0
    cancellable: bool = True
    replaces: bool = False


def running_text(passes: int) -> str:
    """What is said of a run that has begun so many passes, at least one."""
    text = translate("WorkStatus", "Running the code: backward pass {0}")
    return text.format(format_count(passes))


class WorkStatus(QObject):
    """Combines the session's activity, other runs and the graph layout into one report.

    Attributes:
        doing: The work shown as in progress; None if none is.

    Signals:
        changed: `CurrentWork`, or None when no work is in progress.
        stoppable_changed: Whether there is work that can be stopped, however short it is.
    """

    changed = Signal(object)
    stoppable_changed = Signal(bool)

    def __init__(self, state: ViewerState, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._progress: WorkProgress | None = None
        self._laying_out, self._beside = False, ""
        self._began = 0.0
        self.doing: CurrentWork | None = None
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._patience.timeout.connect(self._on_patience_timeout)
        self._tick.timeout.connect(self._tell)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.progressed.connect(self._on_session_progressed)
        session.ready_changed.connect(self._on_session_ready_changed)

    def show_layout(self, busy: bool) -> None:
        """Set whether the graph is being laid out."""
        self._laying_out = busy
        self._look()

    def show_beside(self, text: str) -> None:
        """Set what is done beside the session, without full stop; empty if nothing is."""
        self._beside = text
        self._look()

    def stop(self) -> None:
        """Stop reporting, as the window closes."""
        self._patience.stop()
        self._tick.stop()

    def _look(self) -> None:
        """Start the timer with the first activity, and clear it after the last."""
        stoppable = self._session.activity != "idle" or bool(self._beside)
        self.stoppable_changed.emit(stoppable)
        if not stoppable and not self._laying_out:
            self.stop()
            self._progress = None
            self._say(None)
        elif self._tick.isActive():
            self._tell()
        elif not self._patience.isActive():
            self._began = monotonic()
            self._patience.start()

    def _tell(self) -> None:
        activity, seconds = self._session.activity, int(monotonic() - self._began)
        if activity == "idle":
            text = self._beside or self.tr("Laying out the graph")
            self._say(CurrentWork(text=text, seconds=seconds, cancellable=bool(self._beside)))
            return
        replaces = activity in ("running", "opening") and self._state.index is not None
        # The views stay clear, as the run is expected to bring the same numbers.
        replaces = replaces and not self._session.shows_shipped
        done, total, text = 0, 0, self._words(activity)
        if self._progress is not None:
            done, total = self._progress.done, self._progress.total
        self._say(
            CurrentWork(text=text, seconds=seconds, done=done, total=total, replaces=replaces)
        )

    def _words(self, activity: str) -> str:
        if self._session.ready is None and self._session.shows_shipped and activity == "running":
            text = self.tr("Recorded beforehand with torch {0} on {1}; importing PyTorch")
            assert self._state.index is not None
            origin = self._state.index.trace.origin
            return text.format(origin.torch, origin.device)
        if self._session.ready is None and activity != "opening":
            return self.tr("Importing PyTorch before running the code")
        if activity == "opening":
            return self.tr("Opening the trace")
        if activity == "describing":
            return self.tr("Reading the file")
        if activity == "checking":
            return self._checking_words()
        if self._progress is None or not self._progress.done:
            return self.tr("Running the code")
        return running_text(self._progress.done)

    def _checking_words(self) -> str:
        progress = self._progress
        if progress is None or not progress.done:
            return self.tr("Computing Jacobians")
        key = "command.progress" if progress.total else "command.progress.diagnosis"
        return say(key, done=format_count(progress.done), total=format_count(progress.total))

    def _say(self, doing: CurrentWork | None) -> None:
        if doing != self.doing:
            self.doing = doing
            self.changed.emit(doing)

    def _on_patience_timeout(self) -> None:
        self._tick.start()
        self._tell()

    def _on_session_activity_changed(self, activity: str) -> None:
        self._progress = None
        self._look()

    def _on_session_progressed(self, progress: WorkProgress) -> None:
        self._progress = progress
        if self._tick.isActive():
            self._tell()

    def _on_session_ready_changed(self, ready: Ready) -> None:
        if self._tick.isActive():
            self._tell()
