"""Renders the guide's formulas as text, MathML and outlines, which gradviz only reads."""

from __future__ import annotations

import json
import re
from typing import Any

from latex2mathml.converter import convert
from ziamath.config import config
from ziamath.zmath import Latex

from gradviz.gallery.guide.hidden_facts import HIDDEN
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.traversal import formulas_on
from tools.guide.unicode_math import unicode_formula

_SIZE = 24.0
"""Units per em in an outline."""

_BOX = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')

_MATRIX = re.compile(r"<mo[^>]*>&#x0005B;</mo><mtable>.*?</mtable><mo[^>]*>&#x0005D;</mo>")
"""A matrix with its brackets, which otherwise become as high as the whole formula."""

_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'

# Qt's SVG renderer does not support shared definitions, as SVG 2 output has them.
config.svg2 = False


def formulas_of(language: str) -> set[tuple[str, bool]]:
    """The formulas of all pages in the loaded language, and whether each is in display style."""
    found = {
        (formula.latex, display)
        for name in page_names()
        for formula, display in formulas_on(page(name, language))
    }
    # Quiz mode puts it in place of a formula.
    return found | {(HIDDEN, False), (HIDDEN, True)}


def formulas_json(formulas: set[tuple[str, bool]]) -> str:
    """Render formulas, and write them as JSON with one line for each."""
    rendered: dict[str, dict[str, Any]] = {}
    for latex, display in sorted(formulas):
        entry = rendered.setdefault(latex, {"text": unicode_formula(latex)})
        entry["display" if display else "inline"] = {
            "mathml": _mathml(latex, "block" if display else "inline"),
            **_outline(latex, display=display),
        }
    lines = (
        f"{json.dumps(latex, ensure_ascii=False)}: {json.dumps(entry, ensure_ascii=False)}"
        for latex, entry in rendered.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _mathml(latex: str, display: str) -> str:
    math = convert(latex, display=display).replace(_NAMESPACE, "")
    return _MATRIX.sub(r"<mrow>\g<0></mrow>", math)


def _outline(latex: str, *, display: bool) -> dict[str, str | float]:
    svg = Latex(latex, size=_SIZE, inline=not display).svg()
    box = _BOX.search(svg)
    assert box is not None
    _, top, width, height = map(float, box.groups())
    sizes = {"width": width, "ascent": -top, "descent": height + top}
    return {"svg": svg, **{name: round(units / _SIZE, 4) for name, units in sizes.items()}}
