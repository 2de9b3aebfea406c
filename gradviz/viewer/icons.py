"""Our own icons in the colours of the theme: the same on every platform, sharp at any scale."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gradviz.model.palette import Role
from gradviz.resource import resource_path
from gradviz.viewer.theme import Theme


@cache
def icon(name: str, theme: Theme, role: Role = "text") -> QIcon:
    """An icon of ``resources/icons``.

    Args:
        name: File name without its ending, like ``play``.
        theme: Colours to draw with.
        role: Colour of the lines; disabled ones are always faint.

    Raises:
        FileNotFoundError: There is no such icon.
    """
    ink, faint = theme.colour(role).name(), theme.colour("status_to_come").name()
    return QIcon(_Engine(_drawing(name), ink, faint))


@cache
def _drawing(name: str) -> str:
    return resource_path(f"icons/{name}.svg").read_text()


class _Engine(QIconEngine):
    """Draws each size when somebody asks for it: a window has many icons, and starts soon."""

    def __init__(self, drawing: str, ink: str, faint: str) -> None:
        super().__init__()
        self._parts = (drawing, ink, faint)
        self._drawn: dict[tuple[int, int, bool], QPixmap] = {}

    def clone(self) -> QIconEngine:
        """Another one of the same look."""
        return _Engine(*self._parts)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draws into a rectangle, as sharp as the device is."""
        drawing, ink, faint = self._parts
        # A selected row changes nothing: the style would mix its ground into the lines.
        colour = faint if mode == QIcon.Mode.Disabled else ink
        data = QByteArray(drawing.replace("currentColor", colour).encode())
        QSvgRenderer(data).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """The icon in a size, in pixels of the device."""
        key = (size.width(), size.height(), mode == QIcon.Mode.Disabled)
        if key not in self._drawn:
            pixmap = QPixmap(size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
            painter.end()
            self._drawn[key] = pixmap
        return QPixmap(self._drawn[key])
