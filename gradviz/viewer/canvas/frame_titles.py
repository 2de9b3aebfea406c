"""The title bars of frames, painted above the lines that cross them."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.style import FONTS, TextStyle
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture, PictureFrame, bar_boxes, frame_depths
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.look.theme import Theme

PAD = 3.0


class FrameTitles(Layer):
    """Draws each frame's title and its close button."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(bar_boxes(picture), margin=2.0)
        self._frames = picture.frames
        self._inner = [depth % 2 == 1 for depth in frame_depths(picture)]
        self._texts: dict[TextStyle, TextCache] = {style: TextCache(style) for style in FONTS}
        self._hovered: PictureFrame | None = None
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._grounds = {False: theme.colour("frame_fill"), True: theme.colour("frame_inner")}
        self._ink = theme.colour("frame_text")
        self._strong = theme.colour("accent")
        self.update()

    def set_hovered(self, frame: PictureFrame | None) -> bool:
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
        painter.setBrush(self._grounds[self._inner[number]])
        # Lines may cross the bar, but not the title.
        covered = QRectF(sign.x(), sign.y(), x + right - sign.x(), sign.height())
        painter.drawRect(covered.adjusted(-PAD, -PAD, PAD, PAD))
        paint_fold_sign(painter, sign, self._strong if frame is self._hovered else self._ink)
        for text in frame.face.texts:
            cache = self._texts[text.style]
            cache.begin(painter)
            painter.setPen(self._ink)
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


def paint_fold_sign(painter: QPainter, room: QRectF, ink: QColor) -> None:
    """Paint a minus sign in a box: the button that closes a group."""
    painter.setPen(QPen(ink, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(room, 3, 3)
    middle = room.center().y()
    painter.drawLine(QLineF(room.left() + 3, middle, room.right() - 3, middle))
