"""The legend of the tolerance map: multiples of the tolerance, with a break at 1."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.cells.cell_colors import LEAST_DECADE, CellColors, decades_of
from gradviz.drawing.cells.shapes import CellImage
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

_BAR_HEIGHT = 10
_BAR_WIDTH = 240
_STEPS = 256


class ToleranceLegend(QWidget):
    """Logarithmic color bar: inside on the left of 1, outside on the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._colors = CellColors(limit=1.0, scale="tolerance")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        wear(self, theme, SMALL_PIXELS)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels below the bar, from the left."""
        most = decades_of(self._colors.limit)
        return ("0", self.tr("inside"), "1", self.tr("outside"), f"{10**most:.0e}".replace("+", ""))

    def show_colors(self, colors: CellColors) -> None:
        """Explain other colors."""
        self._colors = colors
        self.setAccessibleName(
            self.tr("Colors by tolerance: up to 1 inside, up to {most} outside").format(
                most=f"{10 ** decades_of(colors.limit):g}"
            )
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Preferred size of bar and labels."""
        height = self._theme.px(_BAR_HEIGHT) + self.fontMetrics().height() + 4
        return QSize(self._theme.px(_BAR_WIDTH), height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, the mark at 1, and the labels."""
        painter = QPainter(self)
        width = min(self._theme.px(_BAR_WIDTH), self.width() - 2)
        bar = QRectF((self.width() - width) // 2, 1, width, self._theme.px(_BAR_HEIGHT))
        most = decades_of(self._colors.limit)
        steps = np.logspace(LEAST_DECADE, most, _STEPS)[None, :]
        colors = CellColors(limit=self._colors.limit, scale="tolerance")
        paint_cells(
            painter, [CellImage(box=rect_of(bar), colors=colors.of(steps, self._theme.name))]
        )
        painter.setPen(self._theme.color("border"))
        painter.drawRect(bar)
        seam = bar.left() + bar.width() * -LEAST_DECADE / (most - LEAST_DECADE)
        painter.setPen(QPen(self._theme.color("text"), 2))
        painter.drawLine(QPointF(seam, 0), QPointF(seam, bar.bottom() + 2))
        painter.setPen(self._theme.color("text_muted"))
        top, height = bar.bottom() + 2, self.fontMetrics().height()
        ends = bar.left(), seam, bar.right()
        places = (ends[0], (ends[0] + ends[1]) / 2, ends[1], (ends[1] + ends[2]) / 2, ends[2])
        labels = self.labels
        # With a large font, there is space for the numbers only.
        if self.fontMetrics().horizontalAdvance("".join(labels)) > 0.8 * bar.width():
            labels = (labels[0], "", labels[2], "", labels[4])
        for place, text in zip(places, labels, strict=True):
            space = QRectF(place - 60, top, 120, height)
            space.moveLeft(max(0.0, min(space.left(), self.width() - 120.0)))
            flag = Qt.AlignmentFlag.AlignHCenter
            # A label centered at an end would stick out of the bar.
            if place == ends[0] or place == ends[2]:
                space = QRectF(bar.left(), top, bar.width(), height)
                left = place == ends[0]
                flag = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            painter.drawText(space, flag, text)
        painter.end()
