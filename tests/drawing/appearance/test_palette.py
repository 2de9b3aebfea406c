"""The palette has every color, and every text is readable on its background."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from gradviz.drawing.appearance.palette import (
    PALETTE,
    TERM_ROLES,
    PaletteRole,
    PaletteTheme,
    color,
    contrast,
)

THEMES: tuple[PaletteTheme, ...] = get_args(PaletteTheme)

TEXT_ON: tuple[tuple[PaletteRole, tuple[PaletteRole, ...]], ...] = (
    ("text", ("window", "panel", "raised", "canvas", "selection", "current_line", "search_hit")),
    ("text_muted", ("window", "panel", "raised", "canvas", "current_line")),
    ("accent", ("window", "panel", "canvas", "accent_soft")),
    ("accent_text", ("accent", "accent_hover")),
    ("selection_text", ("selection",)),
    ("ok", ("window", "panel", "canvas", "ok_fill")),
    ("warning", ("window", "panel", "canvas", "warning_fill")),
    ("error", ("window", "panel", "canvas", "error_fill")),
    ("leaf_text", ("leaf_fill",)),
    ("saved_text", ("saved_fill",)),
    ("output_text", ("output_fill",)),
    ("builtin_text", ("builtin_fill",)),
    ("accumulate_text", ("accumulate_fill",)),
    ("custom_text", ("custom_fill",)),
    ("failing_text", ("failing_fill",)),
    ("folded_text", ("folded_fill",)),
    ("frame_text", ("frame_fill", "frame_inner")),
    ("edge_label", ("frame_fill", "frame_inner")),
    ("forward", ("window", "panel", "canvas", "forward_fill")),
    ("backward", ("window", "panel", "canvas", "backward_fill")),
    ("update", ("window", "panel", "canvas", "update_fill")),
    ("edge_label", ("canvas", "panel", "edge_label_fill")),
    ("gutter_text", ("panel", "window")),
    *((role, ("window", "panel", "canvas", "current_line")) for role in TERM_ROLES),
    ("code_keyword", ("panel", "current_line", "error_fill")),
    ("code_string", ("panel", "current_line", "error_fill")),
    ("code_number", ("panel", "current_line", "error_fill")),
    ("code_name", ("panel", "current_line", "error_fill")),
    ("code_comment", ("panel", "current_line", "error_fill")),
)
"""Text roles, with the backgrounds they may appear on; the contrast is at least 4.5 to 1."""

SIGN_ON: tuple[tuple[PaletteRole, tuple[PaletteRole, ...]], ...] = (
    ("leaf_border", ("canvas", "frame_fill", "frame_inner", "leaf_fill")),
    ("saved_border", ("canvas", "frame_fill", "frame_inner", "saved_fill")),
    ("output_border", ("canvas", "frame_fill", "frame_inner", "output_fill")),
    ("builtin_border", ("canvas", "frame_fill", "frame_inner", "builtin_fill")),
    ("accumulate_border", ("canvas", "frame_fill", "frame_inner", "accumulate_fill")),
    ("custom_border", ("canvas", "frame_fill", "frame_inner", "custom_fill")),
    ("failing_border", ("canvas", "frame_fill", "frame_inner", "failing_fill")),
    ("folded_border", ("canvas", "frame_fill", "frame_inner", "folded_fill")),
    ("edge_done", ("canvas", "frame_fill", "frame_inner")),
    ("edge_now", ("canvas", "frame_fill", "frame_inner")),
    ("edge_to_come", ("canvas", "frame_fill", "frame_inner")),
    ("edge_link", ("canvas", "frame_fill", "frame_inner")),
    ("border_strong", ("window", "panel", "canvas")),
    ("focus", ("window", "panel", "canvas", "raised")),
    ("status_now", ("panel", "canvas", "backward_fill")),
    ("status_done", ("panel", "canvas")),
    ("status_to_come", ("panel", "canvas", "forward_fill", "backward_fill", "update_fill")),
)
"""Lines and marks, with the backgrounds they must be visible on; contrast at least 3 to 1."""


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
