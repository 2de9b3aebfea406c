"""The colors of the user interface: each role has one meaning, in light and dark.

Graph colors are those known from torchviz: leaves blue, saved values orange, outputs green,
built-in nodes gray. Indigo marks custom Functions and clickable elements, teal the forward,
magenta the backward pass and flowing gradients. Color is never the only cue: kinds also differ
in shape and border, states in line style and marks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Literal

PaletteTheme = Literal["light", "dark"]

ColorMapName = Literal["CET-D1A", "CET-CBD1"]
DEFAULT_COLOR_MAP: ColorMapName = "CET-CBD1"
"""Color maps for drawing tensors."""

PaletteRole = Literal[
    # Surfaces and text of the window.
    "window",
    "panel",
    "raised",
    "canvas",
    "border",
    "border_strong",
    "text",
    "text_muted",
    "accent",
    "accent_hover",
    "accent_text",
    "accent_soft",
    "selection",
    "selection_text",
    "focus",
    # Results: the color of the icon or text, and a soft background for it.
    "ok",
    "ok_fill",
    "warning",
    "warning_fill",
    "error",
    "error_fill",
    # Elements of the graph.
    "leaf_fill",
    "leaf_border",
    "leaf_text",
    "saved_fill",
    "saved_border",
    "saved_text",
    "output_fill",
    "output_border",
    "output_text",
    "builtin_fill",
    "builtin_border",
    "builtin_text",
    "accumulate_fill",
    "accumulate_border",
    "accumulate_text",
    "custom_fill",
    "custom_border",
    "custom_text",
    "failing_fill",
    "failing_border",
    "failing_text",
    "folded_fill",
    "folded_border",
    "folded_text",
    # Frames around open groups; nested frames alternate between the two fills.
    "frame_fill",
    "frame_inner",
    "frame_border",
    "frame_text",
    # Phases of a run: the strong color for marks and text, and a soft background.
    "forward",
    "forward_fill",
    "backward",
    "backward_fill",
    "update",
    "update_fill",
    # Edges: a gradient has flowed, flows now, or will flow; and links without a gradient.
    "edge_done",
    "edge_now",
    "edge_to_come",
    "edge_link",
    "edge_label",
    "edge_label_fill",
    # Marks for the progress of a node or step.
    "status_done",
    "status_now",
    "status_to_come",
    # Source panel and search.
    "current_line",
    "gutter_text",
    "breakpoint",
    "search_hit",
    # Syntax highlighting.
    "code_keyword",
    "code_string",
    "code_number",
    "code_name",
    "code_comment",
    # The terms of an arithmetic, in order; further ones start over.
    "term_1",
    "term_2",
    "term_3",
    "term_4",
    # Values outside of any color scale.
    "nan",
    "positive_infinity",
    "negative_infinity",
]

PALETTE: dict[PaletteRole, tuple[str, str]] = {
    "window": ("#f5f6f9", "#14161c"),
    "panel": ("#ffffff", "#1b1e26"),
    "raised": ("#eceef3", "#272b36"),
    "canvas": ("#fbfcfe", "#171a21"),
    "border": ("#d8dce5", "#343947"),
    "border_strong": ("#828b9c", "#747d90"),
    "text": ("#1a1e29", "#e8eaf0"),
    "text_muted": ("#596273", "#a3abbb"),
    "accent": ("#4251cb", "#8e9bff"),
    "accent_hover": ("#3543ae", "#a6b0ff"),
    "accent_text": ("#ffffff", "#12142b"),
    "accent_soft": ("#eaecfb", "#262b4d"),
    "selection": ("#dde1fa", "#313966"),
    "selection_text": ("#1a1e29", "#f1f2f8"),
    "focus": ("#4251cb", "#8e9bff"),
    "ok": ("#1b6e40", "#6cce96"),
    "ok_fill": ("#e5f5eb", "#15301f"),
    "warning": ("#865100", "#f0b65a"),
    "warning_fill": ("#fff3dc", "#37280f"),
    "error": ("#b3212f", "#ff8b90"),
    "error_fill": ("#fdebed", "#3d1a1f"),
    "leaf_fill": ("#e1effd", "#142d45"),
    "leaf_border": ("#2d7dc4", "#5aa7ea"),
    "leaf_text": ("#0c3660", "#d3e8fc"),
    "saved_fill": ("#fff0d8", "#3a2810"),
    "saved_border": ("#c2730e", "#e6a04a"),
    "saved_text": ("#663800", "#ffe3bd"),
    "output_fill": ("#e4f4d7", "#1e3313"),
    "output_border": ("#55932a", "#86c65a"),
    "output_text": ("#254a0c", "#dcf3cb"),
    "builtin_fill": ("#eef0f3", "#2a2e38"),
    "builtin_border": ("#7c8596", "#778093"),
    "builtin_text": ("#2a313d", "#e0e4eb"),
    "accumulate_fill": ("#f1f2f5", "#242832"),
    "accumulate_border": ("#7c8596", "#778093"),
    "accumulate_text": ("#465060", "#bcc3d0"),
    "custom_fill": ("#eff0fe", "#23284c"),
    "custom_border": ("#4251cb", "#8e9bff"),
    "custom_text": ("#20276f", "#e3e6ff"),
    "failing_fill": ("#fdebed", "#3d1a1f"),
    "failing_border": ("#c22f3d", "#f4737b"),
    "failing_text": ("#78111c", "#ffd9db"),
    "folded_fill": ("#f4f5f8", "#20242d"),
    "folded_border": ("#7c8596", "#778093"),
    "folded_text": ("#343c4a", "#d3d8e2"),
    "frame_fill": ("#f5f7fb", "#1b1f28"),
    "frame_inner": ("#eff3fa", "#20242f"),
    "frame_border": ("#c3cad8", "#414858"),
    "frame_text": ("#4b5566", "#b4bbc9"),
    "forward": ("#0b716c", "#4cc7bd"),
    "forward_fill": ("#def1ef", "#12302e"),
    "backward": ("#a2287b", "#ee8acb"),
    "backward_fill": ("#fae6f3", "#3b1a31"),
    "update": ("#5342a8", "#b0a4f7"),
    "update_fill": ("#ebe8fa", "#292450"),
    "edge_done": ("#b95a9b", "#c56fa9"),
    "edge_now": ("#a2287b", "#f59bd5"),
    "edge_to_come": ("#848d9d", "#666e80"),
    "edge_link": ("#7c8596", "#778093"),
    "edge_label": ("#8c1f69", "#f5a8d9"),
    "edge_label_fill": ("#fdf3fa", "#2c1826"),
    "status_done": ("#596273", "#a3abbb"),
    "status_now": ("#a2287b", "#f59bd5"),
    "status_to_come": ("#7c8596", "#747e91"),
    "current_line": ("#eaecfb", "#282e52"),
    "gutter_text": ("#626b7c", "#8d96a8"),
    "breakpoint": ("#c22f3d", "#f4737b"),
    "code_keyword": ("#6b3a9e", "#c5a9f7"),
    "code_string": ("#2a6a35", "#9fd08c"),
    "code_number": ("#86470a", "#ecb57d"),
    "code_name": ("#1c5a9c", "#86baf2"),
    "code_comment": ("#596273", "#98a1b3"),
    "search_hit": ("#ffe89a", "#5c4a0c"),
    "term_1": ("#1c5fb8", "#7db8ff"),
    "term_2": ("#9a4b00", "#ffb566"),
    "term_3": ("#00695c", "#5fd8c4"),
    "term_4": ("#8000ff", "#a8f52a"),
    "nan": ("#c400c4", "#ff4dff"),
    "positive_infinity": ("#e89b00", "#ffbf3a"),
    "negative_infinity": ("#00a3c4", "#3fd6f5"),
}
"""Each role's light and dark color, as ``#rrggbb``."""

