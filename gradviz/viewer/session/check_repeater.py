"""Repeats the last check after an edit of the code, and tells what the edit has changed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.catalogue.language import format_count
from gradviz.host.job_ending import JobEnding
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer, RunSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState


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

    @Slot(object, int)
    def _on_session_check_started(self, settings: CheckSettings, order: int) -> None:
        self._asked = settings, order

    @Slot(object)
    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        last = self._last
        is_same = last is not None and offer is not None and offer.subject == last.subject
        is_edited = last is not None and self._sources() != last.sources
        self._is_due = is_same and is_edited and self._session.baseline is None

    @Slot(str, object)
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
