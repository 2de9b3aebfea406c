"""The one module that touches pyqtgraph: an image with axes that can be zoomed, dragged and linked.

Importing it takes a while, so the panel does so only when there is a report to show.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGraphicsObject, QSizePolicy, QWidget

from gradviz.drawing.heat import Floats
from gradviz.viewer.jacobians.map_image import MapImage
from gradviz.viewer.jacobians.pyramid import Levels
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

Ticks = list[tuple[float, str]]

_LEAST_HEIGHT = 150
_LEFT_PIXELS = 58
_BOTTOM_PIXELS = 40
_CLOSEST = 4
_MOST_LEVELS = 8
_FULLEST = 0.92
"""Part of an axis that names of ticks may fill; else every second one is named, and so on."""


class MapPlot(QObject):
    """Shows a matrix: rows downwards, columns to the right, cell ``[i, j]`` around ``(j, i)``.

    Signals:
        hovered: ``(row, column)`` under the mouse, or None.
        key_pressed: The `QKeyEvent`; whoever uses the key accepts it.
    """

    hovered = Signal(object)
    key_pressed = Signal(object)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = self._columns = 0
        self._plot = pg.PlotWidget()
        self._item = self._plot.getPlotItem()
        self._view = self._item.getViewBox()
        self._image = MapImage()
        self._view.addItem(self._image, ignoreBounds=True)
        self._item.hideButtons()
        self._item.setMenuEnabled(False)
        self._item.setContentsMargins(0, 8, 10, 0)
        self._view.invertY(True)
        self._view.setDefaultPadding(0)
        for side in ("left", "bottom"):
            axis = self._item.getAxis(side)
            # Else pyqtgraph would count the rows of a small matrix in thousandths.
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=3, autoExpandTextSpace=False, tickAlpha=1.0)
        self._plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # What it would like to have is more than a window has; it takes what there is.
        self._plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        FocusRing(self._plot)
        for watched in (self._plot, self._plot.viewport()):
            watched.installEventFilter(self)
        self._plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self.set_theme(theme)

    @property
    def widget(self) -> QWidget:
        """What goes into a layout."""
        widget: QWidget = self._plot
        return widget

    @property
    def viewport(self) -> QWidget:
        """The part that gets the mouse."""
        viewport: QWidget = self._plot.viewport()
        return viewport

    def show_matrix(self, heat: Floats, limit: float, levels: Levels | None = None) -> None:
        """Shows another matrix, all of it; see `MapImage.show_matrix`."""
        self._rows, self._columns = heat.shape
        self._image.show_matrix(heat, limit, levels)
        self._view.setLimits(
            xMin=-0.5,
            xMax=self._columns - 0.5,
            yMin=-0.5,
            yMax=self._rows - 0.5,
            minXRange=min(_CLOSEST, self._columns),
            minYRange=min(_CLOSEST, self._rows),
        )
        self.show_all()

    def show_all(self) -> None:
        """Zooms out until the whole matrix is seen."""
        self._view.setRange(
            xRange=(-0.5, self._columns - 0.5), yRange=(-0.5, self._rows - 0.5), padding=0
        )

    def show_cells(self, area: QRectF) -> None:
        """Zooms to an area, in cells."""
        self._view.setRange(area, padding=0)

    def visible_cells(self) -> QRectF:
        """The area that is seen, in cells."""
        rect: QRectF = self._view.viewRect()
        return rect

    def set_axes(self, left: str, bottom: str, ticks: tuple[Ticks | None, Ticks | None]) -> None:
        """Names the axes and their ticks.

        Args:
            left: Title of the rows.
            bottom: Title of the columns.
            ticks: Of the rows and the columns; None for plain numbers.
        """
        for side, title, own in (("left", left, ticks[0]), ("bottom", bottom, ticks[1])):
            axis = self._item.getAxis(side)
            axis.setLabel(_escaped(title))
            axis.label.setFont(self._theme.font(SMALL_PIXELS))
            axis.setTicks(None if own is None else _levels(own))
            if own is not None:
                axis.setStyle(maxTextLevel=_MOST_LEVELS, textFillLimits=[(0, _FULLEST)])

    def add_overlay(self, overlay: QGraphicsObject) -> None:
        """Puts an item on top, in coordinates of cells."""
        self._view.addItem(overlay, ignoreBounds=True)

    def follow(self, other: MapPlot) -> None:
        """Zooms and pans together with another plot."""
        self._view.setXLink(other._view)
        self._view.setYLink(other._view)

    def place_of(self, row: int, column: int) -> QPointF:
        """Where the middle of a cell lies in the viewport, in pixels."""
        scene = self._view.mapViewToScene(QPointF(column, row))
        return QPointF(self._plot.mapFromScene(scene))

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self._plot.setMinimumSize(120, theme.px(_LEAST_HEIGHT))
        self._plot.setBackground(theme.colour("panel"))
        for side, size in (("left", _LEFT_PIXELS), ("bottom", _BOTTOM_PIXELS)):
            axis = self._item.getAxis(side)
            axis.setStyle(tickFont=theme.font(SMALL_PIXELS - 1))
            axis.label.setFont(theme.font(SMALL_PIXELS))
            (axis.setWidth if side == "left" else axis.setHeight)(theme.px(size))
            axis.setPen(theme.colour("border_strong"))
            axis.setTextPen(theme.colour("text_muted"))

    def close(self) -> None:
        """Lets go of everything that pyqtgraph holds."""
        for watched in (self._plot, self._plot.viewport()):
            watched.removeEventFilter(self)
        self._plot.close()

    def cell_at(self, scene_place: QPointF) -> tuple[int, int] | None:
        """The cell at a place of the scene."""
        if not self._view.sceneBoundingRect().contains(scene_place):
            return None
        place = self._view.mapSceneToView(scene_place)
        row, column = round(place.y()), round(place.x())
        inside = 0 <= row < self._rows and 0 <= column < self._columns
        return (row, column) if inside else None

    @Slot(object)
    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        self.hovered.emit(self.cell_at(place))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hands on keys, clicks and the mouse's leaving."""
        if event.type() == QEvent.Type.Leave:
            self.hovered.emit(None)
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            event.ignore()
            self.key_pressed.emit(event)
            return event.isAccepted()
        elif event.type() == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            self.show_all()
        return super().eventFilter(watched, event)


def _levels(ticks: Ticks) -> list[Ticks]:
    """The ticks from coarse to fine; pyqtgraph names as many levels as the axis has room for."""
    step = 1
    while len(ticks) > 2 * step:
        step *= 2
    levels = [ticks[::step]]
    while step > 1:
        step //= 2
        levels.append(ticks[step :: 2 * step])
    return levels


def _escaped(title: str) -> str:
    """The title as the HTML that pyqtgraph takes it for."""
    return title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
