"""A zoomable map with linked zoom, the only user of pyqtgraph besides its axes.

Importing pyqtgraph takes a while, so the panel does it only when there is a report to show.
"""

from __future__ import annotations

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGraphicsObject, QSizePolicy, QWidget

from gradviz.drawing.heat import Floats
from gradviz.viewer.jacobians.block_lines import Axis
from gradviz.viewer.jacobians.index_axis import IndexAxis
from gradviz.viewer.jacobians.map_colours import MapColours
from gradviz.viewer.jacobians.map_image import MapImage
from gradviz.viewer.jacobians.pyramid import Levels
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

_LEAST_HEIGHT = 120
_LEFT_PIXELS = 31
_TITLE_PIXELS = 15
_BOTTOM_PIXELS = 48
_CLOSEST = 4


class MapPlot(QObject):
    """Shows a matrix: rows downward, columns to the right, cell ``[i, j]`` around ``(j, i)``.

    Signals:
        hovered: ``(row, column)`` under the mouse, or None.
        clicked: ``(row, column)`` of a click.
        key_pressed: The `QKeyEvent`; a receiver that uses the key accepts it.
    """

    hovered = Signal(object)
    clicked = Signal(object)
    key_pressed = Signal(object)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = self._columns = 0
        self._less = False
        self._axes = IndexAxis("left"), IndexAxis("bottom")
        self._plot = pg.PlotWidget(axisItems={each.orientation: each for each in self._axes})
        self._item = self._plot.getPlotItem()
        self._view = self._item.getViewBox()
        self._image = MapImage()
        self._view.addItem(self._image, ignoreBounds=True)
        self._item.hideButtons()
        self._item.setMenuEnabled(False)
        self._item.setContentsMargins(0, 3, 10, 0)
        self._view.invertY(True)
        self._view.setDefaultPadding(0)
        self._plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Ignored, because the plot's size hint is larger than most windows.
        self._plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        FocusRing(self._plot)
        for watched in (self._plot, self._plot.viewport()):
            watched.installEventFilter(self)
        self._plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self._plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)
        self.set_theme(theme)

    @property
    def widget(self) -> QWidget:
        """The widget to put into a layout."""
        widget: QWidget = self._plot
        return widget

    @property
    def viewport(self) -> QWidget:
        """The widget that receives mouse events."""
        viewport: QWidget = self._plot.viewport()
        return viewport

    def show_matrix(self, heat: Floats, colours: MapColours, levels: Levels | None = None) -> None:
        """Show another matrix; reset the zoom if its size differs."""
        before = self._rows, self._columns
        self._rows, self._columns = heat.shape
        self._image.show_matrix(heat, colours, levels)
        if before == heat.shape:
            return
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
        """Zoom out to the whole matrix."""
        self._view.setRange(
            xRange=(-0.5, self._columns - 0.5), yRange=(-0.5, self._rows - 0.5), padding=0
        )

    def show_cells(self, area: QRectF) -> None:
        """Zoom to an area, in cells."""
        self._view.setRange(area, padding=0)

    def visible_cells(self) -> QRectF:
        """Visible area, in cells."""
        rect: QRectF = self._view.viewRect()
        return rect

    def set_axes(self, left: tuple[Axis, str], bottom: tuple[Axis, str]) -> None:
        """Set the axis and the title of the rows and of the columns."""
        for axis, given in zip(self._axes, (left, bottom), strict=True):
            axis.show_axis(*given)
        self._fit_axes()

    @property
    def axes(self) -> tuple[IndexAxis, IndexAxis]:
        """Axes of the rows and of the columns."""
        return self._axes

    def show_less(self, less: bool) -> None:
        """Hide or show the axis titles."""
        for axis in self._axes:
            axis.showLabel(not less)
        self._less = less
        self._fit_axes()

    def add_overlay(self, overlay: QGraphicsObject) -> None:
        """Add an item on top, in cell coordinates."""
        self._view.addItem(overlay, ignoreBounds=True)

    def follow(self, other: MapPlot) -> None:
        """Link zoom and pan to another plot."""
        self._view.setXLink(other._view)
        self._view.setYLink(other._view)

    def place_of(self, row: int, column: int) -> QPointF:
        """Center of a cell in the viewport, in pixels."""
        scene = self._view.mapViewToScene(QPointF(column, row))
        return QPointF(self._plot.mapFromScene(scene))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self._plot.setMinimumSize(120, theme.px(_LEAST_HEIGHT))
        self._plot.setBackground(theme.colour("panel"))
        for axis in self._axes:
            axis.setStyle(tickFont=theme.font(SMALL_PIXELS - 1))
            axis.label.setFont(theme.font(SMALL_PIXELS))
            axis.setPen(theme.colour("border_strong"))
            axis.setTextPen(theme.colour("text_muted"))
        self._fit_axes()

    def _fit_axes(self) -> None:
        rows, columns = self._axes
        title = self._theme.px(_TITLE_PIXELS) if self._less else 0
        rows.setWidth(self._theme.px(_LEFT_PIXELS) + round(rows.widest()) + 12 - title)
        columns.setHeight(self._theme.px(_BOTTOM_PIXELS) - title)

    def close(self) -> None:
        """Release everything that pyqtgraph holds."""
        for watched in (self._plot, self._plot.viewport()):
            watched.removeEventFilter(self)
        self._plot.close()

    def cell_at(self, scene_place: QPointF) -> tuple[int, int] | None:
        """Cell at a scene position, or None."""
        if not self._view.sceneBoundingRect().contains(scene_place):
            return None
        place = self._view.mapSceneToView(scene_place)
        row, column = round(place.y()), round(place.x())
        inside = 0 <= row < self._rows and 0 <= column < self._columns
        return (row, column) if inside else None

    @Slot(object)
    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        self.hovered.emit(self.cell_at(place))

    @Slot(object)
    def _on_scene_mouse_clicked(self, click: MouseClickEvent) -> None:
        cell = self.cell_at(click.scenePos())
        if cell is not None and click.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(cell)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Forward keys, double-clicks, and mouse leave events."""
        if event.type() == QEvent.Type.Leave:
            self.hovered.emit(None)
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            event.ignore()
            self.key_pressed.emit(event)
            return event.isAccepted()
        elif event.type() == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            self.show_all()
        return super().eventFilter(watched, event)
