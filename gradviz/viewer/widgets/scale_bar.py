"""The color scale of a heatmap, labeled at its ends and at zero."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import color_table
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

_BAR_HEIGHT = 10
_BAR_WIDTH = 220
_GAP = 6


class ScaleBar(QWidget):
    """Shows which color represents which number."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._limit = 0.0
        wear(self, theme, SMALL_PIXELS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        wear(self, theme, SMALL_PIXELS)

    @property
    def labels(self) -> tuple[str, str, str]:
        """The numbers at the left end, center and right end."""
        if self._limit <= 0:
            return "", self.tr("all zero"), ""
        return number_text(-self._limit), "0", number_text(self._limit)

    def set_limit(self, limit: float) -> None:
        """Set the scale to ``-limit`` through ``limit``."""
        self._limit = limit
        text = self.tr("Colors from {low} to {high}")
        self.setAccessibleName(text.format(low=number_text(-limit), high=number_text(limit)))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the bar and its labels."""
        width, height = self._theme.px(_BAR_WIDTH), self._theme.px(_BAR_HEIGHT)
        return QSize(width, height + self.fontMetrics().height() + 4)

    def _fitting_labels(self, width: float) -> tuple[str, str, str]:
        """The labels without overlap: with little space, the ends are more important than zero."""
        first, middle, last = self.labels
        if not first:
            return self.labels
        wide = [self.fontMetrics().horizontalAdvance(text) + _GAP for text in self.labels]
        if wide[0] + wide[2] > width:
            return "", f"±{last}", ""
        fits = wide[1] / 2 + max(wide[0], wide[2]) <= width / 2
        return first, middle if fits else "", last

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar and its three labels."""
        painter = QPainter(self)
        width = min(self._theme.px(_BAR_WIDTH), self.width() - 2)
        bar = QRectF((self.width() - width) // 2, 1, width, self._theme.px(_BAR_HEIGHT))
        if self._limit > 0:
            table = color_table(self._theme.name)
            row = QImage(table.tobytes(), len(table), 1, QImage.Format.Format_RGB888)
            painter.drawImage(bar, row)
            painter.setPen(self._theme.color("border"))
            painter.drawRect(bar)
        painter.setPen(self._theme.color("text_muted"))
        line = QRectF(bar.left(), bar.bottom() + 2, bar.width(), self.fontMetrics().height())
        sides = (
            Qt.AlignmentFlag.AlignLeft,
            Qt.AlignmentFlag.AlignHCenter,
            Qt.AlignmentFlag.AlignRight,
        )
        for text, side in zip(self._fitting_labels(bar.width()), sides, strict=True):
            painter.drawText(line, side, text)
        painter.end()
