"""A page whose recorded values are hidden, as quiz mode shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradviz.gallery.guide.facts import parse_query
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    Listing,
    LiteralSpan,
    PageBlock,
    PageSpan,
    PageTable,
    PlainWords,
    RunFact,
)

HIDDEN = "?"
"""Stands for a hidden value, and for a formula that contains one."""


def hide_facts(page: GuidePage, scene: str) -> GuidePage:
    """Return a page with a question mark for each value, and formula with values, of a scene.

    On the scene's own page, those of other scenes are hidden too, since they can be the same.
    """
    hiding = _Hiding(page.name, scene)
    return replace(page, blocks=tuple(map(hiding.block, page.blocks)))


class _Hiding:
    def __init__(self, page: str, scene: str) -> None:
        self._page, self._scene = page, scene

    def block(self, block: PageBlock) -> PageBlock:
        match block:
            case Listing():
                return replace(block, items=tuple(map(self._spans, block.items)))
            case PageTable():
                rows = tuple(tuple(map(self._spans, row)) for row in block.rows)
                return replace(block, header=tuple(map(self._spans, block.header)), rows=rows)
            case CodeBlock():
                return replace(block, parts=self._parts(block.parts))
            case DisplayFormula():
                return replace(block, formula=self._formula(block.formula))
            case _:
                return replace(block, spans=self._spans(block.spans))

    def _spans(self, spans: Sequence[PageSpan]) -> tuple[PageSpan, ...]:
        return tuple(map(self._span, spans))

    def _span(self, span: PageSpan) -> PageSpan:
        match span:
            case PlainWords() | RunFact():
                return self._part(span)
            case InlineCode():
                return replace(span, parts=self._parts(span.parts))
            case InlineFormula():
                return self._formula(span)
            case EmphasizedText() | Link():
                return replace(span, spans=self._spans(span.spans))

    def _parts(self, parts: Sequence[LiteralSpan]) -> tuple[LiteralSpan, ...]:
        return tuple(map(self._part, parts))

    def _part(self, part: LiteralSpan) -> LiteralSpan:
        is_hidden = isinstance(part, RunFact) and self._hides(part)
        return PlainWords(text=HIDDEN) if is_hidden else part

    def _formula(self, formula: InlineFormula) -> InlineFormula:
        is_hidden = any(map(self._hides, formula.facts))
        return InlineFormula(latex=HIDDEN) if is_hidden else formula

    def _hides(self, fact: RunFact) -> bool:
        return self._scene in (self._page, parse_query(fact.query, self._page)[0])
