"""The tools of a speaker that Esc puts away first: guide, pen and spotlight."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

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
    QPen,
    QShowEvent,
    QWheelEvent,
    QWindow,
)
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.viewer.guide.controller import GuideController
from gradviz.viewer.local_keys import SPOTLIGHT_KEYS, pressed
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.cover import Cover

if TYPE_CHECKING:
    from gradviz.viewer.guide.panel import GuidePanel
    from gradviz.viewer.window.main_window import MainWindow


class PresenterTools(QObject):
    """Shows one pointer tool at a time, until the step or the page changes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        state = window.parts[ViewerState]
        self.pen, self.spotlight = PenLayer(state, window), SpotlightLayer(window)
        actions = window.commands
        self.guide = GuideSheet(window)
        self._state = state
        self._pointers = ((actions.pen, self.pen), (actions.spotlight, self.spotlight))
        for at, (action, _) in enumerate(self._pointers):
            action.toggled.connect(partial(self._show, at))
        actions.show_guide.triggered.connect(self._on_show_guide_triggered)
        state.place_changed.connect(self._put_away_pointers)
        # A build step changes what is shown, but not the place.
        for step in (actions.next, actions.previous, actions.next_stop, actions.previous_stop):
            step.triggered.connect(self._put_away_pointers)
        window.top.tab_changed.connect(self._put_away_pointers)

    def close_one(self) -> bool:
        """Put away what is in front, and return whether there was something."""
        return self._put_away_pointers() or self.guide.close()

    def stop(self) -> None:
        """Put away everything."""
        self._put_away_pointers()
        self.guide.close()

    def _put_away_pointers(self) -> bool:
        shown = [action for action, _ in self._pointers if action.isChecked()]
        for action in shown:
            action.setChecked(False)
        return bool(shown)

    def _show(self, at: int, shown: bool) -> None:
        layer = self._pointers[at][1]
        if shown:
            self._pointers[1 - at][0].setChecked(False)
            layer.put_on_top()
        else:
            layer.hide()

    def _on_show_guide_triggered(self) -> None:
        if self._state.presentation.presenting and not self.guide.close():
            self.guide.show()


class GuideSheet:
    """Shows the guide's own panel in Presenter Mode, and puts it back into its dock.

    Attributes:
        panel: The panel while it is shown; None otherwise.
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._area = window.parts[PresenterArea]
        self.panel: GuidePanel | None = None

    def show(self) -> None:
        """Show the page of the scene; the keys that scroll are for the page."""
        self.panel = self._window.parts[GuideController].lend_panel()
        for bar in (self.panel.head, self.panel.foot):
            bar.hide()
        self._area.show_sheet(self.panel)
        self.panel.browser.setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> bool:
        """Close it, and return whether it was shown."""
        panel, self.panel = self.panel, None
        if panel is None:
            return False
        had_focus = panel.isAncestorOf(QApplication.focusWidget() or self._window)
        self._area.show_sheet(None)
        for bar in (panel.head, panel.foot):
            bar.show()
        self._window.parts[GuideController].take_back_panel()
        if had_focus:
            self._area.setFocus(Qt.FocusReason.OtherFocusReason)
        return True


_WIDTH = 2.5
"""Width of a line, before the theme's scale factor."""


class PenLayer(Cover):
    """Draws what the mouse drags, until it is hidden; keys still go to the window."""

    def __init__(self, state: ViewerState, window: QWidget) -> None:
        super().__init__(window)
        self._state = state
        self._lines: list[list[QPointF]] = []
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(self.tr("Pen"))

    @property
    def lines(self) -> tuple[tuple[QPointF, ...], ...]:
        """The lines drawn, in pixels of the window."""
        return tuple(tuple(line) for line in self._lines)

    @property
    def _width(self) -> float:
        return _WIDTH * self._state.theme.scale

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a line."""
        self._lines.append([event.position(), event.position()])
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the line while a button is down."""
        if event.buttons() and self._lines:
            self._lines[-1].append(event.position())
            # The whole window: dashes below do not meet where only a part of them is painted again.
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep the window from getting the click."""

    def hideEvent(self, event: QHideEvent) -> None:
        """Remove the lines."""
        super().hideEvent(event)
        self._lines = []

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._state.theme.color("status_now"), self._width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        for line in self._lines:
            painter.drawPolyline(line)
        painter.end()


_DARKNESS = QColor(0, 0, 0, 175)
_SHARE, _LEAST, _MOST = 0.2, 0.06, 0.7
"""Radius as a share of the window's height: at first, and its range."""

_STEP = 1.15
"""Factor by which a key or a notch of the wheel changes the radius."""

_NOTCH = 120.0


class SpotlightLayer(Cover):
    """Follows the pointer while it is shown; clicks and all other keys go to the window.

    Attributes:
        center: Center of the circle, in pixels of the window.
    """

    # Already read while the base class hides the widget.
    _handle: QWindow | None = None

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._share = _SHARE
        self.center = QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("Spotlight"))

    @property
    def radius(self) -> float:
        """Radius of the circle, in pixels."""
        return self._share * self.height()

    def showEvent(self, event: QShowEvent) -> None:
        """Start following the pointer."""
        super().showEvent(event)
        self.center = QPointF(self.mapFromGlobal(QCursor.pos()))
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
            return super().eventFilter(watched, event)
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
        self.center = center
        self.update(before.united(self._area()))

    def _resize(self, factor: float) -> None:
        before = self._area()
        self._share = max(_LEAST, min(self._share * factor, _MOST))
        self.update(before.united(self._area()))

    def _area(self) -> QRect:
        """Return what the circle covers, as only this is painted again."""
        side = 2 * (self.radius + 1)
        area = QRectF(0, 0, side, side)
        area.moveCenter(self.center)
        return area.toAlignedRect()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Darken everything outside of the circle."""
        outside = QPainterPath()
        outside.addRect(QRectF(self.rect()))
        outside.addEllipse(self.center, self.radius, self.radius)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(outside, _DARKNESS)
        painter.end()
