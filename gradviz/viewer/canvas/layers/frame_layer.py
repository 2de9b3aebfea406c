"""The frames around open groups, painted behind everything else."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import FONTS, TextStyle
from gradviz.viewer.canvas.layers.graph_text import TextCache
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import (
    GraphFrame,
    GraphPicture,
    bar_boxes,
    frame_boxes,
    frame_depths,
)
from gradviz.viewer.theme.theme import Theme

PAD = 3.0


class FrameTitles(GraphLayer):
    """Draws each frame's title and its close button."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(bar_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._inner = [depth % 2 == 1 for depth in frame_depths(picture)]
        self._texts: dict[TextStyle, TextCache] = {style: TextCache(style) for style in FONTS}
        self._hovered: GraphFrame | None = None
        self._theme = theme

    def set_hovered(self, frame: GraphFrame | None) -> bool:
        """Highlight the close button of one frame, or of none; return whether that changed."""
        if frame is self._hovered:
            return False
        self._hovered = frame
        self.update()
        return True

    def _paint_bar(self, painter: QPainter, number: int) -> None:
        frame = self._frames[number]
        x, y = frame.box[:2]
        sign = frame.sign
        right = max((text.x + text.width for text in frame.face.texts), default=0.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("frame_inner" if self._inner[number] else "frame_fill"))
        # Lines may cross the bar, but not the title.
        covered = QRectF(sign.x(), sign.y(), x + right - sign.x(), sign.height())
        painter.drawRect(covered.adjusted(-PAD, -PAD, PAD, PAD))
        ink = self._theme.color("frame_text")
        strong = self._theme.color("accent")
        paint_fold_sign(painter, sign, strong if frame is self._hovered else ink)
        for text in frame.face.texts:
            cache = self._texts[text.style]
            cache.begin(painter)
            painter.setPen(ink)
            cache.draw(painter, x + text.x, y + text.baseline, text.text)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible title bars."""
        if self.scale_of(painter) < TEXT_FROM:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number in self.seen(option):
            self._paint_bar(painter, number)


def paint_fold_sign(painter: QPainter, space: QRectF, ink: QColor) -> None:
    """Paint a minus sign in a box: the button that closes a group."""
    painter.setPen(QPen(ink, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(space, 3, 3)
    middle = space.center().y()
    painter.drawLine(QLineF(space.left() + 3, middle, space.right() - 3, middle))


CORNER, REACH = 10.0, 4.0
"""Corner radius of a frame, and the click tolerance around its close button."""


class FrameLayer(GraphLayer):
    """Draws the frames of a picture, outer frames first."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(frame_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._inner = [depth % 2 == 1 for depth in frame_depths(picture)]
        self._theme = theme

    def at(self, place: QPointF) -> tuple[GraphFrame, bool] | None:
        """Frame whose title bar contains a point, and whether the point is on its close button."""
        # Inner frames come later in the list, and the innermost one is meant.
        for frame in reversed(self._frames):
            if QRectF(*frame.box).contains(place):
                sign = frame.sign.adjusted(-REACH, -REACH, REACH, REACH)
                return (frame, sign.contains(place)) if frame.bar.contains(place) else None
        return None

    def paint_frame(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Paint a frame at any rectangle, for example during an animation."""
        painter.setPen(QPen(self._theme.color("frame_border"), 1.0))
        painter.setBrush(self._theme.color("frame_inner" if self._inner[number] else "frame_fill"))
        painter.drawRoundedRect(box, CORNER, CORNER)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible frames."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Outer frames must come first, but `seen` returns boxes in any order.
        for number in sorted(self.seen(option)):
            self.paint_frame(painter, number, QRectF(*self._frames[number].box))
