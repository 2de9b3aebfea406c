"""The frames around open groups, drawn behind everything else, with what closes them."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.style import FONTS, TextStyle
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture, PictureFrame, frame_boxes
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.theme import Theme

CORNER = 10.0


class FrameLayer(Layer):
    """The frames of a picture, those around others first."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(frame_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._places = [frame.box for frame in picture.frames]
        self._inner = [depth % 2 == 1 for depth in _depths(picture)]
        self._texts: dict[TextStyle, TextCache] = {style: TextCache(style) for style in FONTS}
        self._hovered: PictureFrame | None = None
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._grounds = {False: theme.colour("frame_fill"), True: theme.colour("frame_inner")}
        self._border = QPen(theme.colour("frame_border"), 1.0)
        self._ink = theme.colour("frame_text")
        self._strong = theme.colour("accent")
        self.update()

    def set_hovered(self, frame: PictureFrame | None) -> bool:
        """Shows that a click would close a frame, or none; tells whether that is news."""
        if frame is self._hovered:
            return False
        self._hovered = frame
        self.update()
        return True

    def at(self, place: QPointF) -> tuple[int, bool] | None:
        """The frame whose title bar holds a place, and whether that is on its closing sign."""
        for number in range(len(self._frames) - 1, -1, -1):
            frame, box = self._frames[number], QRectF(*self._places[number])
            if not box.contains(place):
                continue
            bar = QRectF(box.x(), box.y(), box.width(), frame.face.height)
            sign = self._sign(number).adjusted(-4, -4, 4, 4)
            return (number, sign.contains(place)) if bar.contains(place) else None
        return None

    def _sign(self, number: int) -> QRectF:
        sign, box = self._frames[number].face.sign, self._places[number]
        return QRectF(box[0] + sign.x, box[1] + sign.y, sign.width, sign.height)

    def _paint_bar(self, painter: QPainter, number: int) -> None:
        ink = self._strong if self._frames[number] is self._hovered else self._ink
        _paint_sign(painter, self._sign(number), ink)
        box = self._places[number]
        for text in self._frames[number].face.texts:
            cache = self._texts[text.style]
            cache.begin(painter)
            painter.setPen(self._ink)
            cache.draw(painter, box[0] + text.x, box[1] + text.baseline, text.text)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the frames in sight."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        near = self.scale_of(painter) >= TEXT_FROM
        # In their own order: `seen` knows nothing of what lies in what.
        for number in sorted(self.seen(option)):
            painter.setPen(self._border)
            painter.setBrush(self._grounds[self._inner[number]])
            painter.drawRoundedRect(QRectF(*self._places[number]), CORNER, CORNER)
            if near:
                self._paint_bar(painter, number)


def _paint_sign(painter: QPainter, room: QRectF, ink: QColor) -> None:
    """A box with a minus: what is open can be closed."""
    painter.setPen(QPen(ink, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(room, 3, 3)
    middle = room.center().y()
    painter.drawLine(QLineF(room.left() + 3, middle, room.right() - 3, middle))


def _depths(picture: Picture) -> list[int]:
    depth: dict[str, int] = {"": -1}
    for frame in picture.frames:
        depth[frame.drawn.id] = depth[frame.drawn.parent] + 1
    return [depth[frame.drawn.id] for frame in picture.frames]
