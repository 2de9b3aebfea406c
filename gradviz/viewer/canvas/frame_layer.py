"""The frames around open groups, drawn behind everything else."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.picture import Picture, PictureFrame, frame_boxes, frame_depths
from gradviz.viewer.look.theme import Theme

CORNER, REACH = 10.0, 4.0
"""Radius of a frame's corners; so far beside its closing sign a click counts."""


class FrameLayer(Layer):
    """The frames of a picture, those around others first."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(frame_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._inner = [depth % 2 == 1 for depth in frame_depths(picture)]
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._grounds = {False: theme.colour("frame_fill"), True: theme.colour("frame_inner")}
        self._border = QPen(theme.colour("frame_border"), 1.0)
        self.update()

    def at(self, place: QPointF) -> tuple[PictureFrame, bool] | None:
        """The frame whose title bar holds a place, and whether that is on its closing sign."""
        for frame in reversed(self._frames):
            if QRectF(*frame.box).contains(place):
                sign = frame.sign.adjusted(-REACH, -REACH, REACH, REACH)
                return (frame, sign.contains(place)) if frame.bar.contains(place) else None
        return None

    def paint_frame(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Draws one frame, wherever it is."""
        painter.setPen(self._border)
        painter.setBrush(self._grounds[self._inner[number]])
        painter.drawRoundedRect(box, CORNER, CORNER)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the frames in sight."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # In their own order: `seen` knows nothing of what lies in what.
        for number in sorted(self.seen(option)):
            self.paint_frame(painter, number, QRectF(*self._frames[number].box))
