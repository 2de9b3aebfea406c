"""Cards of nodes and the marks at their borders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.content.drawn_graph import DrawnKind, DrawnNode
from gradviz.drawing.content.graph_progress import (
    DONE,
    FREED,
    HIDDEN,
    MADE,
    NOW,
    TO_COME,
    UNTOUCHED,
)
from gradviz.drawing.content.node_problems import Colors
from gradviz.drawing.display.outlines import (
    STACK,
    bar_of,
    fold_of_note,
    mark_place,
    outline_around,
    outline_of,
    radius_of,
)
from gradviz.drawing.display.parts import (
    Mark,
    Part,
    Pen,
    RoundedRect,
    Shape,
    TensorCells,
    TextRun,
    circle,
    middle_baseline,
    polyline,
)
from gradviz.drawing.geometry.box_geometry import (
    ORDER_GAP,
    SHAPES,
    BoxGeometry,
    BoxShape,
    order_mark_width,
)
from gradviz.drawing.geometry.rect import PlacedText, Point, Rect

MARK, NOW_MARK = 5.0, 6.5
"""Radius of the progress mark, normally and for the current step."""

_NAMES: dict[DrawnKind, str] = {
    "error": "failing",
    "link": "leaf",
    "cut": "failing",
    "dead_end": "output",
}
"""Palette names of the kinds that have no colors of their own."""

_ROLES: dict[str, PaletteRole] = {role: role for role in get_args(PaletteRole)}
_UNMARKED = ("saved", "link", "output", "cut", "dead_end")
_THIN, _NOW, _THICK = 1.3, 2.0, 2.6
HOTTEST = 0.35
"""Largest opacity of the color of a card, on which its texts can still be read."""

_DASHES = {TO_COME: (4.5, 3.0), UNTOUCHED: (1.4, 2.8), FREED: (1.4, 2.8)}
"""Dash and gap length of the border."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardParts:
    """A card, in drawing order.

    Attributes:
        body: Its shapes, below the texts.
        texts: Lines of text.
        cells: Elements of tensors.
        mark: The mark of its progress, which reaches beyond its border.
    """

    body: tuple[Shape, ...]
    texts: tuple[TextRun, ...]
    cells: tuple[TensorCells, ...]
    mark: tuple[Shape, ...]

    def __iter__(self) -> Iterator[Part]:
        yield from self.body
        yield from self.texts
        yield from self.cells
        yield from self.mark


def kind_role(kind: DrawnKind, part: str) -> PaletteRole:
    """Color of a kind's ``fill``, ``border`` or ``text``."""
    return _ROLES[f"{_NAMES.get(kind, kind)}_{part}"]


def card_parts(
    node: DrawnNode,
    face: BoxGeometry,
    box: Rect,
    state: int,
    *,
    measure: Measure,
    is_hidden: bool = False,
    brief: bool = False,
    heat: float | None = None,
) -> CardParts:
    """Draw a card.

    Args:
        node: Its contents.
        face: Where they are in it.
        box: Where it is.
        state: Its progress.
        measure: Measures the question mark of a hidden card.
        is_hidden: Whether a question mark replaces its contents.
        brief: Whether its texts are close to its border.
        heat: Strength of the color that replaces that of its kind, from 0 to 1; None to keep it.
    """
    place = mark_place(face.shape, box, brief=brief)
    return CardParts(
        body=(
            *card_body(node.kind, box, state, is_empty=heat is not None),
            *heat_fill(node.kind, box, heat),
            *_badge(node.kind, face, box),
        ),
        texts=(
            (_question(node.kind, box, measure),) if is_hidden else _texts(node, face, box, state)
        ),
        cells=() if is_hidden or state == FREED else _cells(node, face, box),
        mark=progress_mark(place, state) if is_marked(node.kind) else (),
    )


