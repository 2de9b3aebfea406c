"""Draws the program's icon into PNG files, from the SVG beside them. Run it after changing that."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256)
FOLDER = Path(__file__).resolve().parents[1] / "resources" / "desktop"


def drawn(svg: Path, size: int) -> QImage:
    """The picture of an SVG file in a square."""
    # Drawn larger and made smaller: thin lines of small sizes come out cleaner.
    image = QImage(4 * size, 4 * size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter, QRectF(0, 0, 4 * size, 4 * size))
    painter.end()
    smooth = Qt.TransformationMode.SmoothTransformation
    return image.scaled(size, size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)


def main() -> int:
    """Writes all sizes."""
    for size in SIZES:
        drawn(FOLDER / "gradviz.svg", size).save(str(FOLDER / f"gradviz-{size}.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
