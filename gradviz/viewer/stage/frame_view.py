"""Paints the pictures of a story, and moves their objects from one picture to the next."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QPointF, QSize, Qt, QUrl, QVariantAnimation, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.display.parts import Outline, Pen, RoundedRect, Shape, ValuePlane
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.blocks import bounds_of, paragraph
from gradviz.story.frame import SLIDE, Drawn, Frame, at, between
from gradviz.story.frames import NOTE
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, qt_rect
from gradviz.viewer.theme.animation_policy import may_move
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.screen_reader import announce

MOVING_MS = 450
"""Duration of the way from one picture to the next."""

_EDGE = 24.0
"""Around a notice."""

_RING, _SIGN = 4.0, 8.0
"""Around a number that can be turned, and half the width of the signs at its ring."""

_NARROWEST, _WIDEST = 1.0, 2.4
"""Width of a picture by its height."""


class FrameView(QWidget):
    """Shows one picture as large as it fits.

    Attributes:
        frame: The picture that is shown, or to which objects are moving.
        notice: A sentence below the picture; usually empty.

    Signals:
        resized: Pictures of another size are wanted; see `wanted_size`.
        frame_changed: Another picture is shown, or none.
    """

    resized = Signal()
    frame_changed = Signal()

    def __init__(
        self, theme: Theme, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self._parts = PartPainter(theme)
        self._before: Frame | None = None
        self.frame: Frame | None = None
        self._share = 1.0
        self.notice = ""
        self._ring: Rect | None = None
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MOVING_MS)
        self._motion.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._motion.valueChanged.connect(self._on_motion_value_changed)
        self.setMouseTracking(True)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)

    @property
    def is_moving(self) -> bool:
        """Whether objects are on their way."""
        return self._share < 1

    @property
    def wanted_size(self) -> tuple[float, float]:
        """Width and height of a picture that fills the view."""
        shape = min(max(self.width() / max(1, self.height()), _NARROWEST), _WIDEST)
        # A slide has room in it, so that a question has one line on each screen.
        width = max(SLIDE[0], SLIDE[1] * shape)
        return width, width / shape

    def say(self, notice: str) -> None:
        """Say something below the picture until another one is shown."""
        self.notice = notice
        self.update()
        if notice and self.isVisible():
            announce(self, notice)

    def show_frame(self, frame: Frame | None, *, moves: bool = False) -> None:
        """Show another picture.

        Args:
            frame: The picture; None for none.
            moves: Whether objects of the previous picture move to where they are in this one.
        """
        self.end_motion()
        self.notice = ""
        self._before, self.frame = self.frame, frame
        self.setAccessibleName("" if frame is None else frame.spoken)
        policies = Qt.FocusPolicy
        self.setFocusPolicy(policies.NoFocus if frame is None else policies.StrongFocus)
        wants = moves and self._before is not None and frame is not None
        if wants and may_move(self._preferences):
            self._share = 0.0
            self._motion.start()
        self.frame_changed.emit()
        self.update()

    def end_motion(self) -> None:
        """Show the picture to which objects are moving."""
        self._motion.stop()
        self._share = 1.0
        self.update()

    def ring(self, area: Rect | None) -> None:
        """Put a ring around a part of the picture that can be turned; None for none."""
        self._ring = area
        self.update()

    def in_picture(self, place: QPointF) -> tuple[float, float]:
        """Find a place of the widget in the picture that is shown."""
        scale, x, y = self._fit()
        return (place.x() - x) / scale, (place.y() - y) / scale

    @property
    def _size(self) -> tuple[float, float]:
        """Width and height of the picture; without one, those that it will have."""
        frame = self.frame
        return self.wanted_size if frame is None else (frame.width, frame.height)

    def _fit(self) -> tuple[float, float, float]:
        """Scale of the picture, and where its upper left corner is."""
        width, height = self._size
        scale = min(self.width() / width, self.height() / height) or 1.0
        return scale, (self.width() - width * scale) / 2, (self.height() - height * scale) / 2

    def update_theme(self) -> None:
        """Paint in the colors of the theme."""
        self._parts = PartPainter(self._theme)
        self.update()

    def _on_motion_value_changed(self, share: float) -> None:
        self._share = share
        self.update()

    def sizeHint(self) -> QSize:
        """A slide."""
        return QSize(*map(int, SLIDE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for pictures of the new shape."""
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture in the middle of the view."""
        frame = self.frame
        if frame is not None and self._share < 1 and self._before is not None:
            frame = between(self._before, frame, self._share)
        drawn = () if frame is None else frame.drawn
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        scale, x, y = self._fit()
        painter.translate(x, y)
        painter.scale(scale, scale)
        for each in (*drawn, *self._ringed(), *self._noticed()):
            self._paint(painter, each)
        painter.end()

    def _ringed(self) -> tuple[Drawn, ...]:
        """The ring, with a sign above and below that says which ways it turns."""
        if self._ring is None or self.is_moving:
            return ()
        area = self._ring.grown(_RING)
        ring = Shape(RoundedRect(area, 8), None, Pen("accent", 4))
        middle = area.x + area.width / 2
        signs = [
            Shape(_triangle((middle, y), tip), "accent")
            for y, tip in ((area.y - _RING, -_SIGN), (area.bottom + _RING, _SIGN))
        ]
        return (Drawn(key="ring", parts=(ring, *signs)),)

    def _link_at(self, place: QPointF) -> str:
        """The address that a place of the view leads to; empty for none."""
        point = QPointF(*self.in_picture(place))
        links = (each for each in (self.frame.drawn if self.frame else ()) if each.link)
        return next((x.link for x in links if qt_rect(bounds_of([x])).contains(point)), "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the page that a link leads to."""
        if link := self._link_at(event.position()):
            QDesktopServices.openUrl(QUrl(link))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what can be clicked."""
        shapes = Qt.CursorShape
        link = self._link_at(event.position())
        self.setCursor(shapes.PointingHandCursor if link else shapes.ArrowCursor)

    def _noticed(self) -> tuple[Drawn, ...]:
        """The notice on a ground of its own: above the lower edge of a picture, or in its place."""
        if not self.notice:
            return ()
        width, height = self._size
        text = paragraph(self.notice, width - 4 * _EDGE, NOTE, key="notice", ink="text")
        x, y = 2 * _EDGE, height - text.height - 3 * _EDGE
        if self.frame is None:
            x, y = (width - text.width) / 2, (height - text.height) / 2
        area = Rect(x=0, y=0, width=text.width, height=text.height).grown(_EDGE / 2)
        ground = Shape(RoundedRect(area, 8), "raised", Pen("border_strong", 1.5))
        drawn = (Drawn(key="notice", parts=(ground,)), *text.drawn)
        return at((x, y), drawn)

    def _paint(self, painter: QPainter, drawn: Drawn) -> None:
        if drawn.opacity <= 0:
            return
        painter.save()
        painter.setOpacity(drawn.opacity)
        painter.translate(drawn.x, drawn.y)
        painter.scale(drawn.scale, drawn.scale)
        for part in drawn.parts:
            if isinstance(part, ValuePlane):
                # In the font of the story, so that a number stands here if it does on a slide.
                paint_thumbnail(
                    *(painter, qt_rect(part.rect), part.value, self._theme, part.limit),
                    drawing_font(),
                )
            else:
                self._parts.paint(painter, (part,))
        painter.restore()


def _triangle(base: Point, tip: float) -> Outline:
    """A triangle above the middle of its base, or below it for a positive ``tip``."""
    x, y = base
    points = (("M", ((x - _SIGN, y),)), ("L", ((x + _SIGN, y),)), ("L", ((x, y + tip),)), ("Z", ()))
    return Outline(points)