TERM_ROLES: tuple[PaletteRole, ...] = ("term_1", "term_2", "term_3", "term_4")
"""The colors of the terms of an arithmetic, in order."""

LEAST_TEXT, LEAST_SIGN = 4.5, 3.0
"""Minimum contrast of text, and of lines and marks, with the background."""


def color(role: PaletteRole, theme: PaletteTheme) -> str:
    """The color of a role in a theme, as ``#rrggbb``."""
    light, dark = PALETTE[role]
    return light if theme == "light" else dark


@dataclass(frozen=True, slots=True)
class Paint:
    """Colors of a figure; called with a role, it returns its color for SVG.

    Attributes:
        theme: Theme of the heatmaps in it.
        of_role: Returns the color of a role.
    """

    theme: PaletteTheme
    of_role: Callable[[PaletteRole], str]

    def __call__(self, role: PaletteRole) -> str:
        """The color of a role."""
        return self.of_role(role)


@cache
def theme_paint(theme: PaletteTheme) -> Paint:
    """Return the plain colors of a theme."""
    return Paint(theme, partial(color, theme=theme))


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two ``#rrggbb`` colors, 1 to 21, as defined by WCAG 2.2."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(text: str) -> float:
    channels = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(first: str, second: str, part: float) -> str:
    """Mix two colors.

    Args:
        first: Color such as ``#rrggbb``.
        second: Color in the same form.
        part: Share of the second color, from 0 to 1.
    """
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


# Graphs ask for the same few colors again and again, and each takes dozens of conversions.
@lru_cache(maxsize=1024)
def faded(ink: str, ground: str, least: float) -> str:
    """Fade a color toward its background, down to a minimum contrast.

    A color whose contrast is already that low stays unchanged.
    """
    steps = (mixed(ink, ground, part / 50) for part in range(50, 0, -1))
    return next((each for each in steps if contrast(each, ground) >= least), ink)
