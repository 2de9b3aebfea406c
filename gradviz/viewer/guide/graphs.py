"""Draws the graphs of pages, in any thread."""

from __future__ import annotations

from gradviz.catalogue.language import current_language
from gradviz.gallery.guide.page import GraphFigure, GuidePage
from gradviz.gallery.guide.pictures import drawn_graph_of, standalone_svg
from gradviz.viewer.guide.formulas import PagePicture
from gradviz.viewer.svg_picture import render_image
from gradviz.viewer.theme.theme import Theme

_GRAPH = "graph:"


def graph_key(page: GuidePage, figure: GraphFigure) -> tuple[str, bool]:
    """Key of a graph among the pictures of formulas."""
    return f"{_GRAPH}{page.name}:{figure.step}", True


def is_graph(key: tuple[str, bool]) -> bool:
    """Whether a picture with that key is a graph and no formula."""
    return key[0].startswith(_GRAPH)


def draw_graph(page: GuidePage, figure: GraphFigure, theme: Theme, ratio: float) -> PagePicture:
    """Draw a graph.

    Args:
        page: The page that shows it.
        figure: Which graph of the page.
        theme: Its colors and scale.
        ratio: Device pixel ratio.
    """
    drawn = drawn_graph_of(page.name, figure.step, current_language())
    svg = standalone_svg(drawn.svg, lambda role: theme.color(role).name(), is_dark=theme.dark)
    image = render_image(svg.encode(), theme.scale * ratio, transparent=True)
    image.setDevicePixelRatio(ratio)
    width, height = drawn.width * theme.scale, drawn.height * theme.scale
    return PagePicture(image=image, width=width, height=height, centred=False)
