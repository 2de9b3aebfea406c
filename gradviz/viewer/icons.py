"""Our own icons in the colours of the theme: the same on every platform, sharp at any scale."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gradviz.model.palette import Role
from gradviz.resource import resource_path
from gradviz.viewer.theme import Theme

_SIZES = (16, 20, 24, 32, 48, 64)


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
    made = QIcon()
    states: tuple[tuple[QIcon.Mode, Role], ...] = (
        (QIcon.Mode.Normal, role),
        # Else the style would mix the ground of a selected row into the lines.
        (QIcon.Mode.Selected, role),
        (QIcon.Mode.Disabled, "border_strong"),
    )
    for mode, ink in states:
        for size in _SIZES:
            made.addPixmap(_drawn(name, theme.colour(ink), size), mode)
    return made


def _drawn(name: str, ink: QColor, size: int) -> QPixmap:
    text = resource_path(f"icons/{name}.svg").read_text().replace("currentColor", ink.name())
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
