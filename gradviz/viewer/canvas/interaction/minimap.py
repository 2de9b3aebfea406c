"""Minimap: an overview of a graph that does not fit, with a draggable visible area."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.focus_ring import FocusRing

WIDTH, HEIGHT = 190, 170
"""Maximum size in pixels at font scale 1."""

MOST_OF_VIEW = 0.3
"""Maximum share of the view's width and height, since a low window needs the space."""

LEAST = 44
"""Minimum length of the shorter side in pixels, for long narrow graphs."""

_PAD, _ROUND = 7, 8
_STEP = 0.25
_STEPS = {
    Qt.Key.Key_Left: QPointF(-_STEP, 0),
    Qt.Key.Key_Right: QPointF(_STEP, 0),
    Qt.Key.Key_Up: QPointF(0, -_STEP),
    Qt.Key.Key_Down: QPointF(0, _STEP),
}
"""Move of the visible area per arrow key, as a fraction of its size."""


class Minimap(QWidget):
    """Shows the whole scene of a view; a click or drag moves the visible area."""

    def __init__(self, view: GraphView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._scene: GraphScene | None = None
        self._ground: QPixmap | None = None
        self._held: QPointF | None = None
        # Otherwise presses and wheel events here would also act on the graph behind.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Minimap"))
        self.setAccessibleDescription(self.tr("The arrow keys move the visible area."))
        self.setToolTip(self.tr("Minimap: drag or click to move the visible area"))
        FocusRing(self)

    def show_scene(self, scene: GraphScene | None) -> None:
        """Show another graph."""
        self._scene = scene
        self.update_theme()

    def update_theme(self) -> None:
        """Adapt the size to the graph and the view, and repaint."""
        self.fit()
        self._ground = None
        self.update()

    def fit(self) -> None:
        """Adapt the size to the graph and the view."""
        if self._scene is None:
            return
        rect, theme, view = self._scene.graph_rect(), self._theme, self._view.viewport()
        width = min(theme.px(WIDTH), MOST_OF_VIEW * view.width())
        height = min(theme.px(HEIGHT), MOST_OF_VIEW * view.height())
        scale = min(width / rect.width(), height / rect.height())
        least, whole = theme.px(LEAST), self.whole_pixels
        across, down = (
            max(least, round(length * scale)) + 2 * _PAD for length in (rect.width(), rect.height())
        )
        self.resize(across - across % whole, down - down % whole)

    @property
    def whole_pixels(self) -> int:
        """How many of Qt's pixels are a whole number of the screen's.

        Edges between two pixels of the screen would stay behind when the minimap is painted alone.
        """
        ratio = self.devicePixelRatioF()
        return next((count for count in range(1, 9) if (count * ratio).is_integer()), 1)

    def repaint_graph(self) -> None:
        """Repaint the graph, for example at another step."""
        self._ground = None
        self.update()

    @property
    def is_needed(self) -> bool:
        """Whether part of the graph is outside the visible area."""
        if self._scene is None:
            return False
        visible = self._visible_rect()
        # A few clipped units at the edge are only margin.
        return not visible.adjusted(-14, -14, 14, 14).contains(self._scene.graph_rect())

    def frame(self) -> QRectF:
        """Visible area in widget pixels."""
        if self._scene is None:
            return QRectF()
        visible, scale, origin = self._visible_rect(), *self._scale()
        corner = (visible.topLeft() - self._scene.graph_rect().topLeft()) * scale + origin
        return QRectF(corner, visible.size() * scale)

    def _visible_rect(self) -> QRectF:
        return self._view.mapToScene(self._view.uncovered_rect).boundingRect()

    def _scale(self) -> tuple[float, QPointF]:
        """Pixels per scene unit, and the position of the graph's corner."""
        assert self._scene is not None
        rect = self._scene.graph_rect()
        space = QRectF(self.rect()).adjusted(_PAD, _PAD, -_PAD, -_PAD)
        scale = min(space.width() / rect.width(), space.height() / rect.height())
        size = rect.size() * scale
        corner = space.center() - QPointF(size.width() / 2, size.height() / 2)
        return scale, corner

    def _place(self, at: QPointF) -> QPointF:
        """Scene position under a pixel."""
        assert self._scene is not None
        scale, origin = self._scale()
        return (at - origin) / scale + self._scene.graph_rect().topLeft()

    def _painted(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        if self._ground is None or self._ground.devicePixelRatioF() != ratio:
            self._ground = QPixmap((QRectF(self.rect()).size() * ratio).toSize())
            self._ground.setDevicePixelRatio(ratio)
            self._ground.fill(Qt.GlobalColor.transparent)
            if self._scene is not None:
                scale, origin = self._scale()
                painter = QPainter(self._ground)
                corner = self._scene.graph_rect().topLeft()
                painter.translate(origin - corner * scale)
                painter.scale(scale, scale)
                self._scene.paint_overview(painter)
                painter.end()
        return self._ground

    def sizeHint(self) -> QSize:
        """Always the current size."""
        return self.size()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Discard the cached image."""
        self._ground = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the graph and a tinted frame over the visible area."""
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(theme.color("border_strong"))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(outline, _ROUND, _ROUND)
        # The graph is painted once per step; while scrolling, only the frame over it changes.
        painter.drawPixmap(0, 0, self._painted())
        if self._scene is not None:
            overlay = QColor(theme.color("accent"))
            overlay.setAlphaF(0.13)
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.setBrush(overlay)
            painter.drawRoundedRect(self.frame().intersected(outline.adjusted(2, 2, -2, -2)), 3, 3)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the frame; a press beside it centers that position first."""
        if event.button() != Qt.MouseButton.LeftButton or self._scene is None:
            return
        frame = self.frame()
        if not frame.contains(event.position()):
            self._view.centre_on(self._place(event.position()))
            frame = self.frame()
        # Keeps the grabbed point under the mouse; else the frame's center would jump to it.
        self._held = event.position() - frame.center()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the frame."""
        if self._held is not None and self._scene is not None:
            self._view.centre_on(self._place(event.position() - self._held))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Release the frame."""
        self._held = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the visible area by a quarter of its size."""
        direction = _STEPS.get(Qt.Key(event.key()))
        # On macOS all arrow keys carry KeypadModifier, elsewhere those of the numeric keypad.
        if direction is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
            return
        visible = self._visible_rect()
        moved = QPointF(direction.x() * visible.width(), direction.y() * visible.height())
        self._view.centre_on(visible.center() + moved)
