"""Lies over the views while a new run goes on: what is seen through it is of the run before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.running.work import Doing
from gradviz.viewer.state import ViewerState

_PAD = (18.0, 8.0)
_TOP = 14.0


class PreviousVeil(QWidget):
    """Lets everything through: clicks, keys and the wheel act on what is below."""

    def __init__(self, state: ViewerState, below: QWidget) -> None:
        super().__init__(below)
        self._below = below
        self._theme = state.theme
        self.text = self.tr("This is the previous run: a new one is under way")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.text)
        self.hide()
        below.installEventFilter(self)
        state.theme_changed.connect(self._on_state_theme_changed)

    @Slot(object)
    def show_work(self, doing: Doing | None) -> None:
        """Comes and goes with a run that will replace what is shown."""
        shown = doing is not None and doing.replaces
        if shown and self.isHidden():
            self.setGeometry(self._below.rect())
            self.show()
            self.raise_()
        elif not shown:
            self.hide()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays as large as what is below."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._below.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Pales what is below, and says why."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._theme.colour("window")
        ground.setAlphaF(0.45)
        painter.fillRect(event.rect(), ground)
        font = self._theme.font(UI_PIXELS, bold=True)
        metrics = QFontMetricsF(font)
        across, down = _PAD
        width = min(metrics.horizontalAdvance(self.text) + 2 * across, self.width() - 2 * _TOP)
        pill = QRectF((self.width() - width) / 2, _TOP, width, metrics.height() + 2 * down)
        painter.setPen(self._theme.colour("warning"))
        painter.setBrush(self._theme.colour("warning_fill"))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(self._theme.colour("text"))
        painter.setFont(font)
        room = pill.width() - across
        said = metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, said)
        painter.end()
