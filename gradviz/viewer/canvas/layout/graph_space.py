"""The space for a graph, and the arrangements that are tried for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE
from gradviz.drawing.content.drawn_graph import ADAPTED_DETAILS, ALL_DETAILS, DrawingDetail
from gradviz.drawing.geometry.box_geometry import GraphGeometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import UPWARD, LayoutStyle

Arrangement = tuple[DrawingDetail, LayoutStyle]
"""How much the boxes of a graph show, and how they are arranged."""

READABLE_PIXELS = 12.0
"""Height in pixels of the smallest text that is readable in the window, at font scale 1."""

OVERVIEW_PIXELS = 11.0
"""Height in pixels of the smallest text in an overview of a graph, at font scale 1."""

MOST_ADAPTED = 48
"""Maximum number of nodes of a graph for which several details are tried before overviews."""

_MOST_COVERED = 0.3
"""Share of a space that boxes can cover, with room for the lines between them."""

_TALL, _WIDE = 1.45, 2.6
"""Width over height of a space up to which gradients flow up in an overview, and from which they
flow to the left; between them, what allows the larger text."""

FIT_MOST = 1.4
"""Maximum scale of a fitted graph, times the font scale, so that tiny graphs stay small."""

_USUAL_HEIGHT = 1080
"""Height of a view in pixels above which the maximum scale of a fitted graph grows with it."""

_MARGINS = {False: 13.0, True: 7.0}
"""Margin around a graph with and without brief boxes, in scene units; marks reach into it."""


def fit_limit(height: float, type_scale: float = 1.0) -> float:
    """Return the maximum scale of a fitted graph in a view of a height in pixels."""
    return FIT_MOST * max(type_scale, height / _USUAL_HEIGHT)


def margin_of(detail: DrawingDetail) -> float:
    """Margin around a graph, in scene units."""
    return _MARGINS[detail.brief]


_SMALLEST = min(font.size for font in FONTS.values())
_TIGHT = LayoutStyle(tight=True)
_STYLES = (_TIGHT, LayoutStyle(tight=True, saved_below=True))
_COLUMNS = (LayoutStyle(tight=True, columns=2), LayoutStyle(tight=True, columns=3))
_WINDOW_STYLES = (UPWARD, *_STYLES, LayoutStyle(tight=True, horizontal=True), *_COLUMNS)
_OVERVIEW_STYLES = tuple(
    LayoutStyle(tight=True, horizontal=horizontal, columns=columns)
    for horizontal in (False, True)
    for columns in (1, 2, 3, 4)
)
_ALL_STYLES = tuple(dict.fromkeys((*_WINDOW_STYLES, *_OVERVIEW_STYLES)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSpace:
    """The space for a graph.

    Attributes:
        width: Width in pixels.
        height: Height in pixels.
        least: Height of the smallest text that is readable there, in pixels.
        growth: Factor by which all text should be larger than in the best arrangement.
        marked: Whether marks hang below the boxes, for which brief ones have no space.
        only: The arrangement to use; None for the best one.
    """

    width: int
    height: int
    least: float
    growth: float = 1.0
    marked: bool = False
    only: Arrangement | None = None

    @property
    def details(self) -> tuple[DrawingDetail, ...]:
        """Possible details of the boxes, richest first."""
        if self.only is not None:
            return (self.only[0],)
        if self.marked:
            return tuple(detail for detail in ADAPTED_DETAILS if not detail.brief)
        return ADAPTED_DETAILS

    @property
    def overview_least(self) -> float:
        """Height of the smallest text that an overview may have there, in pixels."""
        return OVERVIEW_PIXELS / READABLE_PIXELS * self.least * self.growth

    def styles(self, detail: DrawingDetail) -> Iterator[LayoutStyle]:
        """Possible arrangements of the boxes, best first."""
        if self.only is not None:
            yield self.only[1]
            return
        if detail.overview:
            wide = self.width / max(1, self.height)
            for style in _OVERVIEW_STYLES:
                if wide > _TALL if style.horizontal else wide < _WIDE:
                    yield style
            return
        for style in (*_STYLES, *_COLUMNS) if detail.brief else _WINDOW_STYLES:
            if detail.notes or not style.saved_below:
                yield style

    def may_hold(self, faces: GraphGeometry, detail: DrawingDetail) -> bool:
        """Whether the boxes of an overview are small enough for its text to be readable."""
        area = sum(face.width * face.height for face in faces.boxes)
        scale = self.overview_least / _unit(detail)
        return area * scale**2 <= _MOST_COVERED * self.width * self.height

    def text_pixels(self, layout: GraphLayout, detail: DrawingDetail) -> float:
        """Height of the smallest text in pixels if the whole graph is shown."""
        margins = 2 * margin_of(detail)
        across = self.width / (layout.width + margins)
        down = self.height / (layout.height + margins)
        return min(across, down) * _unit(detail)

    def enlarged(self, pixels: float, detail: DrawingDetail) -> float:
        """Height in pixels to which text should grow that could have a height if fitted."""
        return self.growth * min(pixels, fit_limit(self.height) * _unit(detail))

    def scale_for(self, pixels: float, detail: DrawingDetail) -> float:
        """Scale at which the smallest text has a height in pixels, within the limit."""
        return min(pixels / _unit(detail), fit_limit(self.height, self.growth))


def _unit(detail: DrawingDetail) -> float:
    """Height of the smallest text in scene units."""
    return NUMBER_SIZE if detail.elements else _SMALLEST


def preference(arrangement: Arrangement) -> tuple[int, int]:
    """Sort key of an arrangement: what shows more comes first."""
    detail, style = arrangement
    return ALL_DETAILS.index(detail), _ALL_STYLES.index(style)
