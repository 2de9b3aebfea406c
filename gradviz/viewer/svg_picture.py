"""Renders an SVG to a PNG in its own process: ``python -m gradviz.viewer.svg_picture OUT SCALE``.

The SVG is read from standard input. It needs its own process because there can be only one Qt
application in a process, and the caller may be a notebook.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gradviz.drawing.appearance.text_styles import FAMILIES
from gradviz.viewer.theme.theme import load_fonts

_FAMILIES = FAMILIES.encode()
_MOST_PIXELS = 16_000
"""Longest side of the image."""


def picture_of(svg: bytes, scale: int = 2) -> QImage:
    """Render an SVG.

    Requires a running application.

    Args:
        svg: The document.
        scale: Pixels for each unit of it, fewer if it is very large.

    Raises:
        ValueError: If it is not a valid SVG.
    """
    load_fonts()
    # Qt takes the list of font families for a single name, and would fall back to any font.
    renderer = QSvgRenderer(QByteArray(svg.replace(_FAMILIES, b"Inter")))
    if not renderer.isValid():
        raise ValueError("not a valid SVG")
    size = renderer.defaultSize()
    fitting = min(scale, _MOST_PIXELS / max(size.width(), size.height(), 1))
    image = QImage(size * fitting, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def main(arguments: Sequence[str]) -> int:
    """Render standard input to a .png file; return 0 if the file was written, else 1."""
    out, scale = arguments
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    image = picture_of(sys.stdin.buffer.read(), int(scale))
    app.processEvents()
    return 0 if image.save(out) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
