"""A translucent overlay on the views that marks the previous run during a new one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.viewer.session.work_status import CurrentWork
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, Theme

_PAD = (18.0, 8.0)
_TOP = 14.0


class PreviousRunOverlay(QWidget):
    """Passes clicks, keys and wheel events on to the view below."""

    def __init__(self, state: ViewerState, below: QWidget) -> None:
        super().__init__(below)
        self._below = below
        self._theme = state.theme
        self.text = self.tr("Previous run; a new run is in progress")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.text)
        self.hide()
        below.installEventFilter(self)
        state.theme_changed.connect(self._on_state_theme_changed)

    @Slot(object)
    def show_work(self, doing: CurrentWork | None) -> None:
        """Show the overlay while a run is in progress whose result replaces the view."""
        shown = doing is not None and doing.replaces
        if shown and self.isHidden():
            self.setGeometry(self._below.rect())
            self.show()
            # Pages may have been added since, and later children are painted above earlier ones.
            self.raise_()
        elif not shown:
            self.hide()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the view."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._below.rect())
        return False

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
