"""Title, sentence, graph and legend of a figure: what they look like, and where they are."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS, Measure
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnKind
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME
from gradviz.drawing.display.cards import HALO
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.display.legend_signs import BOX, LINE_LEFT, kind_sign, line_sign
from gradviz.export.graph.svg_document import SvgSize
from gradviz.export.graph.svg_elements import svg_element, svg_moved, svg_text_line
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.text.line_breaks import wrap
from gradviz.text.narration import describe_position
from gradviz.text.titles import origin_title

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


LINE, ROW = 17.0, 22.0
_KINDS: tuple[DrawnKind, ...] = (
    *("leaf", "custom", "builtin", "saved", "output", "folded", "error", "cut", "dead_end"),
)
_FLOWS = {"done": DONE, "now": NOW, "to_come": TO_COME}
_SIGN = 0.62
"""Scale of the signs in proportion to those in the graph."""


def svg_header(
    paint: Paint,
    index: TraceIndex,
    number: int,
    description: str,
    width: float,
    measure: Measure,
) -> tuple[str, float]:
    """Draw title, position and sentence of a step; also return their height."""
    title = origin_title(index.trace.origin)
    parts = [svg_text_line(title, 0, 15, "title", paint("text"), size=17)]
    y = 15.0
    step = step_at(index, number)
    if step is not None:
        phase = phase_of(step)
        total = len(index.trace.steps)
        where = say(
            "drawing.step", number=format_count(number), total=format_count(total), phase=phase
        )
        y += LINE + 4
        parts.append(svg_text_line(where, 0, y, "label", paint(phase)))
    for line in wrap_text(description, width, measure) if description else ():
        y += LINE
        parts.append(svg_text_line(line, 0, y, "line", paint("text"), size=12))
    return svg_element("g", "".join(parts), id="caption"), y + 14


def wrap_text(content: str, width: float, measure: Measure) -> list[str]:
    """Break text into at most 12 lines that fit a width when set at 12 points."""
    # `measure` knows only the sizes of the graph's texts.
    scale = 12 / FONTS["line"].size
    return wrap(content, width, lambda line: measure(line, "line")[0] * scale)[:12]


def svg_legend(
    paint: Paint,
    graph: DrawnGraph,
    width: float,
    measure: Measure,
    absent: Container[int] = (),
    *,
    has_flow: bool = True,
) -> tuple[str, float]:
    """Draw the legend of the colors, shapes and lines in use; also return its height.

    Args:
        paint: Returns the color of a role.
        graph: What is drawn.
        width: Largest width of a row.
        measure: Measures text.
        absent: Positions of the boxes that are left out.
        has_flow: Whether a run was recorded, in which gradients flow.
    """
    used_kinds = {node.kind for at, node in enumerate(graph.nodes) if at not in absent}
    entries = [
        (say(f"drawing.kind.{kind}"), svg_parts(paint, kind_sign(kind)), BOX.x)
        for kind in _KINDS
        if kind in used_kinds
    ]
    entries += [
        (say(f"drawing.flow.{name}"), svg_parts(paint, line_sign(state)), LINE_LEFT)
        for name, state in (_FLOWS.items() if has_flow else ())
    ]
    parts, x, y = [], 0.0, 0.0
    for name, sign, left in entries:
        entry_width = 30 + measure(name, "line")[0] + 18
        # At x = 0, a new row would only leave an empty one above an entry that is too wide anyway.
        if x and x + entry_width > width:
            x, y = 0.0, y + ROW
        parts.append(svg_moved(sign, x - left * _SIGN, y + 8 - BOX.center[1] * _SIGN, _SIGN))
        parts.append(svg_text_line(name, x + 30, y + 11.5, "line", paint("text_muted")))
        x += entry_width
    return svg_element("g", "".join(parts), id="legend"), y + ROW
