"""Signs of a legend: small boxes, lines and marks as in the graph."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE, MADE, NOW
from gradviz.drawing.content.node_problems import Colors
from gradviz.drawing.display.cards import (
    Highlight,
    badge_shape,
    card_body,
    heat_fill,
    highlight_shapes,
    order_mark,
    problem_sign,
    progress_mark,
)
from gradviz.drawing.display.edges import cross_shapes, edge_shapes
from gradviz.drawing.display.frames import fold_sign, frame_shape
from gradviz.drawing.display.marks import (
    breakpoint_mark,
    storage_mark,
)
from gradviz.drawing.display.outlines import STACK, mark_place
from gradviz.drawing.display.parts import Part, Pen, RoundedRect, Shape, circle, polyline
from gradviz.drawing.geometry.rect import Rect

SIGN_WIDTH, SIGN_HEIGHT = 96.0, 34.0
"""Space of a sign with a line in scene units; signs are drawn at graph size, then scaled."""

BOX = Rect(x=9, y=8, width=36, height=20)
"""Rectangle of the box in a sign; a line goes to its right."""

LINE_LEFT = BOX.right + 14
"""Left end of that line."""

SMALL_BOX = Rect(x=13, y=11, width=28, height=14)
"""Smaller box that leaves space for an outline."""


def kind_sign(kind: DrawnKind) -> Iterator[Part]:
    """A box of a kind, with a symbol for its contents."""
    box = BOX
    if kind == "accumulate":
        # As flat as in the graph, so that signs differ in more than color.
        box = Rect(x=BOX.x, y=BOX.y + 4, width=BOX.width, height=BOX.height - 8)
    elif kind == "folded":
        box = Rect(x=BOX.x + STACK, y=BOX.y, width=BOX.width, height=BOX.height)
    yield from card_body(kind, box, DONE)
    yield from _symbol(kind, box)


def _symbol(kind: DrawnKind, box: Rect) -> Iterator[Shape]:
    """Elements of a leaf, an equals sign, a cross, an exclamation mark, a number's badge."""
    (x, y), pen = box.center, Pen("text_muted", 1.3)
    match kind:
        case "leaf":
            for column, row in ((0, 0), (1, 0), (0, 1), (1, 1)):
                cell = Rect(x=box.right - 17 + 6 * column, y=y - 6 + 6 * row, width=6, height=6)
                yield Shape(RoundedRect(cell), pen=pen)
        case "output":
            for off in (-3, 3):
                yield Shape(polyline((x - 6, y + off), (x + 6, y + off)), pen=pen)
        case "cut":
            yield from cross_shapes(box.center, 4.0)
        case "error":
            yield Shape(polyline((x, y - 6), (x, y + 1.5)), pen=Pen("error", 2.4))
            yield Shape(circle((x, y + 6), 1.2), "error")
        case "link":
            yield badge_shape(kind, Rect(x=box.right - 18, y=box.y + 3, width=14, height=14))


def state_sign(state: int) -> Iterator[Part]:
    """A box in a state with its mark, and a line in that state."""
    if state == NOW:
        yield from highlight_shapes("now", "rounded", BOX)
    yield from card_body("builtin", BOX, state)
    yield from progress_mark(mark_place("rounded", BOX), state)
    if state != MADE:
        yield from line_sign(state)


def line_sign(state: int) -> Iterator[Shape]:
    """A line in a state."""
    middle = BOX.center[1]
    return edge_shapes(np.linspace((LINE_LEFT, middle), (SIGN_WIDTH, middle), 4), state)


def plain_sign(box: Rect = BOX) -> tuple[Shape, ...]:
    """A box to be marked."""
    return card_body("builtin", box, DONE)


def highlight_sign(highlight: Highlight) -> tuple[Shape, ...]:
    """A box with a highlight."""
    return *highlight_shapes(highlight, "rounded", SMALL_BOX), *plain_sign(SMALL_BOX)


def frame_sign() -> Iterator[Part]:
    """The frame of an open group."""
    rect = Rect(x=BOX.x, y=BOX.y - 4, width=BOX.width, height=BOX.height + 8)
    yield frame_shape(rect, 0)
    yield from fold_sign(Rect(x=BOX.x + 6, y=BOX.y + 3, width=12, height=12), "frame_text")


def heat_sign() -> Iterator[Part]:
    """Boxes from no color to the strongest one."""
    width = BOX.width / 3
    for at in range(3):
        box = Rect(x=BOX.x + at * width, y=BOX.y, width=width, height=BOX.height)
        yield from card_body("builtin", box, DONE, is_empty=True)
        yield from heat_fill("builtin", box, at / 2)


def storage_sign(measure: Measure) -> tuple[Part, ...]:
    """A letter of shared memory."""
    return *plain_sign(), *storage_mark("A", BOX, measure).parts


def order_sign(measure: Measure) -> tuple[Part, ...]:
    """An order of derivative."""
    return *plain_sign(), *order_mark(2, BOX, measure).parts


def problem_symbol(colors: Colors) -> tuple[Part, ...]:
    """The triangle of a problem."""
    return problem_sign(BOX.center, 16.0, *colors)


def breakpoint_sign() -> tuple[Part, ...]:
    """A breakpoint."""
    return *plain_sign(), *breakpoint_mark(BOX).parts
