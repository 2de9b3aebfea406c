"""Translucent overlays that mark the shown run as a previous one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.host.job_ending import JobEnding
from gradviz.viewer.session.changed_file import ChangedFile
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.work_status import CurrentWork, WorkStatus
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.widgets.cover import Cover
from gradviz.viewer.window.side_panels import PanelOverlay

_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_PAD = (18.0, 8.0)
_TOP = 14.0


class PreviousRunOverlay(Cover):
    """Passes clicks, keys and wheel events on to the view below.

    Args:
        state: Provides the theme.
        below: The view; the overlay is its child and follows its size.
    """

    def __init__(self, state: ViewerState, below: QWidget) -> None:
        super().__init__(below)
        self._theme = state.theme
        self.text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def say(self, text: str) -> None:
        """Show the overlay with a text, or hide it if the text is empty."""
        self.text = text or self.text
        self.setAccessibleName(self.text)
        if text and self.isHidden():
            self.put_on_top()
            # A panel over the view does not belong to the run.
            for panel in self._below.findChildren(PanelOverlay, options=_DIRECT):
                panel.raise_()
        elif not text:
            self.hide()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fade the view and paint the label."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._theme.color("window")
        ground.setAlphaF(0.45)
        painter.fillRect(event.rect(), ground)
        font = self._theme.font(UI_PIXELS, bold=True)
        metrics = QFontMetricsF(font)
        across, down = _PAD
        width = min(metrics.horizontalAdvance(self.text) + 2 * across, self.width() - 2 * _TOP)
        pill = QRectF((self.width() - width) / 2, _TOP, width, metrics.height() + 2 * down)
        painter.setPen(self._theme.color("warning"))
        painter.setBrush(self._theme.color("warning_fill"))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(self._theme.color("text"))
        painter.setFont(font)
        available_width = pill.width() - across
        elided = metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, available_width)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, elided)
        painter.end()


class PreviousRunMarker(QObject):
    """Marks the views while they show another run than the one that was asked for last.

    Args:
        session: Its jobs replace the shown run, or fail to.
        work: Tells how long a job has been running.
        file: Tells whether the file has changed since the run.
        overlays: One for each view of the run.
        parent: Owner.
    """

    def __init__(
        self,
        session: Session,
        work: WorkStatus,
        file: ChangedFile,
        overlays: Sequence[PreviousRunOverlay],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._overlays, self._session = overlays, session
        self._is_replaced = False
        self._has_run = False
        self._is_current = True
        self._failed = self._was_read = False
        self._changed_file = ""
        work.changed.connect(self._on_work_changed)
        file.changed.connect(self._on_file_changed)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.offer_changed.connect(self._on_session_offer_changed)
        session.ended.connect(self._on_session_ended)

    def _show(self) -> None:
        text = ""
        if self._is_replaced:
            text = self.tr("Previous run; a new run is in progress")
        elif self._was_read:
            text = self.tr("Previous run; nothing has run since")
        elif self._failed and self._session.shows_shipped:
            text = self.tr("Recorded beforehand; running it here failed")
        elif self._failed:
            text = self.tr("Previous run; the new run failed")
        elif self._changed_file:
            text = self.tr("Previous run; {0} has changed since").format(self._changed_file)
        for overlay in self._overlays:
            overlay.say(text)

    def _on_work_changed(self, doing: CurrentWork | None) -> None:
        self._is_replaced = doing is not None and doing.replaces
        self._show()

    def _on_file_changed(self, name: str) -> None:
        self._changed_file = name
        self._show()

    def _on_session_activity_changed(self, activity: str) -> None:
        if activity in ("describing", "running"):
            self._failed = self._was_read = self._is_current = False
            self._show()

    def _on_session_offer_changed(self, offer: object) -> None:
        """The new run is shown, however far it came."""
        self._has_run = self._is_current = True
        self._failed = self._was_read = False
        self._show()

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        if not self._has_run or ending is None or ending.kind == "cancelled":
            return
        # Where a job that reads a file leads to a run, another job follows before it ends.
        self._was_read = self._was_read or activity == "describing"
        self._failed = self._failed or (activity == "running" and not self._is_current)
        self._show()
