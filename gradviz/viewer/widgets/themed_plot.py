"""A static pyqtgraph plot with the fonts and colors of the theme.

pyqtgraph takes longer to import than the window, so import this module only to show a plot.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont

from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

"""Width or height of an axis that its title takes, in unscaled pixels."""

Tick = tuple[float, str]
"""Position and label of a tick."""


class ThemedPlot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that the mouse can neither move nor zoom.

    Args:
        theme: Colors and font scale.
        left: Width of the vertical axis, in unscaled pixels.
        bottom: Height of the horizontal axis, in unscaled pixels.
    """

    def __init__(self, theme: Theme, *, left: int, bottom: int) -> None:
        super().__init__()
        self._theme = theme
        self._axis_pixels = {"left": left, "bottom": bottom}
        item = self.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.setContentsMargins(0, 8, 12, 0)
        self.setMouseEnabled(x=False, y=False)
        for side in self._axis_pixels:
            axis = self.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=3, autoExpandTextSpace=False)
        FocusRing(self)
        ThemedPlot.update_theme(self)

    @property
    def tick_font(self) -> QFont:
        """Font of the tick labels."""
        return self._theme.font(SMALL_PIXELS - 1)

    def position_of(self, x: float, y: float) -> QPointF:
        """Position of a point of the axes in the viewport, in pixels."""
        scene = self.getViewBox().mapViewToScene(QPointF(x, y))
        return QPointF(self.viewportTransform().map(scene))

    def point_at(self, position: QPointF) -> QPointF:
        """Coordinates on the axes of a position in the viewport."""
        scene = self.viewportTransform().inverted()[0].map(position)
        return QPointF(self.getViewBox().mapSceneToView(scene))

    def set_ticks(self, side: str, ticks: list[Tick]) -> None:
        """Label an axis at these positions only."""
        self.getAxis(side).setTicks([ticks])

    def set_title(self, side: str, title: str) -> None:
        """Name the quantity of an axis."""
        axis = self.getAxis(side)
        axis.setLabel(title)

    def update_theme(self) -> None:
        """Apply another theme to the background and the axes."""
        self.setBackground(self._theme.color("panel"))
        for side, pixels in self._axis_pixels.items():
            axis = self.getAxis(side)
            axis.setStyle(tickFont=self.tick_font)
            axis.label.setFont(self._theme.font(SMALL_PIXELS))
            size = self._theme.px(pixels)
            (axis.setWidth if side == "left" else axis.setHeight)(size)
            axis.setPen(self._theme.color("border_strong"))
            axis.setTextPen(self._theme.color("text_muted"))
