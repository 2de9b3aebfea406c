"""A page of the guide as Markdown for the documentation site; formulas become MathML."""

from __future__ import annotations

from html import escape

from latex2mathml.converter import convert

from gradviz.catalogue.messages import say
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    Listing,
    PageBlock,
    PageHeading,
    PageSpan,
    PageTable,
    Paragraph,
    PlainWords,
    RunFact,
)
from gradviz.gallery.guide.traversal import plain_text

_PAGES = ("page", "scene", "compare")
"""Kinds of links whose target has a page of the same name."""


def guide_markdown(page: GuidePage) -> str:
    """Write a page as headings and code in Markdown, and everything else in HTML."""
    blocks = [f"# {plain_heading(page.title)}", *map(_block, page.blocks)]
    return "\n\n".join(blocks) + "\n"


def _block(block: PageBlock) -> str:
    match block:
        case PageHeading():
            return f"{'#' * block.level} {plain_heading(plain_text(block.spans))}"
        case Paragraph(aside=True):
            return f"<blockquote><p>{_html(block.spans)}</p></blockquote>"
        case Paragraph():
            return f"<p>{_html(block.spans)}</p>"
        case Listing():
            kind = "ol" if block.ordered else "ul"
            items = "".join(f"<li>{_html(item)}</li>" for item in block.items)
            return f"<{kind}>{items}</{kind}>"
        case CodeBlock():
            return f"````{block.language}\n{plain_text(block.parts).rstrip()}\n````"
        case DisplayFormula():
            return f"<p>{convert(block.formula.latex, display='block')}</p>"
        case PageTable():
            head = _row(block.header, "th")
            rows = "".join(_row(row, "td") for row in block.rows)
            return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _row(cells: tuple[tuple[PageSpan, ...], ...], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{_html(cell)}</{tag}>" for cell in cells) + "</tr>"


def _html(spans: tuple[PageSpan, ...]) -> str:
    return "".join(_span(span) for span in spans)


def _span(span: PageSpan) -> str:
    match span:
        case PlainWords() | RunFact():
            return escape(span.text)
        case InlineCode():
            return f"<code>{escape(plain_text(span.parts))}</code>"
        case InlineFormula():
            return convert(span.latex)
        case EmphasizedText():
            tag = "strong" if span.strong else "em"
            return f"<{tag}>{_html(span.spans)}</{tag}>"
        case Link() if span.kind in _PAGES:
            return f'<a href="{escape(span.target)}.html">{_html(span.spans)}</a>'
        case Link():
            # The other kinds lead to places in the window.
            text, target = _html(span.spans), escape(span.target)
            return text if text == target else say(f"guide.link.{span.kind}", text=text, to=target)


def plain_heading(text: str) -> str:
    """Escape what would be markup in a heading of Markdown."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#" else each for each in text)
