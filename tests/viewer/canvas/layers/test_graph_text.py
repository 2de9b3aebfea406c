"""Texts of the graph are as wide as measured, in an application that has gradviz's font."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.pixels import Pixels, ink_box, pixels_of_image

SCALE = 4
LEFT = 10
DIGITS = "1111111111"


@pytest.fixture(autouse=True)
def application_font(qapp: QApplication) -> Iterator[None]:
    before = qapp.font()
    qapp.setFont(LIGHT.font())
    yield
    qapp.setFont(before)


def ink_of(text: str, style: TextStyle) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a painted text, whose baseline is at 0."""
    width, height = measure(text, style)
    image = QImage(SCALE * 2 * int(width), SCALE * 3 * int(height), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.scale(SCALE, SCALE)
    texts = TextCache(style)
    texts.begin(painter)
    texts.draw(painter, LEFT, 2 * height, text)
    painter.end()
    left, top, right, bottom = (each / SCALE for each in ink_box(pixels_of_image(image)))
    return left, top - 2 * height, right, bottom - 2 * height


@pytest.mark.parametrize("style", get_args(TextStyle))
def test_painted_digits_are_as_wide_as_measured(style: TextStyle) -> None:
    left, _, right, _ = ink_of(DIGITS, style)
    width, _ = measure(DIGITS, style)
    # The sides of the first and the last digit are empty.
    assert width * 0.9 < right - left < width


@pytest.mark.parametrize("style", get_args(TextStyle))
def test_chinese_is_on_the_baseline_of_other_text(style: TextStyle) -> None:
    _, _, _, bottom = ink_of("gpqy", style)
    _, _, _, mixed = ink_of("gpqy一二三", style)
    assert mixed == pytest.approx(bottom, abs=1 / SCALE)


@pytest.mark.parametrize("style", get_args(TextStyle))
def test_a_text_looks_the_same_whatever_was_drawn_before(style: TextStyle) -> None:
    texts = TextCache(style)

    def drawn(text: str, scale: float, left: float) -> Pixels:
        image = QImage(900, 160, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        texts.begin(painter)
        texts.draw(painter, left, 15, text)
        painter.end()
        return pixels_of_image(image)

    for scale, letters in ((1, "AB"), (4, "CD"), (6.6, "EF"), (8, "GH")):
        first = drawn("grad_input", scale, 2)
        # A font's letter is read when it is first drawn at a fraction of a pixel.
        for letter, left in product(letters, (2.0, 2.3, 2.6)):
            drawn(letter, 1, left)
            assert (drawn("grad_input", scale, 2) == first).all()
