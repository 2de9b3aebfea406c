"""The legend's signs differ in shape: color is never the only difference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gradviz.viewer.canvas.interaction.graph_legend import (
    SIGN_HEIGHT,
    SIGN_WIDTH,
    LegendEntry,
    legend_entries,
)
from gradviz.viewer.theme.theme import Theme

INK = 40
"""How much a border differs from the ground and from every fill, of 255."""
ENOUGH = 15
"""Pixels that an eye takes for another shape; two tints of one shape differ in none of them."""


def ink(entry: LegendEntry, theme: Theme) -> np.ndarray:
    """The painted pixels of a sign, whatever their color."""
    image = QImage(int(SIGN_WIDTH), int(SIGN_HEIGHT), QImage.Format.Format_RGB32)
    image.fill(theme.color("panel"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    entry.paint(painter, theme)
    painter.end()
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    values = rows[:, : grey.width()].astype(int)
    return np.abs(values - values[0, 0]) > INK


@pytest.mark.parametrize("name", ["light", "dark"])
def test_kinds_differ_without_color(qapp: object, name: str) -> None:
    theme = Theme(name="dark" if name == "dark" else "light")
    kinds = legend_entries(None)[0]
    for one, other in combinations(kinds, 2):
        different = int((ink(one, theme) ^ ink(other, theme)).sum())
        assert different >= ENOUGH, f"{one.text} looks like {other.text}: {different}"
