"""Connects the Jacobians panel to the session and creates the panel on first use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget

from gradviz.catalogue.language import format_count
from gradviz.gallery.registry import Scene, scene
from gradviz.host.job_ending import JobEnding
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer, RunSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.protocol.messages import WorkProgress
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import GrownMatrices, grown_matrices_in
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests

if TYPE_CHECKING:
    from gradviz.viewer.jacobians.panel import JacobiansPanel

_FIRST_LOOK_MS = 100


class CheckController(QObject):
    """Starts and cancels checks, and shows their progress."""

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        requests: ViewRequests,
        pages: QStackedWidget,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._background = background
        self._requests = requests
        self._pages = pages
        self._panel: JacobiansPanel | None = None
        self._kept = 0
        self._reading = False
        session.progressed.connect(self._on_session_progressed)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.offer_changed.connect(self._on_session_offer_changed)
        # Of a script, the Function at the shown step is checked.
        state.step_changed.connect(self._on_state_step_changed)

    def panel(self) -> JacobiansPanel:
        """Return the panel, created and imported on first use to keep startup fast."""
        if self._panel is None:
            from gradviz.viewer.jacobians.panel import JacobiansPanel

            self._panel = JacobiansPanel(self._state, self._background)
            # While the user looks at the panel, and in this thread: that Qt's modules load in
            # another one while events are processed has crashed.
            QTimer.singleShot(_FIRST_LOOK_MS, self, _import_maps)
            self._panel.bar.check_requested.connect(self._session.check)
            self._panel.source_requested.connect(self._on_panel_source_requested)
            self._pages.addWidget(self._panel)
            self._on_session_activity_changed(self._session.activity)
        return self._panel

    @property
    def subject_name(self) -> str:
        """Name of what a check would test; empty if nothing can be checked, or it has no name."""
        shown = _scene_of(self._session.offer)
        if shown is not None:
            return (shown.checked or shown.callable_name) if shown.can_be_checked else ""
        checked = self._session.checked.offer
        return "" if checked is None else checked.subject.name

    def check(self, order: int) -> None:
        """Check the current run as if the order and Check were clicked, if that is possible.

        Args:
            order: 1 for the function, 2 for its backward.
        """
        bar = self.panel().bar
        bar.switch.segment(order - 1).click()
        bar.request()

    def _on_panel_source_requested(self) -> None:
        self._requests.show_part("source")

    def _on_state_step_changed(self, number: int) -> None:
        if self._panel is not None and self._session.checked.call is not None:
            self._show_subject()

    def _on_session_progressed(self, progress: WorkProgress) -> None:
        if self._panel is not None and progress.activity == "check":
            self._panel.show_progress(progress.done, progress.total)
            self._look(progress.kept)

    def _look(self, kept: int) -> None:
        """Read the partial results of a check, unless a read is in progress."""
        path = self._session.written_path
        if kept == self._kept or self._reading or path is None:
            return
        self._kept, self._reading = kept, True
        self._background.start(
            lambda _: grown_matrices_in(path),
            self._show_partial_maps,
            self._on_grown_failed,
            lane="growing",
            expected=(TraceError,),
        )

    def _show_partial_maps(self, grown: GrownMatrices | None) -> None:
        self._reading = False
        if grown is not None and self._panel is not None and self._session.activity == "checking":
            self._panel.show_partial_pairs(*grown)

    def _on_grown_failed(self, error: Exception) -> None:
        # The check continues; errors are reported when its trace is opened at the end.
        self._reading = False

    def _on_session_activity_changed(self, activity: str) -> None:
        if self._panel is None:
            return
        if activity == "checking":
            self._kept = 0
            self._panel.show_progress(0, 0)
            return
        self._panel.show_idle()
        self._show_subject()

    def _show_subject(self) -> None:
        """Tell the panel what a check would test, or why it cannot."""
        if self._panel is None or self._session.activity == "checking":
            return
        offer, checked = self._session.offer, self._session.checked
        shown = _scene_of(offer)
        has_jacobians = shown is None or shown.can_be_checked
        activity, has_offer = self._session.activity, offer is not None
        reason = obstacle_to_check(activity, has_offer=has_offer, has_jacobians=has_jacobians)
        reason = reason or checked.problem
        self._panel.set_checkable(not reason, reason)
        self._panel.set_subject(
            "" if shown is None else shown.checked.removeprefix("-"),
            self.subject_name,
            checked.call,
            has_jacobians=has_jacobians,
        )

    def _on_session_offer_changed(self, offer: object) -> None:
        self._show_subject()


def _scene_of(offer: Offer | None) -> Scene | None:
    return None if offer is None or not offer.subject.scene else scene(offer.subject.scene)


def obstacle_to_check(activity: str, *, has_offer: bool, has_jacobians: bool) -> str:
    """Return why nothing can be checked now; empty if a check can be started.

    Args:
        activity: What the session does.
        has_offer: Whether it can run something, which a trace file is not enough for.
        has_jacobians: False for a scene that is not checked.
    """
    if not has_jacobians:
        return translate("Jacobians", "This scene has no Jacobians to check.")
    # While the first run is in progress, there is nothing that could be run again either.
    if activity != "idle":
        return translate("Jacobians", "Another task is in progress.")
    if not has_offer:
        return translate(
            "Jacobians", "Run a scene or a Python file first. A trace file cannot be checked."
        )
    return ""


def _import_maps() -> None:
    import_module("gradviz.viewer.jacobians.map.jacobian_view")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCheck:
    """A check whose run may be replaced by that of edited code.

    Attributes:
        subject: What was checked.
        sources: Path and text of each source file of its run.
        settings: Its settings.
        order: 1 for the function, 2 for its backward.
        report: Its result.
    """

    subject: RunSubject
    sources: frozenset[tuple[str, str]]
    settings: CheckSettings
    order: int
    report: JacobianReport


class CheckRepeater(QObject):
    """Repeats a check once a run of the same subject has other source text.

    Signals:
        message_emitted: The numbers of wrong elements before and now, and the kind of message:
            ``info`` or ``warning``.
    """

    message_emitted = Signal(str, str)

    def __init__(self, state: ViewerState, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._asked: tuple[CheckSettings, int] | None = None
        self._last: FinishedCheck | None = None
        self._before: JacobianReport | None = None
        self._is_due = False
        session.check_started.connect(self._on_session_check_started)
        session.offer_changed.connect(self._on_session_offer_changed)
        session.ended.connect(self._on_session_ended)

    def _sources(self) -> frozenset[tuple[str, str]]:
        index = self._state.index
        sources = () if index is None else index.trace.sources
        return frozenset((each.path, each.text) for each in sources)

    def _keep_report(self) -> None:
        index, offer = self._state.index, self._session.offer
        if index is None or offer is None or self._asked is None or not index.trace.reports:
            return
        settings, order = self._asked
        report = index.trace.reports[-1]
        before, self._before = self._before, None
        self._last = FinishedCheck(
            subject=offer.subject,
            sources=self._sources(),
            settings=settings,
            order=order,
            report=report,
        )
        if before is not None:
            self._tell(before, report)

    def _tell(self, before: JacobianReport, now: JacobianReport) -> None:
        text = self.tr("Checked again after the edit: {0} → {1}")
        text = text.format(self._result(before), self._result(now))
        self.message_emitted.emit(text, "info" if now.passed else "warning")

    def _result(self, report: JacobianReport) -> str:
        """The number of wrong elements; for other problems, only that there are some."""
        wrong = sum(block.wrong for block in report.blocks)
        if not (wrong or report.passed):
            return self.tr("failed")
        return self.tr("{0} wrong").format(format_count(wrong))

    def _on_session_check_started(self, settings: CheckSettings, order: int) -> None:
        self._asked = settings, order

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        last = self._last
        is_same = last is not None and offer is not None and offer.subject == last.subject
        is_edited = last is not None and self._sources() != last.sources
        self._is_due = is_same and is_edited and self._session.baseline is None

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        is_done = ending is not None and ending.kind == "finished"
        if activity == "checking":
            self._before = self._before if is_done else None
            if is_done:
                self._keep_report()
        elif activity == "running" and is_done and self._is_due and self._last is not None:
            self._is_due = False
            self._before = self._last.report
            self._session.check(self._last.settings, self._last.order)
