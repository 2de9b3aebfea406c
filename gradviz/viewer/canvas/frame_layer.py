"""The frames around open groups, painted behind everything else."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.picture import Picture, PictureFrame, frame_boxes, frame_depths
from gradviz.viewer.look.theme import Theme

CORNER, REACH = 10.0, 4.0
"""Corner radius of a frame, and the click tolerance around its close button."""


class FrameLayer(Layer):
    """Draws the frames of a picture, outer frames first."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(frame_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._inner = [depth % 2 == 1 for depth in frame_depths(picture)]
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._grounds = {False: theme.colour("frame_fill"), True: theme.colour("frame_inner")}
        self._border = QPen(theme.colour("frame_border"), 1.0)
        self.update()

    def at(self, place: QPointF) -> tuple[PictureFrame, bool] | None:
        """Frame whose title bar contains a point, and whether the point is on its close button."""
        for frame in reversed(self._frames):
            if QRectF(*frame.box).contains(place):
                sign = frame.sign.adjusted(-REACH, -REACH, REACH, REACH)
                return (frame, sign.contains(place)) if frame.bar.contains(place) else None
        return None

    def paint_frame(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Paint a frame at any rectangle, for example during an animation."""
        painter.setPen(self._border)
        painter.setBrush(self._grounds[self._inner[number]])
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
