"""Pages as plain text, for terminals and screen readers."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator

from gradviz.gallery.guide.formulas import formula_text
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    GraphFigure,
    GuidePage,
    Listing,
    PageBlock,
    PageHeading,
    PageTable,
)
from gradviz.gallery.guide.traversal import plain_text

WIDTH = 88


def text_lines(page: GuidePage, width: int = WIDTH) -> Iterator[str]:
    """Format a page as lines: formulas in Unicode, facts as their texts, links with targets.

    Args:
        page: The page.
        width: Maximum line length, except in code and tables.
    """
    yield page.title
    yield "=" * len(page.title)
    for block in page.blocks:
        if lines := [*_lines(block, width)]:
            yield from ("", *lines)


def _lines(block: PageBlock, width: int) -> Iterator[str]:
    match block:
        case PageHeading():
            title = plain_text(block.spans)
            yield title
            yield "-" * len(title)
        case Listing():
            for number, item in enumerate(block.items, 1):
                mark = f"{number}. " if block.ordered else "- "
                rest = " " * len(mark)
                yield from textwrap.wrap(
                    plain_text(item), width, initial_indent=mark, subsequent_indent=rest
                )
        case CodeBlock():
            for line in plain_text(block.parts).split("\n"):
                yield f"    {line}"
        case DisplayFormula():
            yield f"    {formula_text(block.formula.latex)}"
        case PageTable():
            yield from _table(block)
        case GraphFigure():
            # The words around it say what it shows.
            return
        case _:
            mark = "| " if block.aside else ""
            yield from textwrap.wrap(
                plain_text(block.spans), width, initial_indent=mark, subsequent_indent=mark
            )


def _table(table: PageTable) -> Iterator[str]:
    rows = [[plain_text(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(_columns, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (
            cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def _columns(text: str) -> int:
    """Number of columns that text takes in a terminal: the bar of ``x̅`` takes none."""
    return sum(not unicodedata.combining(character) for character in text)
