"""Texts of the graph are as wide as measured, in an application that has gradviz's font."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.pixels import ink_box, pixels_of_image

SCALE = 4
LEFT = 10
DIGITS = "1111111111"


@pytest.fixture(autouse=True)
def application_font(qapp: QApplication) -> Iterator[None]:
    before = qapp.font()
    qapp.setFont(LIGHT.font())
    yield
    qapp.setFont(before)


@pytest.mark.parametrize("style", get_args(TextStyle))
def test_painted_digits_are_as_wide_as_measured(style: TextStyle) -> None:
    width, height = measure(DIGITS, style)
    image = QImage(SCALE * 2 * int(width), SCALE * 3 * int(height), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.scale(SCALE, SCALE)
    texts = TextCache(style)
    texts.begin(painter)
    texts.draw(painter, LEFT, 2 * height, DIGITS)
    painter.end()
    left, _, right, _ = ink_box(pixels_of_image(image))
    painted = (right - left) / SCALE
    # The sides of the first and the last digit are empty.
    assert width * 0.9 < painted < width
