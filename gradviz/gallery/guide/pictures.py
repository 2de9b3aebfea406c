"""Graphs of recorded programs on pages, as ``make guide`` has drawn them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradviz.resource import resource_path

PICTURES = "pictures.json"
"""The resource in the folder of a language; `tools.guide.pictures` writes it."""

_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")
_HEAT = re.compile("heat-([0-9a-f]{6})-([0-9a-f]{6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDrawing:
    """The graph of a run at a step.

    Attributes:
        svg: An SVG element whose colors are CSS variables: a role of the palette, such as
            ``--accent``, or ``--heat-e0d8f0-3a2a5c`` for a light and a dark color.
        width: Its width in pixels.
        height: Its height in pixels.
    """

    svg: str
    width: float
    height: float


def drawn_graph_of(page: str, step: int, language: str) -> FigureDrawing:
    """Return the graph that a page shows.

    Raises:
        KeyError: If it is not drawn; ``make guide`` draws it.
    """
    return _pictures(language)[picture_key(page, step)]


def picture_key(page: str, step: int) -> str:
    """Name of the graph that a page shows at a step."""
    return f"{page}/{step}"


def standalone_svg(svg: str, color: Callable[[Any], str], *, is_dark: bool) -> str:
    """Make a document of a graph, with plain colors for programs that know no variables.

    Args:
        svg: From `FigureDrawing`.
        color: Returns the color of a role of the palette, such as ``border_strong``.
        is_dark: Whether that is of the dark theme.
    """

    def plain(variable: re.Match[str]) -> str:
        heat = _HEAT.fullmatch(variable[1])
        return color(variable[1].replace("-", "_")) if heat is None else f"#{heat[1 + is_dark]}"

    named = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return _VARIABLE.sub(plain, named)


def heat_colors(markup: str) -> dict[str, tuple[str, str]]:
    """The light and the dark color of each variable of `FigureDrawing` that is no role."""
    return {each[0]: (f"#{each[1]}", f"#{each[2]}") for each in _HEAT.finditer(markup)}


@cache
def _pictures(language: str) -> dict[str, FigureDrawing]:
    path = resource_path("guide") / language / PICTURES
    stored = json.loads(path.read_text("utf-8"))
    return {key: FigureDrawing(**each) for key, each in stored.items()}