def card_body(
    kind: DrawnKind, box: Rect, state: int, *, is_empty: bool = False
) -> tuple[Shape, ...]:
    """Outline and fill: dashed if pending, dotted if untouched, bold if current, empty if freed."""
    shape = SHAPES[kind]
    is_empty = is_empty or state == FREED
    fill: PaletteRole = "canvas" if is_empty else kind_role(kind, "fill")
    width = _THICK if shape == "chamfered" else _NOW if state == NOW else _THIN
    solid = Pen("border_strong" if state == FREED else kind_role(kind, "border"), width)
    pen = Pen(solid.ink, width, _DASHES.get(state))
    body = Shape(outline_of(shape, box), fill, pen)
    if shape == "stack":
        sheet = Rect(x=box.x + STACK, y=box.y - STACK, width=box.width, height=box.height)
        return Shape(RoundedRect(sheet, radius_of(shape, box)), fill, pen), body
    if shape == "note":
        return body, Shape(fold_of_note(box), pen=Pen(solid.ink, _THIN))
    if shape == "stub":
        return body, Shape(RoundedRect(bar_of(box)), solid.ink)
    return (body,)


def heat_fill(kind: DrawnKind, box: Rect, heat: float | None) -> tuple[Shape, ...]:
    """The color of a card that has none of its own, from 0 to 1; nothing for None."""
    outline = outline_of(SHAPES[kind], box)
    return () if heat is None else (Shape(outline, "forward", opacity=HOTTEST * heat),)


def _badge(kind: DrawnKind, face: BoxGeometry, box: Rect) -> tuple[Shape, ...]:
    return () if face.badge is None else (badge_shape(kind, box.placed(face.badge)),)


def badge_shape(kind: DrawnKind, rect: Rect) -> Shape:
    """The round background of a link's number."""
    return Shape(RoundedRect(rect, rect.height / 2), kind_role(kind, "text"))


def _texts(node: DrawnNode, face: BoxGeometry, box: Rect, state: int) -> tuple[TextRun, ...]:
    if state == FREED:
        title = say("drawing.freed")
        return tuple(
            placed_text(each, box, "text_muted", title if each.text == node.title else "")
            for each in face.texts
        )
    return tuple(placed_text(each, box, _ink(node.kind, each)) for each in face.texts)


def _ink(kind: DrawnKind, text: PlacedText) -> PaletteRole:
    return kind_role(kind, "fill" if text.style == "mark" else "text")


def placed_text(text: PlacedText, box: Rect, ink: PaletteRole, content: str = "") -> TextRun:
    """A text of a box, or another content in its place."""
    shown = content or text.text
    return TextRun(shown, box.x + text.left, box.y + text.baseline, text.style, ink)


def _question(kind: DrawnKind, box: Rect, measure: Measure) -> TextRun:
    x, _ = box.center
    left = x - measure(HIDDEN, "title")[0] / 2
    baseline = middle_baseline(box, "title", measure)
    return TextRun(HIDDEN, left, baseline, "title", kind_role(kind, "text"))


def _cells(node: DrawnNode, face: BoxGeometry, box: Rect) -> tuple[TensorCells, ...]:
    drawn = ((node.thumbnail, face.thumbnail), *zip(node.samples, face.samples, strict=True))
    return tuple(
        TensorCells(tiny.tensor, box.placed(rect))
        for tiny, rect in drawn
        if tiny is not None and rect is not None
    )


def is_marked(kind: DrawnKind) -> bool:
    """Whether boxes of this kind have a progress mark."""
    return kind not in _UNMARKED


def progress_mark(at: Point, state: int) -> tuple[Shape, ...]:
    """The mark of a state: tick if done, ring if current, empty circle if pending.

    Other states have no mark.
    """
    x, y = at
    if state == DONE:
        tick = polyline((x - 2.2, y + 0.1), (x - 0.6, y + 1.8), (x + 2.3, y - 1.7))
        disk = Shape(circle(at, MARK + 0.8), "status_done", Pen("canvas", 1.6))
        return disk, Shape(tick, pen=Pen("canvas", 1.5, is_round=True))
    if state == NOW:
        ring = Shape(circle(at, NOW_MARK), "canvas", Pen("status_now", 1.8))
        return ring, Shape(circle(at, 3.0), "status_now")
    if state == TO_COME:
        return (Shape(circle(at, MARK), "canvas", Pen("status_to_come", 1.8)),)
    assert state in (UNTOUCHED, MADE)
    return ()


Highlight = Literal["hovered", "selected", "now", "failing", "hit"]
"""What a highlight says of a card; a failing step has another color than other current steps."""

HALO = 10.0
"""Width of the current step's halo."""

