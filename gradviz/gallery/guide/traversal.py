"""Traversal of a page: its spans, links, facts and formulas."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.gallery.guide.formulas import formula_text
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GraphFigure,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    Listing,
    PageBlock,
    PageSpan,
    PageTable,
    PlainWords,
    RunFact,
)


def runs_of(block: PageBlock) -> tuple[tuple[PageSpan, ...], ...]:
    """Runs of text in a block: items of a list, cells of a table."""
    match block:
        case Listing():
            return block.items
        case PageTable():
            return (*block.header, *(cell for row in block.rows for cell in row))
        case CodeBlock():
            return (block.parts,)
        case DisplayFormula():
            return ((block.formula,),)
        case GraphFigure():
            return ()
        case _:
            return (block.spans,)


def spans_in(block: PageBlock) -> Iterator[PageSpan]:
    """Every span of a block, including nested ones."""
    for run in runs_of(block):
        yield from _deep(run)


def graphs_on(page: GuidePage) -> tuple[GraphFigure, ...]:
    """The graphs that a page shows."""
    return tuple([each for each in page.blocks if isinstance(each, GraphFigure)])


def formulas_on(page: GuidePage) -> Iterator[tuple[InlineFormula, bool]]:
    """The formulas of a page, and whether each is displayed on separate lines."""
    for block in page.blocks:
        for span in spans_in(block):
            if isinstance(span, InlineFormula):
                yield span, isinstance(block, DisplayFormula)


def plain_text(spans: tuple[PageSpan, ...]) -> str:
    """Format spans without markup: formulas in Unicode, links with their targets."""
    return "".join(_plain(span) for span in spans)


def _plain(span: PageSpan) -> str:
    match span:
        case PlainWords() | RunFact():
            return span.text
        case InlineCode():
            return plain_text(span.parts)
        case InlineFormula():
            return formula_text(span.latex)
        case EmphasizedText():
            return plain_text(span.spans)
        case Link():
            text, target = plain_text(span.spans), span.target
            return text if text == target else say(f"guide.link.{span.kind}", text=text, to=target)


def _deep(spans: tuple[PageSpan, ...]) -> Iterator[PageSpan]:
    for span in spans:
        yield span
        match span:
            case EmphasizedText() | Link():
                yield from _deep(span.spans)
            case InlineCode():
                yield from span.parts
            case InlineFormula():
                yield from span.facts
            case _:
                pass
