"""A page whose recorded values are hidden, as quiz mode shows it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from gradviz.gallery.guide.facts import parse_query
from gradviz.gallery.guide.page import GraphFigure, GuidePage, InlineFormula, PlainWords, RunFact

HIDDEN = "?"
"""Stands for a hidden value, and for a formula that contains one."""


def hide_facts(page: GuidePage, scene: str) -> GuidePage:
    """Return a page with a question mark for each value, and formula with values, of a scene.

    On the scene's own page, those of other scenes are hidden too, since they can be the same, and
    its graphs, which show values.
    """

    def hides(part: object) -> bool:
        facts = part.facts if isinstance(part, InlineFormula) else (part,)
        known = (each for each in facts if isinstance(each, RunFact))
        return any(scene in (page.name, parse_query(each.query, page.name)[0]) for each in known)

    def hidden(part: Any) -> Any:
        """A part of the page, such as a block or a cell, with everything inside of it."""
        if isinstance(part, tuple):
            return tuple(map(hidden, part))
        if hides(part):
            is_formula = isinstance(part, InlineFormula)
            return InlineFormula(latex=HIDDEN) if is_formula else PlainWords(text=HIDDEN)
        if not is_dataclass(part) or isinstance(part, type):
            return part
        inside = {each.name: getattr(part, each.name) for each in fields(part)}
        return replace(part, **{name: hidden(each) for name, each in inside.items()})

    blocks = page.blocks
    if page.name == scene:
        blocks = tuple([each for each in blocks if not isinstance(each, GraphFigure)])
    return replace(page, blocks=hidden(blocks))
