"""The timeline's slider: all steps in a row; click and drag go through them."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from gradviz.model.index import Index
from gradviz.viewer.theme import Theme
from gradviz.viewer.timeline.track import BAND_HEIGHT, LABEL_HEIGHT, MARKS_HEIGHT, Track

HEIGHT = int(LABEL_HEIGHT + BAND_HEIGHT + MARKS_HEIGHT) + 2


class TimelineBar(QAbstractSlider):
    """A slider whose value is the number of the step.

    The row is painted twice into pictures, as still to come and as done; a step shows parts of
    both, so that dragging costs the same for ten steps and for a hundred thousand.

    Signals:
        hovered: Number of the step under the mouse, or None; and the place for a tooltip.
        play_pressed: Space.
    """

    hovered = Signal(object, object)
    play_pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._track: Track | None = None
        self._pictures: tuple[QPixmap, QPixmap] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Timeline"))

    def show_index(self, index: Index | None) -> None:
        """Shows the steps of another trace."""
        self._track = Track(index) if index is not None and index.trace.steps else None
        self._pictures = None
        self.blockSignals(True)
        self.setRange(1, max(1, self._track.count if self._track else 1))
        self.setValue(1)
        self.blockSignals(False)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._theme = theme
        self._pictures = None
        self.update()

    def x_of(self, number: int) -> float:
        """Where a step is, in pixels from the left."""
        return 0.0 if self._track is None else self._track.x_of(number, self.width())

    def _painted(self) -> tuple[QPixmap, QPixmap]:
        assert self._track is not None
        ratio = self.devicePixelRatioF()
        if self._pictures is None or self._pictures[0].size() != self.size() * ratio:
            pictures = []
            for done in (False, True):
                picture = QPixmap(self.size() * ratio)
                picture.setDevicePixelRatio(ratio)
                picture.fill(Qt.GlobalColor.transparent)
                painter = QPainter(picture)
                self._track.paint(painter, self.width(), self._theme, done=done)
                painter.end()
                pictures.append(picture)
            self._pictures = (pictures[0], pictures[1])
        return self._pictures

    def _paint_now(self, painter: QPainter) -> None:
        x = self.x_of(self.value())
        middle = LABEL_HEIGHT + BAND_HEIGHT / 2
        now = self._theme.colour("status_now")
        painter.setPen(QPen(now, 2))
        painter.drawLine(QLineF(x, LABEL_HEIGHT - 3, x, LABEL_HEIGHT + BAND_HEIGHT + 3))
        halo = QColor(now)
        halo.setAlphaF(0.3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(halo)
        painter.drawEllipse(QPointF(x, middle), 11, 11)
        painter.setPen(QPen(self._theme.colour("panel"), 1.5))
        painter.setBrush(now)
        painter.drawEllipse(QPointF(x, middle), 7, 7)

    def _go_to_place(self, event: QMouseEvent) -> None:
        if self._track is not None:
            self.setValue(self._track.number_at(event.position().x(), self.width()))

    def sizeHint(self) -> QSize:
        """As high as bands and marks need."""
        return QSize(400, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Narrow is fine; lower is not."""
        return QSize(120, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Shows the done picture up to the step, and the other one after it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._track is None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("raised"))
            painter.drawRoundedRect(QRectF(0, LABEL_HEIGHT, self.width(), BAND_HEIGHT), 5, 5)
            return
        to_come, done = self._painted()
        ratio = to_come.devicePixelRatio()
        at, height = int(self.x_of(self.value())), self.height()
        for picture, left, right in ((done, 0, at), (to_come, at, self.width())):
            place = QRectF(left, 0, right - left, height)
            part = QRectF(left * ratio, 0, (right - left) * ratio, height * ratio)
            painter.drawPixmap(place, picture, part)
        self._paint_now(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("focus"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Goes to the step under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to_place(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drags through the steps, or tells which one is below the mouse."""
        if self.isSliderDown():
            self._go_to_place(event)
        elif self._track is not None:
            number = self._track.number_at(event.position().x(), self.width())
            self.hovered.emit(number, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends a drag."""
        self.setSliderDown(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right step, Home and End go to the ends, Space plays."""
        key, modifiers = event.key(), event.modifiers()
        if key == Qt.Key.Key_Space and modifiers == Qt.KeyboardModifier.NoModifier:
            self.play_pressed.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()
        else:
            super().keyPressEvent(event)
