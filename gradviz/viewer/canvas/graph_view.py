"""The graph view: zoom at the cursor, pan, hover, selection, and keyboard navigation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QInputDevice, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView, QWidget

from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.layer import box_at
from gradviz.viewer.canvas.layout.graph_space import fit_limit
from gradviz.viewer.canvas.layout.view_placement import find_center, scroll_into_view
from gradviz.viewer.local_keys import GRAPH_KEYS, pressed
from gradviz.viewer.widgets.focus_ring import FocusRing

LEAST_SCALE, MOST_SCALE = 0.01, 8.0
READABLE, PART_SCALE = 0.7, 1.1
"""A graph that would fit only below the first scale starts at the second, partly visible.

Both are times the font scale.
"""

_ROUNDING = 1.5
"""Maximum rounding error of a position in pixels, since scroll bars have whole pixels."""

NOTCH = 1.2
"""Zoom factor of one wheel notch."""

_NOTCH_ANGLE = 120
"""A notch in eighths of a degree; touchpads and fine wheels send fractions of it."""

_NOTCH_PIXELS = 60
"""How far a notch to the side pans."""

_MOST_RESERVED, _MOST_COVERED = 0.5, 0.75
"""Share of the view that a legend, or a panel that is soon gone, may take from the graph."""


class GraphView(QGraphicsView):
    """Shows a `GraphScene`.

    Attributes:
        is_fitted: Whether the whole graph is shown and is refitted when the view is resized.
        covered: How much of the left margin a panel is over now, in pixels.

    Signals:
        scene_shown: The `GraphScene` that is now shown, or None.
        scale_changed: The scale; 1 is 100%.
        moved: The visible area or the view's size has changed.
        resized: The view's size has changed.
        margin_reserved: Width of the margin that `reserve` now keeps free, in pixels.
        card_clicked: Index of the card, or None for the background.
        card_hovered: Index of the card, or None; and the position for a tooltip.
        command_pressed: A command of `GRAPH_KEYS`.
    """

    scene_shown = Signal(object)
    scale_changed = Signal(object)
    moved = Signal()
    resized = Signal()
    margin_reserved = Signal(int)
    card_clicked = Signal(object)
    card_hovered = Signal(object, object)
    command_pressed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # `_zoom` and `fit` position the view; Qt's anchors would then move it a second time.
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        # A bar that comes and goes would resize the viewport, and so refit the graph.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A part that is repainted alone does not meet the rest of the picture: Qt clips dashes and
        # soft edges at its border, which at 125% or 150% lies between two pixels of the screen.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # By default Qt reports moves only while a button is down, but cards react to hovering.
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Graph"))
        self.viewport().setAccessibleName(self.tr("Graph"))
        FocusRing(self)
        self.is_fitted = True
        self._type_scale = 1.0
        self._reserved = self.covered = 0
        self._middle = QPointF()
        self._pressed: QPoint | None = None
        self._panning = False
        self._empty = QGraphicsScene(self)
        self.setScene(self._empty)

    @property
    def scale_factor(self) -> float:
        """Pixels per scene unit."""
        return self.transform().m11()

    def show_scene(self, scene: GraphScene | None, *, keep_place: bool = False) -> None:
        """Show another scene, fitted unless the visible position must be kept."""
        if self._graph() is not None:
            # Without a graph nothing can scroll, so Qt loses the position.
            self._middle = self.mapToScene(self.viewport().rect().center())
        self.setScene(scene if scene is not None else self._empty)
        if scene is not None and keep_place and not self.is_fitted:
            self.centerOn(self._middle)
        elif scene is not None:
            self.fit()
        self.scene_shown.emit(scene)

    @property
    def lasting_rect(self) -> QRect:
        """The part of the viewport that no widget covers permanently, in pixels."""
        return self._without_left(self._reserved, _MOST_RESERVED)

    @property
    def uncovered_rect(self) -> QRect:
        """The part of the viewport that no widget covers now, in pixels."""
        return self.lasting_rect.intersected(self._without_left(self.covered, _MOST_COVERED))

    def _without_left(self, pixels: int, most: float) -> QRect:
        space = self.viewport().rect()
        return space.adjusted(pixels, 0, 0, 0) if pixels < space.width() * most else space

    def cover(self, pixels: int) -> None:
        """Keep the graph out of the left margin while a panel is over it."""
        self.covered = pixels
        self._refit()

    def reserve(self, pixels: int) -> None:
        """Keep the graph out of the left margin, unless it takes half of the view."""
        if pixels != self._reserved:
            self._reserved = pixels
            self._refit()
            self.margin_reserved.emit(pixels)

    def set_type_scale(self, scale: float) -> None:
        """Let a fitted graph grow with the window's font scale."""
        self._type_scale = scale
        self._refit()

    def _refit(self) -> None:
        if self.is_fitted:
            self.fit()

    def exchange(self, scene: GraphScene, place: QPointF, at: QPointF) -> None:
        """Show another scene at the same scale, with its point ``place`` at ``at``."""
        self.is_fitted = False
        self.setScene(scene)
        self.centerOn(place)
        self._move_by(at - self.mapFromScene(place).toPointF())
        self.scene_shown.emit(scene)

    def reveal(self, area: QRectF) -> None:
        """Scroll as little as needed to show an area, or its upper left part if it is too large."""
        if self._graph() is not None and not self.uncovered_rect.isEmpty():
            self.is_fitted = False
            self._move_by(
                scroll_into_view(self.mapFromScene(area).boundingRect(), self.uncovered_rect)
            )

    def fit(self) -> None:
        """Show the whole graph, as large as allowed."""
        scene = self._graph()
        if scene is None:
            return
        rect, space = scene.graph_rect(), self.uncovered_rect
        if rect.isEmpty() or space.isEmpty():
            return
        # Before the scale, whose change tells others to look.
        self.is_fitted = True
        self._set_scale(self._fit_scale(rect, space))
        self._centre(rect.center())

    def _fit_scale(self, rect: QRectF, space: QRect) -> float:
        """The scale at which an area fits a space, as far as allowed."""
        scale = min(space.width() / rect.width(), space.height() / rect.height())
        return max(LEAST_SCALE, min(scale, fit_limit(space.height(), self._type_scale)))

    def _least_scale(self) -> float:
        """How far the graph can be zoomed out: to half of its size when fitted, or of 100%."""
        scene, space = self._graph(), self.uncovered_rect
        if scene is None or scene.graph_rect().isEmpty() or space.isEmpty():
            return LEAST_SCALE
        least = min(1.0, self._fit_scale(scene.graph_rect(), space)) / 2
        # A view that has grown since then must not jump.
        return min(least, self.scale_factor)

    def start_at(self, card: int | None) -> None:
        """If the fitted graph is too small to read, show a readable part around a card."""
        # All of it is better than a part beside a panel that is soon gone.
        scene = self._graph()
        if scene is None or self.covered or self.is_readable or card is None:
            return
        self.enlarge(card)
        self.follow([scene.box(card)], (), tidy=True)

    @property
    def is_readable(self) -> bool:
        """Whether the scale is large enough to read the graph's texts."""
        return self.scale_factor >= READABLE * self._type_scale

    def enlarge(self, card: int) -> None:
        """Center a card at a readable scale, or scroll to it if the scale is readable already."""
        if self.is_readable:
            self.keep_visible(card)
        else:
            self.zoom_to(PART_SCALE * self._type_scale)
            self.centre_card(card)

    def zoom_to(self, scale: float) -> None:
        """Set the scale and keep the center of the view in place."""
        self._zoom(scale / self.scale_factor, self.viewport().rect().center())

    def zoom_by(self, factor: float) -> None:
        """Zoom around the center of the view, but not out until the graph is a dot."""
        self._zoom_within_limit(factor, self.viewport().rect().center())

    def centre_card(self, card: int) -> None:
        """Center a card."""
        scene = self._graph()
        if scene is not None:
            self.centre_on(scene.box(card).center())

    def centre_on(self, place: QPointF) -> None:
        """Center a scene position in the free part of the viewport."""
        # A tab that has never been shown has no space yet; then the graph is fitted later.
        if not self.uncovered_rect.isEmpty():
            self.is_fitted = False
            self._centre(place)

    def _centre(self, place: QPointF) -> None:
        # `centerOn` knows only the whole viewport; the offset allows for its covered part.
        self.centerOn(place - QPointF(self.uncovered_rect.left() / 2 / self.scale_factor, 0.0))

    def is_centred(self, card: int) -> bool:
        """Whether a card is centered to within a few pixels."""
        offset = self.card_rect(card).center() - self.uncovered_rect.center().toPointF()
        # Scroll bars have whole pixels, so a centered card is rarely exactly in the center.
        return offset.manhattanLength() < 12

    def keep_visible(self, card: int) -> None:
        """Scroll to a card that is not entirely visible; center it if none of it is."""
        scene = self._graph()
        if scene is None:
            return
        box, space = self.mapFromScene(scene.box(card)).boundingRect(), self.uncovered_rect
        if space.contains(box):
            return
        if not space.intersects(box):
            self.centre_card(card)
            return
        self.is_fitted = False
        self._move_by(scroll_into_view(box, space))

    def follow(
        self, needed: Sequence[QRectF], wanted: Iterable[QRectF], *, tidy: bool = False
    ) -> None:
        """Stay if the needed areas are visible, else show them with many of the wanted ones.

        The arguments are those of `find_center`.
        """
        scene = self._graph()
        if scene is None or not needed:
            return
        visible = self.mapToScene(self.uncovered_rect).boundingRect()
        center = find_center(
            visible,
            scene.graph_rect(),
            needed,
            wanted,
            slack=_ROUNDING / self.scale_factor,
            tidy=tidy,
        )
        if center is not None:
            self.centre_on(center)

    def card_rect(self, card: int) -> QRectF:
        """Rectangle of a card in the viewport, in pixels."""
        scene = self._graph()
        return (
            QRectF() if scene is None else QRectF(self.mapFromScene(scene.box(card)).boundingRect())
        )

    def card_at(self, place: QPoint) -> int | None:
        """Index of the card at a viewport position, or None."""
        scene = self._graph()
        if scene is None:
            return None
        at = self.mapToScene(place)
        return box_at(scene.picture.boxes, at.x(), at.y())

    def _graph(self) -> GraphScene | None:
        scene = self.scene()
        return scene if isinstance(scene, GraphScene) else None

    def _set_scale(self, scale: float) -> None:
        if scale != self.scale_factor:
            # Starting from the identity keeps rounding errors from adding up over many zoom steps.
            self.resetTransform()
            self.scale(scale, scale)
            self.scale_changed.emit(scale)
            self.moved.emit()

    def _zoom_within_limit(self, factor: float, place: QPoint) -> None:
        self._zoom(max(factor, self._least_scale() / self.scale_factor), place)

    def _zoom(self, factor: float, place: QPoint) -> None:
        scale = max(LEAST_SCALE / 2, min(self.scale_factor * factor, MOST_SCALE))
        self.is_fitted = False
        before = self.mapToScene(place)
        self._set_scale(scale)
        moved = self.mapToScene(place) - before
        self._move_by(moved * scale)

    def _move_by(self, pixels: QPointF) -> None:
        # The scroll bars are hidden, but they are what a QGraphicsView scrolls by.
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() - round(pixels.x()))
        down.setValue(down.value() - round(pixels.y()))

    def _pan_to(self, place: QPoint) -> None:
        assert self._pressed is not None
        far = (place - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._panning or far:
            self._panning = True
            self.is_fitted = False
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._move_by(QPointF(place - self._pressed))
            self._pressed = place

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor; pan with two fingers on a touchpad, or with a wheel to the side.

        With Ctrl, fingers zoom as well.
        """
        turned, pixels = event.angleDelta(), event.pixelDelta()
        if pixels.isNull():
            pixels = turned * _NOTCH_PIXELS / _NOTCH_ANGLE
        zooms = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if not zooms and _is_by_fingers(event):
            self.is_fitted = False
            self._move_by(QPointF(pixels))
        elif not zooms and abs(turned.x()) > abs(turned.y()):
            self.is_fitted = False
            self._move_by(QPointF(pixels.x(), 0))
        else:
            factor = NOTCH ** (turned.y() / _NOTCH_ANGLE)
            self._zoom_within_limit(factor, event.position().toPoint())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a click, or a pan with the middle button."""
        # Not passed on to the base class, since no item of the scene takes mouse events.
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position().toPoint()
            self._panning = event.button() == Qt.MouseButton.MiddleButton

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while a button is down, else hover."""
        place = event.position().toPoint()
        if self._pressed is not None:
            self._pan_to(place)
        else:
            self.card_hovered.emit(self.card_at(place), event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a pan or emit a click."""
        if self._pressed is not None and not self._panning:
            self.card_clicked.emit(self.card_at(event.position().toPoint()))
        self._pressed, self._panning = None, False
        self.viewport().unsetCursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the commands of the graph's keys; pass all others on to the window."""
        command = pressed(GRAPH_KEYS, event)
        if command == "unselect":
            self.card_clicked.emit(None)
        elif command:
            self.command_pressed.emit(command)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted graph fitted."""
        super().resizeEvent(event)
        self._refit()
        self.moved.emit()
        self.resized.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Emit `moved` for the widgets laid over the view."""
        super().scrollContentsBy(dx, dy)
        self.moved.emit()


def _is_by_fingers(event: QWheelEvent) -> bool:
    # Not whether it has pixels: on X11 the wheel of a mouse has them, too. Gestures have phases.
    by_gesture = event.phase() != Qt.ScrollPhase.NoScrollPhase
    return by_gesture or event.deviceType() == QInputDevice.DeviceType.TouchPad
