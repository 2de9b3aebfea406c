"""The guide's formulas, as ``make guide`` has rendered them; nothing is rendered at run time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradviz.resource import resource_path

FORMULAS = "guide/formulas.json"
"""The resource; `tools.guide.formulas` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFormula:
    """A formula inside a line, or displayed on a line of its own.

    Attributes:
        mathml: A ``<math>`` element.
        svg: Scalable outline in black, as an SVG document.
        width: Width of the outline in em.
        ascent: Its height above the baseline, in em.
        descent: Its depth below the baseline, in em.
    """

    mathml: str
    svg: str
    width: float
    ascent: float
    descent: float


def rendered_formula(latex: str, *, display: bool) -> RenderedFormula:
    """Return a formula of a page, of any language.

    Args:
        latex: The LaTeX between the dollar signs, with the texts of its facts.
        display: Whether to use display style, with large operators.

    Raises:
        KeyError: If no page has it in that style; ``make guide`` adds it.
    """
    return RenderedFormula(**_formulas()[latex]["display" if display else "inline"])


def formula_text(latex: str) -> str:
    """Return a formula as one line of Unicode, for readers that cannot draw it.

    Raises:
        KeyError: If no page has it; ``make guide`` adds it.
    """
    return str(_formulas()[latex]["text"])


@cache
def _formulas() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(resource_path(FORMULAS).read_text("utf-8"))
    return found
