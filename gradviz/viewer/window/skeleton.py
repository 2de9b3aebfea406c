"""Placeholders over a window whose content is being built, in the places of graph and panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget

from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.cover import Cover

_CODE = (0.34, 0.62, 0.55, 0.0, 0.41, 0.72, 0.66, 0.58, 0.3, 0.0, 0.47, 0.69, 0.5)
"""Lengths of lines of code, as shares of the width; 0 for an empty line."""

_CARDS = ((0.3, 0.2), (0.7, 0.2), (0.5, 0.5), (0.5, 0.8))
"""Centers of the cards of a graph, as shares of its size."""

_EDGES = ((0, 2), (1, 2), (2, 3))


class Skeleton(Cover):
    """Covers the graph, panels and timeline of a window until `end`.

    Args:
        window: The window.
        graph: The central widget.
        panels: The first one gets lines of code, all others get tensors.
        timeline: The bar at the bottom.
        theme: Colors and lengths.
    """

    def __init__(
        self,
        window: QWidget,
        graph: QWidget,
        panels: Sequence[QWidget],
        timeline: QWidget,
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._theme = theme
        self._parts: list[tuple[QWidget, Callable[[QPainter, QRectF], None]]] = [
            (graph, self._paint_graph),
            (panels[0], self._paint_code),
            *((panel, self._paint_tensors) for panel in panels[1:]),
            (timeline, self._paint_timeline),
        ]
        # A click during these moments reaches what is below.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("Starting…"))
        self.put_on_top()

    def end(self) -> None:
        """Show the window below, and dispose of the placeholders."""
        self.hide()
        self.deleteLater()

    def _places(self) -> list[tuple[QRect, Callable[[QPainter, QRectF], None]]]:
        """Return where the parts are that can be seen."""
        window = self._below
        return [
            (QRect(part.mapTo(window, part.rect().topLeft()), part.size()), paint)
            for part, paint in self._parts
            if window.isAncestorOf(part) and not part.isHidden() and part.window() is window
        ]

    def _bar(self, painter: QPainter, left: float, top: float, width: float, height: float) -> None:
        painter.drawRoundedRect(QRectF(left, top, width, height), 4, 4)

    def _paint_graph(self, painter: QPainter, place: QRectF) -> None:
        width, height = self._theme.px(150), self._theme.px(44)
        centers = [
            QPointF(place.left() + across * place.width(), place.top() + down * place.height())
            for across, down in _CARDS
        ]
        painter.setPen(QPen(self._theme.color("border"), 2))
        for start, end in _EDGES:
            painter.drawLine(centers[start], centers[end])
        painter.setPen(Qt.PenStyle.NoPen)
        for center in centers:
            self._bar(painter, center.x() - width / 2, center.y() - height / 2, width, height)
        painter.setPen(self._theme.color("text_muted"))
        painter.setFont(self._theme.font(UI_PIXELS))
        above = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        top = place.adjusted(0, self._theme.px(16), 0, 0)
        painter.drawText(top, above, self.accessibleName())
        painter.setPen(Qt.PenStyle.NoPen)

    def _paint_code(self, painter: QPainter, place: QRectF) -> None:
        line = self._theme.px(20)
        for number, share in enumerate(_CODE):
            top = place.top() + self._theme.px(16) + number * line
            if share and top + line < place.bottom():
                left = place.left() + self._theme.px(48)
                self._bar(painter, left, top, share * place.width() * 0.9, line * 0.5)

    def _paint_tensors(self, painter: QPainter, place: QRectF) -> None:
        left, side = place.left() + self._theme.px(16), self._theme.px(64)
        self._bar(painter, left, place.top() + self._theme.px(16), place.width() * 0.7, 12)
        for row in range(2):
            top = place.top() + self._theme.px(56) + row * self._theme.px(96)
            if top + side < place.bottom():
                self._bar(painter, left, top, side * 1.5, side)
                self._bar(painter, left + side * 1.5 + 16, top, place.width() * 0.3, 12)

    def _paint_timeline(self, painter: QPainter, place: QRectF) -> None:
        middle = place.center().y()
        for number in range(4):
            left = place.left() + self._theme.px(16 + 32 * number)
            self._bar(painter, left, middle - 8, 16, 16)
        left = place.left() + place.width() * 0.3
        self._bar(painter, left, middle - 3, place.width() * 0.6, 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a ground and placeholders over each part."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, paint in self._places():
            is_graph = paint == self._paint_graph
            painter.setClipRegion(QRegion(place))
            painter.fillRect(place, self._theme.color("window" if is_graph else "panel"))
            painter.setBrush(self._theme.color("border"))
            paint(painter, QRectF(place))
        painter.end()
