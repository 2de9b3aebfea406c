"""The upper level of the timeline: all iterations, above the steps of the current one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.analysis.training.iterations import Iteration, iteration_at
from gradviz.catalogue.language import format_count
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_marks import TimelineMark
from gradviz.viewer.timeline.visible_span import SIDE
from gradviz.viewer.widgets.plain_text import plain_tooltip

_BAND, _FAN = 8, 7
"""Heights of the iterations, and of the fan from the current one to its steps, in pixels."""

_SEPARATE = 4.0
"""Width of an iteration in pixels from which there is a gap between two of them."""


class IterationStrip(QWidget):
    """All iterations in a row; the current one opens to the row of steps below.

    Signals:
        iteration_requested: Number of the iteration that was clicked.
    """

    iteration_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._iterations: tuple[Iteration, ...] = ()
        self._places: dict[int, int] = {}
        self._shown: Iteration | None = None
        self._marked: frozenset[Iteration] = frozenset()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Iterations"))
        self.hide()

    def show_iterations(self, iterations: tuple[Iteration, ...], shown: Iteration | None) -> None:
        """Show the iterations of a run, if there are some.

        Args:
            iterations: All iterations.
            shown: The one whose steps are shown below; None if those of all are.
        """
        self._iterations, self._shown = iterations, shown
        self._places = {each.first: place for place, each in enumerate(iterations)}
        self.setVisible(bool(iterations))
        number = "" if shown is None else format_count(shown.number)
        self.setAccessibleDescription(number)
        self.update()

    def show_marks(self, marks: Sequence[TimelineMark]) -> None:
        """Mark the iterations with an alert, which an Inf that the program masks with is not."""
        alerts = (mark.number for mark in marks if mark.kind not in ("print", "isolated"))
        found = (iteration_at(self._iterations, number) for number in alerts)
        self._marked = frozenset(each for each in found if each is not None)
        self.update()

    def area_of(self, iteration: Iteration) -> QRectF:
        """Where an iteration is painted."""
        width = (self.width() - 2 * SIDE) / max(1, len(self._iterations))
        left = SIDE + self._places[iteration.first] * width
        return QRectF(left, 2, width, self._theme.px(_BAND))

    def number_at(self, x: float) -> int:
        """The number of the iteration nearest to a horizontal position."""
        width = (self.width() - 2 * SIDE) / len(self._iterations)
        place = max(0, min(int((x - SIDE) / width), len(self._iterations) - 1))
        return self._iterations[place].number

    def sizeHint(self) -> QSize:
        """Return the height of the row and the fan."""
        return QSize(400, self._theme.px(_BAND + _FAN) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the iterations and the fan."""
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        color = theme.color("border_strong")
        first, last = (self.area_of(self._iterations[each]) for each in (0, -1))
        if first.width() < _SEPARATE:
            painter.fillRect(first.united(last), color)
        else:
            for each in self._iterations:
                painter.fillRect(self.area_of(each).adjusted(0.75, 0, -0.75, 0), color)
        alert = theme.color("error")
        for each in self._marked:
            middle = self.area_of(each).center()
            painter.fillRect(QRectF(middle.x() - 1.5, 2, 3, theme.px(_BAND)), alert)
        if self._shown is not None:
            self._paint_shown(painter, self.area_of(self._shown))

    def _paint_shown(self, painter: QPainter, area: QRectF) -> None:
        now = self._theme.color("status_now")
        # Never too narrow to be seen.
        wide = max(0.0, 5.0 - area.width()) / 2
        area = area.adjusted(-wide, 0, wide, 0)
        fan = QColor(now)
        fan.setAlphaF(0.13)
        painter.setBrush(fan)
        bottom = float(self.height())
        corners = (area.bottomLeft(), area.bottomRight())
        ends = (QPointF(self.width() - SIDE, bottom), QPointF(SIDE, bottom))
        painter.drawPolygon(QPolygonF([*corners, *ends]))
        painter.fillRect(area, now)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the iteration under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton and self._iterations:
            self.iteration_requested.emit(self.number_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag through the iterations."""
        if self._iterations:
            self.iteration_requested.emit(self.number_at(event.position().x()))

    def event(self, event: QEvent) -> bool:
        """Tell the number of the iteration under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.tr("iteration {0}").format(format_count(self.number_at(event.pos().x())))
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)
