"""Renders the application icon from its SVG into PNG files. Run this after changing the SVG."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256)
FOLDER = Path(__file__).resolve().parents[1] / "resources" / "desktop"


def drawn(svg: Path, size: int) -> QImage:
    """Rasterizes an SVG file into a square image of ``size`` pixels."""
    # Render at four times the size and scale down, so that thin lines stay clean in small icons.
    image = QImage(4 * size, 4 * size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter, QRectF(0, 0, 4 * size, 4 * size))
    painter.end()
    smooth = Qt.TransformationMode.SmoothTransformation
    return image.scaled(size, size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)


def main() -> int:
    """Writes a PNG file for each size and returns the exit code."""
    for size in SIZES:
        drawn(FOLDER / "gradviz.svg", size).save(str(FOLDER / f"gradviz-{size}.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
