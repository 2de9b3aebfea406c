"""The frames around open groups, painted behind everything else."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.frames import frame_depths, frame_shape, frame_title
from gradviz.drawing.display.parts import Part
from gradviz.viewer.canvas.layers.layer import PartsLayer
from gradviz.viewer.canvas.layers.part_painter import rect_of
from gradviz.viewer.canvas.layout.graph_picture import (
    GraphFrame,
    GraphPicture,
    bar_boxes,
    frame_boxes,
)
from gradviz.viewer.theme.theme import Theme


class FrameTitles(PartsLayer):
    """Draws each frame's title and its close button."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(bar_boxes(picture), 2.0, theme)
        self._frames = picture.frames
        self._depths = frame_depths([frame.drawn for frame in picture.frames])
        self._hovered: GraphFrame | None = None

    def set_hovered(self, frame: GraphFrame | None) -> bool:
        """Highlight the close button of one frame, or of none; return whether that changed."""
        if frame is self._hovered:
            return False
        self._hovered = frame
        self.update()
        return True

    def parts(self, at: int) -> Iterable[Part]:
        """The title of a frame and its button."""
        frame = self._frames[at]
        sign: PaletteRole = "accent" if frame is self._hovered else "frame_text"
        return frame_title(frame.face, self.box(at), self._depths[at], sign)


REACH = 4.0
"""Click tolerance around a close button."""


class FrameLayer(PartsLayer):
    """Draws the frames of a picture, outer frames first."""

    _least_scale = 0.0

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(frame_boxes(picture), 2.0, theme)
        self._frames = picture.frames
        self._depths = frame_depths([frame.drawn for frame in picture.frames])

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
        self.colors().shape(painter, frame_shape(rect_of(box), self._depths[number]))

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """The visible frames; outer frames come first, but `seen` returns them in any order."""
        return sorted(self.seen(option))

    def parts(self, at: int) -> Iterable[Part]:
        """The background of a frame."""
        return (frame_shape(self.box(at), self._depths[at]),)
