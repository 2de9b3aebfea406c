"""The status bar: what the child is doing, and the facts of the trace that is shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from gradviz.model.index import Index
from gradviz.protocol.messages import Progress, Ready
from gradviz.viewer.session import Session
from gradviz.viewer.state import ViewerState

_MOST_NAME = 40
"""Characters of a file's name."""


class Status(QStatusBar):
    """Listens to the session and the state."""

    def __init__(self, state: ViewerState, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.doing = QLabel()
        self.watched = QLabel()
        self.facts = QLabel()
        for label in (self.doing, self.watched, self.facts):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(10, 2, 10, 2)
        self.setSizeGripEnabled(False)
        self.addWidget(self.doing, 1)
        self.addPermanentWidget(self.watched)
        self.addPermanentWidget(self.facts)
        self.watched.hide()
        session.activity_changed.connect(self._on_session_activity_changed)
        session.ready_changed.connect(self._on_session_ready_changed)
        session.progressed.connect(self._on_session_progressed)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_session_activity_changed(session.activity)
        self._on_state_trace_changed(state.index)

    @Slot(str)
    def show_watched(self, name: str) -> None:
        """Says which file runs again when it is saved; none for an empty name."""
        cut = name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}…"
        self.watched.setText(self.tr("{0} runs again when it is saved").format(cut))
        self.watched.setVisible(bool(name))

    @Slot(str)
    def _on_session_activity_changed(self, activity: str) -> None:
        texts = {
            "running": self.tr("Running the code…"),
            "checking": self.tr("Computing Jacobians…"),
            "describing": self.tr("Reading the file…"),
            "opening": self.tr("Opening the trace…"),
        }
        idle = self.tr("Ready") if self._session.ready else self.tr("PyTorch is being imported…")
        if activity in ("running", "checking", "describing") and not self._session.ready:
            idle = self.tr("PyTorch is being imported; then the code runs…")
            self.doing.setText(idle)
        else:
            self.doing.setText(texts.get(activity, idle))

    @Slot(object)
    def _on_session_ready_changed(self, ready: Ready) -> None:
        self._on_session_activity_changed(self._session.activity)

    @Slot(object)
    def _on_session_progressed(self, progress: Progress) -> None:
        if progress.activity == "run":
            text = self.tr("Running the code: {0:,} steps recorded").format(progress.done)
        else:
            text = self.tr("Computing Jacobians: {0:,} of {1:,} evaluations")
            text = text.format(progress.done, progress.total)
        self.doing.setText(text)

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self.facts.setText("" if index is None else facts_of(index))


def facts_of(index: Index) -> str:
    """How much a trace holds, how long the run took, and with what it was made."""
    trace = index.trace
    parts = [
        _count(len(trace.steps), "1 step", "{0:,} steps"),
        _count(len(trace.tensors), "1 tensor", "{0:,} tensors"),
    ]
    if trace.outcome is None:
        parts.append(_tr("recording cut short"))
    else:
        parts.append(_tr("recorded in {0}").format(_duration(trace.outcome.duration_ns)))
    parts += [trace.origin.device[:60], f"torch {trace.origin.torch[:40]}"]
    return "   ·   ".join(parts)


def _count(number: int, one: str, many: str) -> str:
    return _tr(one) if number == 1 else _tr(many).format(number)


def _duration(nanoseconds: int) -> str:
    if nanoseconds < 1_000_000_000:
        return _tr("{0:.3g} ms").format(nanoseconds / 1e6)
    return _tr("{0:.3g} s").format(nanoseconds / 1e9)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Status", text)
