"""Traversal of a page: its spans, links, facts and formulas."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.gallery.guide.page import (
    Block,
    Code,
    CodeBlock,
    Display,
    Fact,
    Formula,
    Link,
    Listing,
    Page,
    Span,
    Stressed,
    Table,
    Words,
)


def runs_of(block: Block) -> tuple[tuple[Span, ...], ...]:
    """Runs of text in a block: items of a list, cells of a table."""
    match block:
        case Listing():
            return block.items
        case Table():
            return (*block.header, *(cell for row in block.rows for cell in row))
        case CodeBlock():
            return (block.parts,)
        case Display():
            return ((block.formula,),)
        case _:
            return (block.spans,)


def spans_in(block: Block) -> Iterator[Span]:
    """Every span of a block, including nested ones."""
    for run in runs_of(block):
        yield from _deep(run)


def links_on(page: Page) -> Iterator[tuple[int, Link]]:
    """The links of a page, each with the line of its block."""
    for block in page.blocks:
        for span in spans_in(block):
            if isinstance(span, Link):
                yield block.line, span


def formulas_on(page: Page) -> Iterator[tuple[Formula, bool]]:
    """The formulas of a page, and whether each is displayed on separate lines."""
    for block in page.blocks:
        for span in spans_in(block):
            if isinstance(span, Formula):
                yield span, isinstance(block, Display)


def plain_text(spans: tuple[Span, ...]) -> str:
    """Format spans without markup: formulas as LaTeX, facts as their texts."""
    return "".join(_plain(span) for span in spans)


def _plain(span: Span) -> str:
    match span:
        case Words() | Fact():
            return span.text
        case Code():
            return plain_text(span.parts)
        case Formula():
            return span.latex
        case Stressed() | Link():
            return plain_text(span.spans)


def _deep(spans: tuple[Span, ...]) -> Iterator[Span]:
    for span in spans:
        yield span
        match span:
            case Stressed() | Link():
                yield from _deep(span.spans)
            case Code():
                yield from span.parts
            case Formula():
                yield from span.facts
            case _:
                pass
