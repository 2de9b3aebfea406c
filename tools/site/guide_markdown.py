"""A page of the guide as Markdown for the documentation site; formulas become MathML."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gradviz.catalogue.language import current_language
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteTheme, color
from gradviz.export.page.guide_articles import PageHtml
from gradviz.gallery.guide.page import (
    CodeBlock,
    GraphFigure,
    GuidePage,
    Link,
    PageBlock,
    PageHeading,
)
from gradviz.gallery.guide.pictures import drawn_graph_of, standalone_svg
from gradviz.gallery.guide.traversal import graphs_on, plain_text

_THEMES: tuple[PaletteTheme, ...] = ("light", "dark")
_PAGES = ("page", "scene", "compare")
"""Kinds of links whose target has a page of the same name."""


def guide_markdown(page: GuidePage) -> str:
    """Write a page as headings and code in Markdown, and everything else in HTML."""
    html = PageHtml(page, _address)
    blocks = [
        f"# {plain_heading(page.title)}",
        *(
            _images(page, each) if isinstance(each, GraphFigure) else _block(html, each)
            for each in page.blocks
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def _block(html: PageHtml, block: PageBlock) -> str:
    match block:
        case PageHeading():
            return f"{'#' * block.level} {plain_heading(plain_text(block.spans))}"
        case CodeBlock():
            return f"````{block.language}\n{plain_text(block.parts).rstrip()}\n````"
        case _:
            return html.block(block)


def guide_pictures(page: GuidePage) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each SVG file that a page shows."""
    for figure in graphs_on(page):
        svg = drawn_graph_of(page.name, figure.step, current_language()).svg
        for theme in _THEMES:
            drawn = standalone_svg(svg, partial(color, theme=theme), is_dark=theme == "dark")
            yield _picture_name(page, figure, theme), drawn


def _images(page: GuidePage, figure: GraphFigure) -> str:
    title = plain_heading(say("guide.graph", title=page.title, step=figure.step))
    return "\n".join(
        f"![{title}]({_picture_name(page, figure, theme)}#only-{theme})" for theme in _THEMES
    )


def _picture_name(page: GuidePage, figure: GraphFigure, theme: PaletteTheme) -> str:
    return f"{page.name}-{figure.step}-{theme}.svg"


def _address(link: Link) -> str | None:
    # The other kinds lead to places in the window.
    return f"{link.target}.html" if link.kind in _PAGES else None


def plain_heading(text: str) -> str:
    """Escape what would be markup in a heading of Markdown."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>#" else each for each in text)
