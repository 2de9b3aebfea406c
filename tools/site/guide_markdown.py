"""A page of the guide as Markdown for the documentation site; formulas become MathML."""

from __future__ import annotations

from gradviz.gallery.guide.page import CodeBlock, GuidePage, Link, PageBlock, PageHeading
from gradviz.gallery.guide.page_html import PageHtml
from gradviz.gallery.guide.traversal import plain_text

_PAGES = ("page", "scene", "compare")
"""Kinds of links whose target has a page of the same name."""


def guide_markdown(page: GuidePage) -> str:
    """Write a page as headings and code in Markdown, and everything else in HTML."""
    html = PageHtml(page, _address)
    blocks = [f"# {plain_heading(page.title)}", *(_block(html, each) for each in page.blocks)]
    return "\n\n".join(blocks) + "\n"


def _block(html: PageHtml, block: PageBlock) -> str:
    match block:
        case PageHeading():
            return f"{'#' * block.level} {plain_heading(plain_text(block.spans))}"
        case CodeBlock():
            return f"````{block.language}\n{plain_text(block.parts).rstrip()}\n````"
        case _:
            return html.block(block)


def _address(link: Link) -> str | None:
    # The other kinds lead to places in the window.
    return f"{link.target}.html" if link.kind in _PAGES else None


def plain_heading(text: str) -> str:
    """Escape what would be markup in a heading of Markdown."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#" else each for each in text)
