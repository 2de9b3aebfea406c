"""Paints an SVG into a PNG, as a program of its own: ``python -m gradviz.viewer.svg_picture OUT``.

The SVG comes from standard input. It is a program because Qt wants to be the only one of its kind
in a process, and whoever asks for the picture may be a notebook.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gradviz.drawing.style import FAMILIES
from gradviz.viewer.look.theme import load_fonts

SCALE = 2
_FAMILIES = FAMILIES.encode()
_MOST_PIXELS = 16_000
"""Along a side."""


def picture_of(svg: bytes) -> QImage:
    """An SVG with two pixels for each of its units; fewer where it is very large.

    An application must be there.

    Args:
        svg: The document.

    Raises:
        ValueError: If it is no SVG.
    """
    load_fonts()
    # Qt takes a list of families for the name of one, and then any font at all.
    renderer = QSvgRenderer(QByteArray(svg.replace(_FAMILIES, b"Inter")))
    if not renderer.isValid():
        raise ValueError("this is no SVG")
    size = renderer.defaultSize()
    scale = min(SCALE, _MOST_PIXELS / max(size.width(), size.height(), 1))
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def main(arguments: Sequence[str]) -> int:
    """Reads, paints and writes; 0 if the file was written, whose name has to end in .png."""
    (out,) = arguments
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    image = picture_of(sys.stdin.buffer.read())
    app.processEvents()
    return 0 if image.save(out) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
