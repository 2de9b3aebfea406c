"""A map axis that labels elements by their indices and brackets their blocks."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gradviz.viewer.jacobians.block_lines import Axis, named_blocks, ticks_of
from gradviz.viewer.jacobians.cell_numbers import seen_range

_GAP = 6.0
_TICK, _OFFSET = 3, 5
_INSET = 2.0


class IndexAxis(pg.AxisItem):  # type: ignore[misc]
    """Labels every element if there is space, else every second, fifth, ... or every block."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._axis = Axis(name="", shape=())
        # Otherwise pyqtgraph would label the rows of a small matrix in thousandths.
        self.enableAutoSIPrefix(False)
        # Labels may extend past the ends of the axis; overlapping ones are not among the ticks.
        style = {"autoExpandTextSpace": False, "tickAlpha": 1.0, "hideOverlappingLabels": 99}
        self.setStyle(tickLength=_TICK, **style)

    @property
    def blocks(self) -> list[str]:
        """Names of the blocks that are currently labeled."""
        return [name for _, name, _ in self._named()]

    def show_axis(self, axis: Axis, title: str) -> None:
        """Label the elements of another tensor."""
        self._axis = axis
        self.setLabel(_escaped(title))
        self.picture = None
        self.update()

    def widest(self) -> float:
        """Width of the widest tick label in pixels."""
        last = self._axis.tick(max(0, self._axis.count - 1))
        return QFontMetricsF(self._font()).horizontalAdvance(last)

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Positions to label, in pyqtgraph's format."""
        # The row axis is inverted.
        low, high = sorted((low, high))
        seen = seen_range(low, high, self._axis.count)
        metrics = QFontMetricsF(self._font())
        room = metrics.height() if self.orientation == "left" else self.widest() + _GAP
        places = ticks_of(self._axis, seen, size / max(1e-9, high - low), room)
        return [(1.0, [float(place) for place in places])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Labels of the ticks."""
        return [self._axis.tick(int(value)) for value in values]

    def drawPicture(self, painter: QPainter, line: Any, ticks: Any, texts: Any) -> None:
        """Paint the axis, and a bracket with a name for each block beyond the ticks."""
        super().drawPicture(painter, line, ticks, texts)
        painter.setFont(self._font())
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
        height = QFontMetricsF(self._font()).height()
        for extent, name, fits in self._named():
            painter.save()
            if self.orientation == "left":
                x = -self.widest() - _TICK - _OFFSET - _INSET
                painter.translate(self.boundingRect().right() + x, extent[1])
                painter.rotate(-90)
            else:
                y = self.boundingRect().top() + _TICK + height + _INSET
                painter.translate(extent[0], y + height)
            length = extent[1] - extent[0]
            plate = QRectF(0, -height, length, height)
            edge = plate.bottom() if self.orientation == "left" else plate.top()
            painter.setPen(self.pen())
            painter.drawLine(QPointF(_INSET, edge), QPointF(length - _INSET, edge))
            if fits:
                painter.setPen(self.textPen())
                painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, name)
            painter.restore()

    def _named(self) -> list[tuple[tuple[float, float], str, bool]]:
        """Extent in pixels of each block's visible part, its name, and whether the name fits."""
        bounds = self.mapRectFromParent(self.geometry())
        upright = self.orientation == "left"
        length = bounds.height() if upright else bounds.width()
        low, high = sorted(self.range)
        pixels = length / max(1e-9, high - low)
        start = bounds.top() if upright else bounds.left()
        metrics = QFontMetricsF(self._font())
        seen = seen_range(low, high, self._axis.count)
        room = metrics.horizontalAdvance(self._axis.block_name(max(0, seen.stop - 1), 1)) + _GAP
        found = []
        for block, name in named_blocks(self._axis, seen, pixels, room):
            begin = max(block.start - 0.5, low) - low
            end = min(block.stop - 0.5, high) - low
            extent = start + begin * pixels, start + end * pixels
            fits = metrics.horizontalAdvance(name) <= extent[1] - extent[0]
            found.append((extent, name, fits))
        return [each for each in found if each[0][1] - each[0][0] > 2 * _INSET]

    def _font(self) -> QFont:
        font: QFont = self.style["tickFont"] or QFont()
        return font


def _escaped(title: str) -> str:
    """Escape the title, because pyqtgraph treats it as HTML."""
    return title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
