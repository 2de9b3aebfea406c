"""Reads pixels of a widget."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

Pixels = npt.NDArray[np.uint8]


def pixels_of(widget: QWidget) -> Pixels:
    """The widget as ``[height, width, 3]``."""
    return pixels_of_image(widget.grab().toImage())


def pixels_of_image(image: QImage) -> Pixels:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    flat = np.frombuffer(image.constBits(), dtype=np.uint8)
    rows = flat.reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def part(pixels: Pixels, box: QRectF, inset: int = 2) -> Pixels:
    """The pixels inside a box, without its edge."""
    return pixels[
        round(box.top()) + inset : round(box.bottom()) - inset,
        round(box.left()) + inset : round(box.right()) - inset,
    ]


def ground_of(pixels: Pixels) -> tuple[int, ...]:
    """The most frequent color."""
    colors, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    return tuple(int(channel) for channel in colors[counts.argmax()])


def ink_box(pixels: Pixels) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of everything that is not background."""
    away = np.abs(pixels.astype(int) - np.array(ground_of(pixels))).sum(axis=2) > 90
    rows, columns = np.nonzero(away)
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


def grey(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Luminance, as in grayscale."""
    return pixels @ np.array([0.299, 0.587, 0.114])
