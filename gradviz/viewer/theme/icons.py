"""Icons in the colors of the theme, the same on every platform and sharp at any scale."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.resource import resource_path
from gradviz.viewer.theme.theme import Theme

_SIZES = (16, 20, 24, 32, 48, 64)


def icon(name: str, theme: Theme, role: PaletteRole = "text") -> QIcon:
    """Return an icon of ``resources/icons`` in the colors of a theme.

    Args:
        name: File name without its suffix, like ``play``.
        theme: Colors to draw with.
        role: Color of the lines; disabled icons are always faint.

    Raises:
        FileNotFoundError: If there is no such icon.
    """
    return _icon_in(name, theme.color(role).name(), theme.color("status_to_come").name())


# Not by theme: there is one for each size of the text, and all have the same icons.
@cache
def _icon_in(name: str, ink: str, faint: str) -> QIcon:
    made = QIcon()
    for pixmap in _pixmaps(name, ink):
        made.addPixmap(pixmap, QIcon.Mode.Normal)
        # Otherwise, the style would blend the background of a selected row into the icon.
        made.addPixmap(pixmap, QIcon.Mode.Selected)
    for pixmap in _pixmaps(name, faint):
        made.addPixmap(pixmap, QIcon.Mode.Disabled)
    return made


@cache
def _pixmaps(name: str, ink: str) -> tuple[QPixmap, ...]:
    drawing = resource_path(f"icons/{name}.svg").read_text().replace("currentColor", ink)
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    return tuple(_drawn(renderer, size) for size in _SIZES)


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
