"""The color scale of a heatmap, labeled at its ends and where its colors change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.drawing.appearance.color_map import ColorBytes, color_table
from gradviz.drawing.cells.cell_grid import CellImage
from gradviz.drawing.cells.cells import LEAST_DECADE, CellColors, decades_of
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font

_BAR_HEIGHT = 10
_BAR_WIDTH = 220
_GAP = 6
_STEPS = 256
_DIGITS = 6


class ScaleBar(QWidget):
    """Shows which color represents which number, or which multiple of the tolerance."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._colors = CellColors(limit=0.0)
        set_theme_font(self, theme, SMALL_PIXELS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels below the bar, from the left."""
        limit = self._colors.limit
        if self._colors.scale == "tolerance":
            most = number_text(10 ** decades_of(limit))
            return "0", self.tr("inside"), "1", self.tr("outside"), most
        if limit <= 0:
            return "", self.tr("all zero"), ""
        return number_text(-limit), "0", number_text(limit)

    def set_limit(self, limit: float) -> None:
        """Set the scale to ``-limit`` through ``limit``."""
        self.show_colors(CellColors(limit=limit))

    def show_colors(self, colors: CellColors) -> None:
        """Explain other colors, without the noise that those of central differences end with."""
        self._colors = colors = replace(
            colors, limit=float(without_noise(colors.limit, _DIGITS).real)
        )
        low, high = number_text(-colors.limit), number_text(colors.limit)
        text = self.tr("Colors from {low} to {high}").format(low=low, high=high)
        if colors.scale == "tolerance":
            text = self.tr("Colors by tolerance: up to 1 inside, up to {most} outside")
            text = text.format(most=self.labels[-1])
        self.setAccessibleName(text)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the bar and its labels."""
        width, height = self._theme.px(_BAR_WIDTH), self._theme.px(_BAR_HEIGHT)
        return QSize(width, height + self.fontMetrics().height() + 4)

    def _seam(self) -> float:
        """Where the colors change, as a share of the bar: at zero, or at the tolerance."""
        if self._colors.scale == "signed":
            return 0.5
        return -LEAST_DECADE / (decades_of(self._colors.limit) - LEAST_DECADE)

    def _fitting_labels(self, width: float) -> dict[float, str]:
        """The labels without overlap, by their places: the ends are more important than others."""
        labels, seam = self.labels, self._seam()
        wide = [self.fontMetrics().horizontalAdvance(text) + _GAP for text in labels]
        if self._colors.scale == "tolerance":
            if sum(wide) > 0.9 * width:
                labels = labels[0], "", labels[2], "", labels[4]
            return dict(zip((0.0, seam / 2, seam, (1 + seam) / 2, 1.0), labels, strict=True))
        first, middle, last = labels
        if first and wide[0] + wide[2] > width:
            return {seam: f"±{last}"}
        fits = not first or wide[1] / 2 + max(wide[0], wide[2]) <= width / 2
        return {0.0: first, seam: middle if fits else "", 1.0: last}

    def _row(self) -> ColorBytes:
        if self._colors.scale == "signed":
            return color_table(self._theme.name)[None]
        steps = np.logspace(LEAST_DECADE, decades_of(self._colors.limit), _STEPS)
        return self._colors.of(steps[None], self._theme.name)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar and its labels."""
        painter = QPainter(self)
        width = min(self._theme.px(_BAR_WIDTH), self.width() - 2)
        bar = QRectF((self.width() - width) // 2, 1, width, self._theme.px(_BAR_HEIGHT))
        is_tolerance = self._colors.scale == "tolerance"
        if self._colors.limit > 0 or is_tolerance:
            paint_cells(painter, [CellImage(box=rect_of(bar), colors=self._row())])
            painter.setPen(self._theme.color("border"))
            painter.drawRect(bar)
        if is_tolerance:
            x = bar.left() + bar.width() * self._seam()
            painter.setPen(QPen(self._theme.color("text"), 2))
            painter.drawLine(QPointF(x, 0), QPointF(x, bar.bottom() + 2))
        painter.setPen(self._theme.color("text_muted"))
        line = QRectF(bar.left(), bar.bottom() + 2, bar.width(), self.fontMetrics().height())
        sides = {0.0: Qt.AlignmentFlag.AlignLeft, 1.0: Qt.AlignmentFlag.AlignRight}
        for place, text in self._fitting_labels(bar.width()).items():
            # One in the middle of a place; those at the ends would stick out of the bar.
            away = 0.0 if place in sides else bar.width() * (place - 0.5)
            side = sides.get(place, Qt.AlignmentFlag.AlignHCenter)
            painter.drawText(line.translated(away, 0), side, text)
        painter.end()
