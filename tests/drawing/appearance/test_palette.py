"""The palette has every color, and every text is readable on its background."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from gradviz.drawing.appearance.palette import (
    PALETTE,
    SIGN_ON,
    TEXT_ON,
    PaletteRole,
    PaletteTheme,
    color,
    contrast,
)

THEMES: tuple[PaletteTheme, ...] = get_args(PaletteTheme)


def test_every_role_has_a_light_and_a_dark_color():
    assert set(PALETTE) == set(get_args(PaletteRole))
    for pair in PALETTE.values():
        assert all(re.fullmatch("#[0-9a-f]{6}", each) for each in pair)


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize("theme", THEMES)
def test_text_reads_on_its_ground(theme: PaletteTheme):
    poor = [
        (text, ground, round(contrast(color(text, theme), color(ground, theme)), 2))
        for text, grounds in TEXT_ON
        for ground in grounds
        if contrast(color(text, theme), color(ground, theme)) < 4.5
    ]
    assert poor == []


@pytest.mark.parametrize("theme", THEMES)
def test_marks_are_seen_on_their_ground(theme: PaletteTheme):
    poor = [
        (sign, ground, round(contrast(color(sign, theme), color(ground, theme)), 2))
        for sign, grounds in SIGN_ON
        for ground in grounds
        if contrast(color(sign, theme), color(ground, theme)) < 3
    ]
    assert poor == []


def test_every_text_role_is_checked():
    checked = {text for text, _ in TEXT_ON}
    assert {role for role in PALETTE if role.endswith("_text")} <= checked
