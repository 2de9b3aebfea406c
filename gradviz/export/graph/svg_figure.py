"""Where title, sentence, graph and legend of a figure are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.display.cards import HALO
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.export.graph.svg_document import SvgSize
from gradviz.export.graph.svg_elements import svg_moved
from gradviz.export.graph.svg_frame import svg_header, svg_legend
from gradviz.text.narration import describe_position

MARGIN, LEAST_WIDTH = 22.0, 420.0
_ABOVE, _BELOW = 8.0, 22.0
"""Between the graph and the texts around it."""

_SCREEN, _ON_SCREEN = (1280, 720), 1.4
"""A size and the scale of its texts, which can be read from the back of a lecture hall."""

_LEGEND = 0.75
"""Scale of the legend in proportion to that of the other texts."""

_LARGEST = 1.5
"""Largest scale of the graph in proportion to that of texts."""

_SMALLER = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class SvgStyle:
    """How a figure looks.

    Attributes:
        paint: Its colors.
        size: Its size; None for the graph's own.
        transparent: Whether it has no background.
        bare: Whether the graph stands alone, without title, sentence and legend.
    """

    paint: Paint
    size: SvgSize | None = None
    transparent: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureFrame:
    """Surroundings of a graph, the same for each of several figures.

    Attributes:
        width: Width of the figure.
        height: Height of the figure.
        margin: Around everything.
        scale: Scale of the top.
        graph_at: Left and top edge of the graph.
        graph_scale: Scale of the graph.
        sentences: The sentence of each figure.
        tops: Title, position and sentence, drawn.
        caption_height: Height of what the tops fill, with the margin; the graph is below it.
        bottom: The legend.
        bottom_at: Top edge of the legend.
        bottom_scale: Its scale.
    """

    width: float
    height: float
    margin: float
    scale: float
    graph_at: tuple[float, float]
    graph_scale: float
    sentences: tuple[str, ...]
    tops: tuple[str, ...]
    caption_height: float
    bottom: str
    bottom_at: float
    bottom_scale: float

    def compose(self, top: str, drawn: str) -> str:
        """Return a figure as SVG, given its header and its graph."""
        parts = (
            (top, 0, 0, self.scale),
            (drawn, *self.graph_at, self.graph_scale),
            (self.bottom, 0, self.bottom_at, self.bottom_scale),
        )
        inside = "\n".join(svg_moved(part, *place) for part, *place in parts if part)
        return svg_moved(inside, self.margin, self.margin)


def arrange_frame(
    drawing: GraphDisplay, places: Sequence[TracePosition], style: SvgStyle, level: Level = "node"
) -> FigureFrame:
    """Arrange title, sentence, graph and legend of the figures of some positions."""
    sentences = [describe_position(drawing.index, place, level) for place in places]
    numbers = [place.step for place in places]
    if style.size is None:
        return _natural(drawing, numbers, sentences, style)
    scale = max(1.0, _ON_SCREEN * min(a / b for a, b in zip(style.size, _SCREEN, strict=True)))
    while (frame := _sized(drawing, numbers, sentences, style, style.size, scale)) is None:
        scale *= _SMALLER
    return frame


def _natural(
    drawing: GraphDisplay, numbers: Sequence[int], sentences: Sequence[str], style: SvgStyle
) -> FigureFrame:
    """A frame as large as the graph."""
    layout = drawing.layout
    width = layout.width if style.bare else max(layout.width, LEAST_WIDTH)
    tops, top_height = _tops(drawing, numbers, sentences, style, width)
    bottom, bottom_height = _legend(drawing, style, width)
    graph_at = ((width - layout.width) / 2, 0 if style.bare else top_height + _ABOVE)
    bottom_at = graph_at[1] + layout.height + (0 if style.bare else _BELOW)
    return FigureFrame(
        width=width + 2 * MARGIN,
        height=bottom_at + bottom_height + 2 * MARGIN,
        margin=MARGIN,
        scale=1,
        graph_at=graph_at,
        graph_scale=1,
        sentences=tuple(sentences),
        tops=tops,
        caption_height=MARGIN + top_height,
        bottom=bottom,
        bottom_at=bottom_at,
        bottom_scale=1,
    )


def _sized(
    drawing: GraphDisplay,
    numbers: Sequence[int],
    sentences: Sequence[str],
    style: SvgStyle,
    size: SvgSize,
    scale: float,
) -> FigureFrame | None:
    """A frame of a size, with the graph in the middle; None if texts of a scale need over half."""
    layout, smaller, margin = drawing.layout, scale * _LEGEND, min(scale, 1) * MARGIN
    width, height = size[0] - 2 * margin, size[1] - 2 * margin
    tops, top_height = _tops(drawing, numbers, sentences, style, width / scale)
    bottom, bottom_height = _legend(drawing, style, width / smaller)
    top = top_height * scale
    bottom_at = height - bottom_height * smaller
    free = bottom_at - margin - top
    if width < size[0] / 2 or free < size[1] / 2:
        return None
    graph_scale = min(width / layout.width, free / layout.height, scale * _LARGEST)
    left = (width - layout.width * graph_scale) / 2
    return FigureFrame(
        width=size[0],
        height=size[1],
        margin=margin,
        scale=scale,
        graph_at=(left, top + (free - layout.height * graph_scale) / 2),
        graph_scale=graph_scale,
        sentences=tuple(sentences),
        tops=tops,
        caption_height=margin + top - HALO * scale,
        bottom=bottom,
        bottom_at=bottom_at,
        bottom_scale=smaller,
    )


def _legend(drawing: GraphDisplay, style: SvgStyle, width: float) -> tuple[str, float]:
    if style.bare:
        return "", 0.0
    has_flow = len(drawing.index.trace.steps) > 0
    return svg_legend(style.paint, drawing.graph, width, font_measure(), has_flow=has_flow)


def _tops(
    drawing: GraphDisplay,
    numbers: Sequence[int],
    sentences: Sequence[str],
    style: SvgStyle,
    width: float,
) -> tuple[tuple[str, ...], float]:
    """Title, position and sentence of each figure, and the height of the highest."""
    if style.bare:
        return ("",) * len(numbers), 0.0
    tops = [
        svg_header(style.paint, drawing.index, number, sentence, width, font_measure())
        for number, sentence in zip(numbers, sentences, strict=True)
    ]
    return tuple(top for top, _ in tops), max(height for _, height in tops)
