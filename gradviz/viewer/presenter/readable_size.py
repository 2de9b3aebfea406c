"""Sizes of text and graph that are readable from the last row of the audience."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize

from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.layout.view_placement import VisibleArea
from gradviz.viewer.state import ViewerState

LEAST_AT_800 = 20.0
"""Height in pixels of the smallest text in a window 800 pixels high."""

SMALLEST_PIXELS = 11
"""Height of the theme's smallest text, before its scale factor."""

GRAPH_AT_800 = 18.0
"""Height in pixels of the graph's smallest text in a window 800 pixels high."""

LEAST_SCALE, MOST_SCALE = 1.3, 6.0
"""Range of the theme's scale factor."""

MOST_ZOOM = 3.2
"""Maximum zoom as a multiple of the readable minimum, so that tiny graphs stay modest."""

_ALMOST = 0.975
"""Minimum share of the readable size at which a whole graph is better than a part of it."""


_WIDEST_PAGE, _WIDEST_COLUMN = 16 / 10, 1.0
"""What the height of text is measured for: width by height of a page, or of stacked halves."""


def fitting_height(size: QSize) -> int:
    """Return the height for which text in a window is scaled: less than its own if it is narrow."""
    wide = _WIDEST_PAGE if size.width() >= size.height() else _WIDEST_COLUMN
    return min(size.height(), round(size.width() / wide))


def least_pixels(height: int) -> float:
    """Return the minimum text height for a window height, both in pixels."""
    return LEAST_AT_800 * height / 800


def scale_for(height: int) -> float:
    """Return the theme's scale factor, rounded so that small resizes do not change it."""
    factor = least_pixels(height) / SMALLEST_PIXELS
    return max(LEAST_SCALE, min(round(factor * 20) / 20, MOST_SCALE))


class ReadableZoom(QObject):
    """Chooses the visible part of the graph in Presenter Mode."""

    def __init__(
        self, state: ViewerState, graph: GraphPanel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._graph = graph
        self._least = 0.0
        self._before: VisibleArea | None = None
        state.step_changed.connect(self.aim)
        graph.settled.connect(self.aim)

    def start(self) -> None:
        """Remember the current view."""
        self._before = self._graph.view.place

    def set_least(self, pixels: float) -> None:
        """Zoom so that no text in the graph is smaller than a height in pixels."""
        # Numbers in small cells may be smaller: they are also shown large beside the graph.
        pixels *= GRAPH_AT_800 / LEAST_AT_800
        self._least = pixels / FONTS["line"].size
        self._graph.show_to_audience(pixels)
        self.aim()

    def stop(self) -> None:
        """Restore the earlier view, scrolled to the current node."""
        self._least = 0.0
        self._graph.show_to_audience(0.0)
        if self._before is not None:
            self._graph.view.return_to(self._before)
        self._before = None
        box = self._graph.stage.current_box()
        if box is not None:
            self._graph.view.keep_visible(box)

    def aim(self) -> None:
        """Show the whole graph if it is readable, else a readable part of it."""
        scene, view = self._graph.scene, self._graph.view
        if scene is None or self._least == 0.0:
            return
        rect, space = scene.graph_rect(), view.viewport().rect()
        if rect.isEmpty() or space.isEmpty():
            return
        fitting = min(space.width() / rect.width(), space.height() / rect.height())
        # Somewhat smaller text is better than a graph that is cut at its edge.
        least = self._least if fitting < _ALMOST * self._least else fitting
        scale = min(max(least, fitting), MOST_ZOOM * self._least)
        view.zoom_to(scale)
        self._graph.stage.aim()
