"""The row of dots in Presenter Mode: one for each idea of the page in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow

_HEIGHT, _SPACING = 26, 22
_SMALL, _LARGE = 4.0, 7.0
"""Radius of the dots of other ideas and of the current one, before the theme's scale factor."""


class IdeaDots(QWidget):
    """Shows which idea is current; a click on a dot goes there.

    Signals:
        requested: Position of the idea that the user asks for, from 0.
    """

    requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._at, self._count = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAutoFillBackground(True)

    def show_idea(self, idea: PresentedIdea) -> None:
        """Show the position of another idea."""
        self._at, self._count = idea.at, idea.count
        text = self.tr("Idea {at} of {count}")
        self.setAccessibleName(text.format(at=idea.at + 1, count=idea.count))
        self.update()

    def center_of(self, at: int) -> QPointF:
        """Center of a dot, in pixels."""
        first = self.width() / 2 - (self._count - 1) * self._spacing() / 2
        return QPointF(first + at * self._spacing(), self.height() / 2)

    def _spacing(self) -> float:
        return min(self._theme.px(_SPACING), self.width() / max(1, self._count))

    def sizeHint(self) -> QSize:
        """Return the preferred size of the row."""
        return QSize(self._theme.px(200), self._theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a filled dot for each idea shown so far, a ring for each later one."""
        # A single dot offers nothing to step through.
        if self._count < 2:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at in range(self._count):
            now = at == self._at
            role: PaletteRole = "accent" if now else "status_done"
            radius = (_LARGE if now else _SMALL) * self._theme.scale
            painter.setPen(QPen(self._theme.color(role), 1.4 * self._theme.scale))
            painter.setBrush(
                self._theme.color(role) if at <= self._at else self._theme.color("panel")
            )
            painter.drawEllipse(self.center_of(at), radius, radius)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Request the idea of the nearest dot."""
        if event.button() != Qt.MouseButton.LeftButton or self._count < 2:
            super().mousePressEvent(event)
            return
        offset = event.position().x() - self.center_of(0).x()
        at = round(offset / self._spacing())
        if 0 <= at < self._count:
            self.requested.emit(at)


class IdeaTimeline(QObject):
    """Replaces the run's timeline by dots while the page in front has ideas of its own."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._area = window.parts[PresenterArea]
        self._state = window.parts[ViewerState]
        self._dots: IdeaDots | None = None
        self._state.presentation.idea_changed.connect(self._on_presentation_idea_changed)

    @property
    def dots(self) -> IdeaDots | None:
        """The row of dots; None if the run's timeline is visible."""
        return self._dots

    @Slot(object)
    def _on_presentation_idea_changed(self, idea: PresentedIdea | None) -> None:
        if idea is None:
            self._remove()
            return
        if self._dots is None:
            self._dots = IdeaDots(self._state.theme)
            self._dots.requested.connect(self._state.presentation.idea_requested)
            self._area.place_below(self._dots)
            self._window.bottom.hide()
        self._dots.show_idea(idea)

    def _remove(self) -> None:
        if self._dots is not None:
            self._dots.hide()
            self._dots.deleteLater()
            self._dots = None
            self._window.bottom.show()
