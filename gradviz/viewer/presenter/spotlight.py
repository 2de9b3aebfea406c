"""A spotlight: darkens the window except for a circle around the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QCursor,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QShowEvent,
    QWheelEvent,
    QWindow,
)
from PySide6.QtWidgets import QWidget

from gradviz.viewer.local_keys import SPOTLIGHT_KEYS, pressed
from gradviz.viewer.presenter.window_cover import WindowCover

_DARKNESS = QColor(0, 0, 0, 175)
_SHARE, _LEAST, _MOST = 0.2, 0.06, 0.7
"""Radius as a share of the window's height: at first, and its range."""

_STEP = 1.15
"""Factor by which a key or a notch of the wheel changes the radius."""

_NOTCH = 120.0


class SpotlightLayer(WindowCover):
    """Follows the pointer while it is shown; clicks and all other keys go to the window."""

    # Already read while the base class hides the widget.
    _handle: QWindow | None = None

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._share = _SHARE
        self._center = QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("Spotlight"))

    @property
    def radius(self) -> float:
        """Radius of the circle, in pixels."""
        return self._share * self.height()

    @property
    def center(self) -> QPointF:
        """Center of the circle, in pixels of the window."""
        return self._center

    def showEvent(self, event: QShowEvent) -> None:
        """Start following the pointer."""
        super().showEvent(event)
        self._center = QPointF(self.mapFromGlobal(QCursor.pos()))
        self._handle = self.window().windowHandle()
        if self._handle is not None:
            # Widgets without mouse tracking get no move events, but their window does.
            self._handle.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop following the pointer."""
        super().hideEvent(event)
        if self._handle is not None:
            self._handle.removeEventFilter(self)
            self._handle = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move with the pointer, and change the size with the wheel and the keys."""
        if watched is not self._handle:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._move_to(event.position())
        elif isinstance(event, QWheelEvent):
            self._resize(_STEP ** (event.angleDelta().y() / _NOTCH))
            return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            command = pressed(SPOTLIGHT_KEYS, event)
            if command:
                self._resize(_STEP if command == "larger" else 1 / _STEP)
            return bool(command)
        return False

    def _move_to(self, center: QPointF) -> None:
        before = self._area()
        self._center = center
        self.update(before.united(self._area()))

    def _resize(self, factor: float) -> None:
        before = self._area()
        self._share = max(_LEAST, min(self._share * factor, _MOST))
        self.update(before.united(self._area()))

    def _area(self) -> QRect:
        """Return what the circle covers, as only this is painted again."""
        side = 2 * (self.radius + 1)
        area = QRectF(0, 0, side, side)
        area.moveCenter(self._center)
        return area.toAlignedRect()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Darken everything outside of the circle."""
        outside = QPainterPath()
        outside.addRect(QRectF(self.rect()))
        outside.addEllipse(self._center, self.radius, self.radius)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(outside, _DARKNESS)
        painter.end()
