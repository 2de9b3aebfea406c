"""A zoomable map with linked zoom, the only user of pyqtgraph besides its axes.

Importing pyqtgraph takes a while, so the panel does it only when there is a report to show.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QTransform,
)
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsObject,
    QGraphicsSceneResizeEvent,
    QSizePolicy,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gradviz.drawing.cells.cell_grid import seen_range
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.layout import BESIDE
from gradviz.drawing.cells.tensor_axis import TensorAxis, named_blocks, ticks_of
from gradviz.viewer.jacobians.map.map_cells import MapCells, map_grid
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

_GAP = 6.0
_TICK, _OFFSET = 3, 5
_INSET = 2.0
_AWAY = 2.0


class IndexAxis(pg.AxisItem):  # type: ignore[misc]
    """Labels every element if there is space, else every second, fifth, ... or every block."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._axis = TensorAxis(name="", shape=())
        # Otherwise pyqtgraph would label the rows of a small matrix in thousandths.
        self.enableAutoSIPrefix(False)
        # Labels may extend past the ends of the axis; overlapping ones are not among the ticks.
        style = {"autoExpandTextSpace": False, "tickAlpha": 1.0, "hideOverlappingLabels": 99}
        self.setStyle(tickLength=_TICK, **style)

    @property
    def blocks(self) -> list[str]:
        """Names of the blocks that are currently labeled."""
        return [name for _, name, _ in self._named()]

    def show_axis(self, axis: TensorAxis, title: str) -> None:
        """Label the elements of another tensor."""
        self._axis = axis
        self.setLabel(_escaped(title))
        # pyqtgraph caches the painted axis and would keep the old labels.
        self.picture = None
        self.update()

    def widest(self) -> float:
        """Width of the widest tick label in pixels."""
        last = self._axis.tick(max(0, self._axis.count - 1))
        return QFontMetricsF(self._font()).horizontalAdvance(last)

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        """Keep the title of a narrow bottom axis, which is longer, within the plot."""
        super().resizeEvent(event)
        plot, label = self.parentItem(), self.label
        if plot is None or label is None or self.orientation != "bottom":
            return
        width, margin = label.boundingRect().width(), label.document().documentMargin()
        right = plot.boundingRect().right() - self.x() + margin
        label.setX(max(-self.x() - margin, min(label.x(), right - width)))

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Positions to label, in pyqtgraph's format."""
        # The row axis is inverted.
        low, high = sorted((low, high))
        seen = seen_range(low, high, self._axis.count)
        metrics = QFontMetricsF(self._font())
        space = metrics.height() if self.orientation == "left" else self.widest() + _GAP
        places = ticks_of(self._axis, seen, size / max(1e-9, high - low), space)
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
                y = self.boundingRect().top() + _TICK + height + _INSET + 1
                painter.translate(extent[0], y + height)
            length = extent[1] - extent[0]
            plate = QRectF(0, -height, length, height)
            edge = plate.bottom() if self.orientation == "left" else plate.top()
            painter.setPen(self.pen())
            painter.drawLine(QPointF(_INSET, edge), QPointF(length - _INSET, edge))
            if fits:
                painter.setPen(self.textPen())
                # Away from the line, which commas and brackets would touch.
                away = -_AWAY if self.orientation == "left" else 1.0
                painter.drawText(plate.translated(0, away), Qt.AlignmentFlag.AlignCenter, name)
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
        space = metrics.horizontalAdvance(self._axis.block_name(max(0, seen.stop - 1), 1)) + _GAP
        found = []
        for block, name in named_blocks(self._axis, seen, pixels, space):
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


_LEAST_HEIGHT = 120
_LEFT_PIXELS = 31
_TITLE_PIXELS = 15
_BOTTOM_PIXELS = 48
_CLOSEST = 4


class _Surroundings(QGraphicsObject):
    """What is painted around the cells; the items in the map are clipped at its edge."""

    def __init__(self, cells: MapCells, view: Any, parent: QGraphicsItem) -> None:
        super().__init__()
        # Kept, because Qt asks for it even while the plot is taken apart.
        self._box = QRectF()
        # Not by the constructor, from which the binding does not note that the parent owns it.
        self.setParentItem(parent)
        self._cells = cells
        self._view = view
        cells.changed.connect(self._on_cells_changed)
        view.sigRangeChanged.connect(self._on_view_range_changed)
        view.sigResized.connect(self._on_view_resized)
        self._on_view_resized(view)

    @Slot()
    def _on_cells_changed(self) -> None:
        self.update()

    @Slot(object)
    def _on_view_range_changed(self, view: object) -> None:
        self.update()

    @Slot(object)
    def _on_view_resized(self, view: object) -> None:
        self.prepareGeometryChange()
        space = 2 * BESIDE
        self._box = self._view.geometry().adjusted(-space, -space, space, space)

    def boundingRect(self) -> QRectF:
        """The map with the space around it."""
        return self._box

    def shape(self) -> QPainterPath:
        """Empty, so that mouse events never hit it."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paint in pixel coordinates."""
        area = painter.transform().mapRect(self._view.geometry())
        seen: QRectF = self._view.viewRect()
        width, height = area.width() / seen.width(), area.height() / seen.height()
        x, y = area.left() - seen.left() * width, area.top() - seen.top() * height
        transform = QTransform(width, 0, 0, height, x, y)
        grid = map_grid(transform, seen, self._cells.cells_shape)
        painter.save()
        painter.setTransform(QTransform())
        self._cells.paint_around(painter, grid, area)
        painter.restore()


