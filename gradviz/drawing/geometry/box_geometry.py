"""Size of each box and positions of its texts, identical in the window and in exports."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.text_styles import BASELINE, Measure, TextStyle
from gradviz.drawing.content.drawn_graph import (
    FULL,
    DrawingDetail,
    DrawnEdge,
    DrawnFrame,
    DrawnGraph,
    DrawnKind,
    DrawnNode,
)
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.geometry.rect import PlacedText, Rect

MARGIN = 12.0
"""Space between a frame and its contents."""

HEIGHT, SIGN, GAP = 22.0, 12.0, 8.0
"""Height of a title bar, side of the close button, and gap between the bar's parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameGeometry:
    """Title bar geometry, in points from the frame's upper left corner.

    Attributes:
        width: Minimum width of the frame.
        height: Height of the bar.
        sign: Rectangle of the button that closes the group.
        texts: Lines of text, title first.
    """

    width: float
    height: float
    sign: Rect
    texts: tuple[PlacedText, ...]


def frame_geometry(frame: DrawnFrame, measure: Measure) -> FrameGeometry:
    """Measure one title bar and place its contents."""
    sign = Rect(x=GAP, y=(HEIGHT - SIGN) / 2 + 1, width=SIGN, height=SIGN)
    x = sign.x + sign.width + GAP
    texts: list[PlacedText] = []
    wanted: tuple[tuple[str, TextStyle], ...] = ((frame.title, "label"), (frame.line, "line"))
    for text, style in wanted:
        if not text:
            continue
        width, height = measure(text, style)
        # Both texts share the title's baseline.
        baseline = sign.y + sign.height / 2 + (BASELINE - 0.5) * height
        baseline = texts[0].baseline if texts else baseline
        texts.append(
            PlacedText(text=text, style=style, x=x, baseline=baseline, centred=False, width=width)
        )
        x += width + GAP
    return FrameGeometry(width=math.ceil(x), height=HEIGHT, sign=sign, texts=tuple(texts))


BoxShape = Literal["chamfered", "rounded", "card", "pill", "stack", "note", "stub"]

SHAPES: dict[DrawnKind, BoxShape] = {
    "custom": "chamfered",
    "builtin": "rounded",
    "accumulate": "pill",
    "error": "chamfered",
    "leaf": "card",
    "link": "pill",
    "output": "pill",
    "saved": "note",
    "folded": "stack",
    "cut": "pill",
    "dead_end": "stub",
}
"""Shape of each kind of box, since color must not be the only distinction.

``chamfered`` has cut corners and a thick border; ``note`` a dashed border; ``stack`` a second
border behind it; ``stub`` square corners and a bar along its upper side.
"""

FOLD = 11.0
"""Size of a note's folded lower right corner."""

_PAD_X, _PAD_Y, _GAP, _LEADING = 12.0, 8.0, 12.0, 3.0
_BRIEF_X, _BRIEF_Y, _BRIEF_LEADING, _ROUND_X = 6.0, 4.0, 1.0, 2.5
_WARNED, _LOCATED = 10.0, 8.0
"""Space in a brief card for the mark of a problem above its text, and of the position below."""

_ORDERED, _ORDER_X = 2.5, 4.0
"""Space above a card's text for the mark of its order, and the space beside the mark's text."""

ORDER_GAP = 2.0
"""Space between the mark of an order and the mark of a problem beside it."""

_PROBLEM_X = 42.0
"""Minimum width of a card beyond the word of its problem, for the sign and the margins."""

_PILL_X, _PILL_Y = 14.0, 5.0
_BADGE_X, _BADGE_GAP = 4.5, 7.0
_SAMPLE_GAP = 8.0
_LABEL_SHARE = 0.85
"""Maximum width of a label in one line, as a share of a title's."""

LABEL_X, LABEL_Y, LABEL_GAP = 3.0, 2.0, 6.0
"""Padding at the sides of a label, above and below it, and before its gradient's elements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxGeometry:
    """Inner geometry of a box, in points from its upper left corner.

    Attributes:
        shape: Outline.
        width: Width of the box, a whole number.
        height: Height of the box, a whole number.
        texts: Lines of text, title first.
        badge: Round mark of a link, around a text in the style ``mark``; None without one.
        thumbnail: Space for the elements of ``DrawnNode.thumbnail``; None without one.
        samples: Space for the elements of each of ``DrawnNode.samples``.
        group_progress: Space for a folded group's progress line; None without one.
    """

    shape: BoxShape
    width: float
    height: float
    texts: tuple[PlacedText, ...]
    badge: Rect | None
    thumbnail: Rect | None
    samples: tuple[Rect | None, ...] = ()
    group_progress: PlacedText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphGeometry:
    """All sizes that a layout needs, in the order of the drawing.

    Attributes:
        boxes: Geometry of each box.
        labels: Width and height of an edge's label, with its gradient's elements, by position of
            the edge.
        frames: Geometry of each title bar.
    """

    boxes: tuple[BoxGeometry, ...]
    labels: dict[int, tuple[float, float]]
    frames: tuple[FrameGeometry, ...] = ()


def graph_geometry(graph: DrawnGraph, measure: Measure) -> GraphGeometry:
    """Measure every box, label and frame of a graph."""
    return GraphGeometry(
        boxes=tuple([box_geometry(node, measure, graph.detail) for node in graph.nodes]),
        labels={
            at: _label_size(edge, measure, graph.detail)
            for at, edge in enumerate(graph.edges)
            if edge.labels
        },
        frames=tuple([frame_geometry(frame, measure) for frame in graph.frames]),
    )


def label_lines(label: str, detail: DrawingDetail, measure: Measure) -> tuple[str, ...]:
    """Lines of an edge label: in narrow drawings, the value is below a long name."""
    name, _, value = label.partition(" ")
    width = detail.title_width
    short = not value or width is None or measure(label, "label")[0] <= _LABEL_SHARE * width
    return (label,) if short else (name, value)


def label_text_size(label: str, detail: DrawingDetail, measure: Measure) -> tuple[float, float]:
    """Width and height of an edge label's lines, in points."""
    sizes = [measure(line, "label") for line in label_lines(label, detail, measure)]
    return max(width for width, _ in sizes), sum(height for _, height in sizes)


