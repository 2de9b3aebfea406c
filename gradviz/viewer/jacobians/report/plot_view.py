"""A plot of the stage, drawn for the width of the column beside the maps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QSizePolicy

from gradviz.story.blocks import Block
from gradviz.story.frame import LEAST_TEXT, Frame
from gradviz.story.plot_stack import spoken_plot_text
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS

DrawPlot = Callable[[tuple[float, float]], Block]
"""Draws a plot for a room of some width and height."""


class PlotView(FrameView):
    """A plot whose texts have the size of others in the window.

    Args:
        state: The state shared by all panels.
        height: Height of the picture, in units of a slide.
    """

    def __init__(self, state: ViewerState, height: float) -> None:
        super().__init__(state.theme, state.preferences)
        self._height = height
        self._plot: DrawPlot | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.resized.connect(self._draw)

    def show_plot(self, plot: DrawPlot | None, details: str = "") -> None:
        """Show a plot.

        Args:
            plot: Draws it; None for none.
            details: Its numbers, for people who cannot see it.
        """
        self._plot = plot
        self.setAccessibleDescription(details)
        self._draw()

    def update_theme(self) -> None:
        """Draw in the size of text of the theme."""
        super().update_theme()
        self.updateGeometry()
        self._draw()

    def sizeHint(self) -> QSize:
        """Fixed height; the width is flexible."""
        return QSize(200, round(self._height * self._scale))

    @property
    def _scale(self) -> float:
        """Pixels for each unit of a slide: its smallest text is as small as others here."""
        return self._theme.px(SMALL_PIXELS) / LEAST_TEXT

    @Slot()
    def _draw(self) -> None:
        if self._plot is None:
            self.show_frame(None)
            return
        size = self.width() / self._scale, self.height() / self._scale
        drawn = self._plot(size)
        width, height = max(size[0], drawn.width), max(size[1], drawn.height)
        spoken = spoken_plot_text(drawn) or self.accessibleDescription()
        self.show_frame(Frame(width=width, height=height, drawn=drawn.drawn, spoken=spoken))