class MapPlot(QObject):
    """Shows a matrix: rows downward, columns to the right, cell ``[i, j]`` around ``(j, i)``.

    Attributes:
        cells: Paints its cells.

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
        self.cells = MapCells(theme)
        # The range is always set explicitly; pyqtgraph must not derive one from the items.
        self._view.addItem(self.cells, ignoreBounds=True)
        _Surroundings(self.cells, self._view, self._item)
        # pyqtgraph's own button and menu offer scales that make no sense for a matrix.
        self._item.hideButtons()
        self._item.setMenuEnabled(False)
        # In pyqtgraph y grows upward, but rows are counted downward.
        self._view.invertY(True)
        self._view.setDefaultPadding(0)
        self._plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Ignored, because the plot's size hint is larger than most windows.
        self._plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        FocusRing(self._plot)
        # The plot gets the keys, its viewport the mouse events.
        for watched in (self._plot, self._plot.viewport()):
            watched.installEventFilter(self)
        self._plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        # pyqtgraph emits this for clicks only, not at the end of a drag.
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

    def show_matrices(self, matrices: PairMatrices, which: int) -> None:
        """Show one of the matrices of a pair; reset the zoom if its size differs."""
        self.cells.show_matrices(matrices, which)
        self._fit_range()

    def show_cells(self, cells: Cells) -> None:
        """Show cells alone; reset the zoom if their number differs."""
        self.cells.show_cells(cells)
        self._fit_range()

    def _fit_range(self) -> None:
        shape = self.cells.cells_shape
        # Keep the zoom, so that matrices can be compared by switching between them.
        if (self._rows, self._columns) == shape or not all(shape):
            return
        self._rows, self._columns = shape
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

    def show_area(self, area: QRectF) -> None:
        """Zoom to an area, in cells."""
        self._view.setRange(area, padding=0)

    def visible_cells(self) -> QRectF:
        """Visible area, in cells."""
        rect: QRectF = self._view.viewRect()
        return rect

    def set_axes(self, left: tuple[TensorAxis, str], bottom: tuple[TensorAxis, str]) -> None:
        """Set the axis and the title of the rows and of the columns."""
        for axis, given in zip(self._axes, (left, bottom), strict=True):
            axis.show_axis(*given)
        self._fit_axes()

    @property
    def axes(self) -> tuple[IndexAxis, IndexAxis]:
        """Axes of the rows and of the columns."""
        return self._axes

    def show_compact_text(self, less: bool) -> None:
        """Hide or show the axis titles."""
        for axis in self._axes:
            axis.showLabel(not less)
        self._less = less
        self._fit_axes()

    def follow(self, other: MapPlot) -> None:
        """Link zoom and pan to another plot."""
        self._view.setXLink(other._view)
        self._view.setYLink(other._view)

    def place_of(self, row: float, column: float) -> QPointF:
        """Center of a cell, or a place near it, in the viewport, in pixels."""
        scene = self._view.mapViewToScene(QPointF(column, row))
        return QPointF(self._plot.mapFromScene(scene))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.cells.set_theme(theme)
        self._plot.setMinimumSize(120, theme.px(_LEAST_HEIGHT))
        self._plot.setBackground(theme.color("panel"))
        space = theme.px(BESIDE)
        self._item.setContentsMargins(0, space, space + 2, 0)
        for axis in self._axes:
            axis.setStyle(tickFont=theme.font(SMALL_PIXELS - 1))
            axis.label.setFont(theme.font(SMALL_PIXELS))
            axis.setPen(theme.color("border_strong"))
            axis.setTextPen(theme.color("text_muted"))
        self._fit_axes()

    def _fit_axes(self) -> None:
        rows, columns = self._axes
        title = self._theme.px(_TITLE_PIXELS) if self._less else 0
        # A fixed width: if it followed the visible labels, the maps would move while zooming.
        rows.setWidth(self._theme.px(_LEFT_PIXELS) + round(rows.widest()) + 12 - title)
        columns.setHeight(self._theme.px(_BOTTOM_PIXELS) - title)

    def close(self) -> None:
        """Release everything that pyqtgraph holds."""
        for watched in (self._plot, self._plot.viewport()):
            # Qt still sends events while the plot closes.
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
            # Qt delivers keys as accepted; here only a receiver that uses the key accepts it.
            event.ignore()
            self.key_pressed.emit(event)
            return event.isAccepted()
        elif event.type() == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            self.show_all()
        # Not that of Qt, as the watched widget may be one that is being deleted.
        return False