def _label_size(edge: DrawnEdge, measure: Measure, detail: DrawingDetail) -> tuple[float, float]:
    sizes = [label_text_size(label, detail, measure) for label in edge.labels]
    width = max(size[0] for size in sizes) + 2 * LABEL_X
    height = max(size[1] for size in sizes) + (0 if detail.brief else 2 * LABEL_Y)
    if edge.gradients:
        # The elements follow the text, with the same padding around them.
        width += max(tiny.size[0] for tiny in edge.gradients) + LABEL_GAP
        height = max(height, *(tiny.size[1] + 2 * LABEL_X for tiny in edge.gradients))
    # Whole numbers: the tables that reserve the space accept no fractions.
    return math.ceil(width), math.ceil(height)


def rect_beside_label(label_rect: Rect, gradient: ElementGrid) -> Rect:
    """Rectangle of a gradient's elements, at the right end of its edge label."""
    width, height = gradient.size
    left = label_rect.x + label_rect.width - LABEL_X - width
    return Rect(
        x=left, y=label_rect.y + (label_rect.height - height) / 2, width=width, height=height
    )


@dataclass(frozen=True, slots=True)
class _BoxRow:
    """One line of a box: its text, and the elements of a tensor behind it."""

    text: str
    style: TextStyle
    width: float
    text_height: float
    sample: tuple[float, float] = (0.0, 0.0)

    @property
    def height(self) -> float:
        return max(self.text_height, self.sample[1])


def box_geometry(node: DrawnNode, measure: Measure, detail: DrawingDetail = FULL) -> BoxGeometry:
    """Measure one box and place its contents."""
    badge = measure(str(node.link), "mark") if node.link is not None else None
    rows = _rows(node, measure, detail)
    if node.problem:
        least = _PROBLEM_X - 2 * _BRIEF_X + measure(node.problem, "mark")[0]
        if has_order_mark(node, detail):
            least += order_mark_width(node.order, measure) + ORDER_GAP
        rows[0] = replace(rows[0], width=max(rows[0].width, least))
    return _set(SHAPES[node.kind], rows, badge, node, detail)


def has_order_mark(node: DrawnNode, detail: DrawingDetail) -> bool:
    """Whether a card shows the order of derivative, since no frame around it does."""
    return node.order > 1 and not detail.frames and node.kind not in ("leaf", "link")


def order_mark_width(order: int, measure: Measure) -> float:
    """Width of the mark of an order of derivative."""
    return measure(short_order_text(order), "mark")[0] + 2 * _ORDER_X


def _rows(node: DrawnNode, measure: Measure, detail: DrawingDetail) -> list[_BoxRow]:
    first: TextStyle = "label" if detail.brief or node.kind in ("link", "saved") else "title"
    if node.kind == "accumulate" or (detail.brief and node.kind == "builtin"):
        first = "line"
    titles = wrapped_title(node.title, first, measure, detail.title_width)
    rows = [_BoxRow(title, first, *measure(title, first)) for title in titles]
    samples = node.samples or (None,) * len(node.lines)
    for text, sample in zip(node.lines, samples, strict=True):
        size = (0.0, 0.0) if sample is None else sample.size
        lines = wrapped_title(text, "line", measure, detail.title_width)
        rows += [_BoxRow(line, "line", *measure(line, "line"), size) for line in lines]
    if node.group_progress:
        count = format_count(node.group_progress)
        # Count and word change with the steps; the box must already fit the widest.
        texts = [say(f"drawing.tally{way}", done=count, count=count) for way in ("", ".made")]
        tallies = [_BoxRow(text, "line", *measure(text, "line")) for text in texts]
        rows.append(max(tallies, key=lambda row: row.width))
    return rows