_HALO_OPACITY = 0.2
# They differ in distance and width as well, so that color is not the only sign.
_RINGS: dict[Highlight, tuple[float, Pen]] = {
    "hovered": (2.6, Pen("border_strong", 1.4)),
    "selected": (8.0, Pen("focus", 2.2)),
    "now": (4.6, Pen("status_now", 2.2)),
    "failing": (4.6, Pen("error", 2.2)),
    "hit": (6.0, Pen("text", 1.2)),
}
"""Distance of each ring from the card's border, and its pen."""


def highlight_shapes(
    highlight: Highlight, shape: BoxShape, box: Rect, grown: float = 1.0
) -> tuple[Shape, ...]:
    """A ring around a card, with a halo for the current step and a band for a search match.

    Args:
        highlight: What it says.
        shape: Shape of the card.
        box: The card.
        grown: Factor on widths and distances, for zoomed-out views.
    """
    out, pen = _RINGS[highlight]
    fill: PaletteRole | None = "search_hit" if highlight == "hit" else None
    wide = replace(pen, width=pen.width * grown)
    ring = Shape(outline_around(shape, box, out * grown), fill, wide)
    if highlight not in ("now", "failing"):
        return (ring,)
    around = outline_around(shape, box, HALO * grown)
    return Shape(around, pen.ink, opacity=_HALO_OPACITY), ring


ORDER_HEIGHT = 11.0
_ORDER_INSET, _ORDER_RAISED, _ORDER_ROUND = 4.0, 4.5, 3.0


def order_mark(order: int, box: Rect, measure: Measure) -> Mark:
    """The order of a derivative, at the upper left corner of a card."""
    text, width = short_order_text(order), order_mark_width(order, measure)
    rect = Rect(x=box.x + _ORDER_INSET, y=box.y - _ORDER_RAISED, width=width, height=ORDER_HEIGHT)
    left = rect.center[0] - measure(text, "mark")[0] / 2
    ink: PaletteRole = "frame_text"
    ground = Shape(RoundedRect(rect, _ORDER_ROUND), "frame_fill", Pen(ink))
    run = TextRun(text, left, middle_baseline(rect, "mark", measure), "mark", ink)
    return Mark(rect, (ground, run))


_PROBLEM_HEIGHT, _PROBLEM_INSET = 16.0, 8.0
_RAISED, _BRIEF_RAISED = 11.0, 5.0
_SIGN, _PAD = 9.0, 5.0
"""Size of the sign, and the space beside it and the word."""


def problem_mark(
    word: str,
    colors: Colors,
    box: Rect,
    measure: Measure,
    *,
    order: int = 0,
    brief: bool = False,
) -> Mark:
    """A problem, at the upper left corner of a card.

    Its triangle and its word tell what color alone must not.

    Args:
        word: Its text.
        colors: Its colors.
        box: The card.
        measure: Measures the text.
        order: Order whose mark is to its left; 0 for none.
        brief: Whether lines are close to the card, which has room for the mark instead.
    """
    left = (
        order_mark(order, box, measure).rect.right + ORDER_GAP
        if order
        else (box.x + _PROBLEM_INSET)
    )
    width = measure(word, "mark")[0] + _SIGN + 3 * _PAD
    y = box.y - (_BRIEF_RAISED if brief else _RAISED)
    rect = Rect(x=left, y=y, width=width, height=_PROBLEM_HEIGHT)
    ink, ground = colors
    pill = Shape(RoundedRect(rect, _PROBLEM_HEIGHT / 2), ground, Pen(ink, 1.2))
    sign = problem_sign((left + _PAD + _SIGN / 2, rect.center[1]), _SIGN, ink, ground)
    baseline = middle_baseline(rect, "mark", measure)
    text = TextRun(word, left + 2 * _PAD + _SIGN, baseline, "mark", ink)
    return Mark(rect, (pill, *sign, text))


def problem_sign(
    middle: Point, side: float, ink: PaletteRole, ground: PaletteRole
) -> tuple[Shape, ...]:
    """A warning triangle with an exclamation mark."""
    x, y = middle
    half, pen = side / 2, Pen(ground, side * 0.13)
    triangle = polyline((x, y - half), (x + half, y + half), (x - half, y + half), closed=True)
    stroke = polyline((x, y - side * 0.16), (x, y + side * 0.16))
    point = circle((x, y + side * 0.34), pen.width / 2)
    return Shape(triangle, ink), Shape(stroke, pen=pen), Shape(point, ground)