def wrapped_title(
    title: str, style: TextStyle, measure: Measure, width: float | None
) -> tuple[str, ...]:
    """Break a name before its capitals and brackets, or behind its dots, underscores and spaces.

    Args:
        title: The name.
        style: Its style.
        measure: Measures the lines.
        width: Maximum width of a line in points, exceeded by parts without a break; None for any.
    """
    if width is None or measure(title, style)[0] <= width:
        return (title,)
    parts = re.findall(r"\[?[A-Z]*[^A-Z_. \[]+[_. ]*|\[?[A-Z]+[_. ]*|[_. \[]+", title)

    def broken(most: float) -> tuple[str, ...]:
        lines = [""]
        for part in parts:
            if lines[-1] and measure((lines[-1] + part).rstrip(), style)[0] > most:
                lines.append("")
            lines[-1] += part
        return tuple(line.rstrip() for line in lines)

    # Lines of similar length look better and need no more space.
    found = broken(width)
    for narrower in range(int(width), 0, -4):
        lines = broken(narrower)
        if len(lines) > len(found):
            break
        found = lines
    return found


def _set(
    shape: BoxShape,
    rows: list[_BoxRow],
    badge: tuple[float, float] | None,
    node: DrawnNode,
    detail: DrawingDetail,
) -> BoxGeometry:
    brief = detail.brief
    pad_x, pad_y = (_PILL_X, _PILL_Y) if shape == "pill" else (_PAD_X, _PAD_Y)
    leading = _BRIEF_LEADING if brief else _LEADING
    if brief:
        # The progress mark takes part of cut and round corners.
        pad_x = _BRIEF_X + (_ROUND_X if shape in ("chamfered", "pill") else 0)
        pad_y = _BRIEF_Y
    mark = 0.0 if badge is None else max(badge[0] + 2 * _BADGE_X, badge[1] + 2)
    mark_width = mark + _BADGE_GAP if mark else 0.0
    wide = max((row.width for row in rows if row.sample[0]), default=0.0) + _SAMPLE_GAP
    sampled = max((wide + row.sample[0] for row in rows if row.sample[0]), default=0.0)
    text_width = max(rows[0].width + mark_width, *(row.width for row in rows), sampled, 24.0)
    if shape == "note":
        text_width = max(text_width, rows[-1].width + FOLD - pad_x)
    text_height = sum(row.height for row in rows) + leading * (len(rows) - 1)
    picture = (0.0, 0.0) if node.thumbnail is None else node.thumbnail.size
    # Rounded up here because dot rounds sizes to whole points, and text must still fit.
    width = math.ceil(2 * pad_x + text_width + (_GAP + picture[0] if picture[0] else 0))
    ordered = _ORDERED if has_order_mark(node, detail) else 0.0
    warned = _WARNED if brief and node.problem else ordered
    located = _LOCATED if brief and node.kind == "custom" else 0.0
    height = 2 * pad_y + max(text_height, picture[1]) + warned + located
    centred = (
        not picture[0]
        and not mark
        and shape != "note"
        and (len(rows) == 1 or shape == "pill" or (brief and not node.lines))
    )
    top = (height + warned - located - text_height) / 2
    texts = _place_rows(rows, width / 2 if centred else pad_x, top, leading, centred)
    group_progress = texts.pop() if node.group_progress else None
    rect = None
    if badge is not None:
        middle = top + (rows[0].height - badge[1] - 2) / 2
        left = pad_x + rows[0].width + _BADGE_GAP
        rect = Rect(x=left, y=middle, width=mark, height=badge[1] + 2)
        texts.append(_mark(str(node.link), rect, badge))
    return BoxGeometry(
        shape=shape,
        width=width,
        height=math.ceil(height),
        texts=tuple(texts),
        badge=rect,
        thumbnail=_thumbnail(width - pad_x, height, picture),
        samples=_place_samples(rows, pad_x + wide, top, leading) if node.samples else (),
        group_progress=group_progress,
    )


def _place_rows(
    rows: list[_BoxRow], x: float, top: float, leading: float, centred: bool
) -> list[PlacedText]:
    texts = []
    for row in rows:
        baseline = top + (row.height - row.text_height) / 2 + BASELINE * row.text_height
        texts.append(
            PlacedText(
                text=row.text,
                style=row.style,
                x=x,
                baseline=baseline,
                centred=centred,
                width=row.width,
            )
        )
        top += row.height + leading
    return texts


def _place_samples(
    rows: list[_BoxRow], x: float, top: float, leading: float
) -> tuple[Rect | None, ...]:
    """Place the samples in one column, so that they can be compared."""
    found: list[Rect | None] = []
    for row in rows:
        width, height = row.sample
        middle = top + (row.height - height) / 2
        found.append(Rect(x=x, y=middle, width=width, height=height) if width else None)
        top += row.height + leading
    return tuple(found[1:])


def _mark(text: str, rect: Rect, size: tuple[float, float]) -> PlacedText:
    return PlacedText(
        text=text,
        style="mark",
        x=rect.x + rect.width / 2,
        baseline=rect.y + 1 + BASELINE * size[1],
        centred=True,
        width=size[0],
    )


def _thumbnail(right: float, height: float, picture: tuple[float, float]) -> Rect | None:
    if not picture[0]:
        return None
    top = (height - picture[1]) / 2
    return Rect(x=right - picture[0], y=top, width=picture[0], height=picture[1])
