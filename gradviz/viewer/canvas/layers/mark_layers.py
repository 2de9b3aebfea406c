"""Layers of marks at the borders of cards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.display.cards import order_mark, placed_text, problem_mark, problem_sign
from gradviz.drawing.display.curves import cubic
from gradviz.drawing.display.marks import (
    BREAKPOINT_RADIUS,
    DIFFERENCE_HEIGHT,
    INSET,
    LOCATION_PAD,
    breakpoint_mark,
    difference_badge,
    difference_mark,
    location_mark,
    storage_mark,
)
from gradviz.drawing.display.parts import Mark, Part
from gradviz.drawing.geometry.box_geometry import has_order_mark
from gradviz.drawing.geometry.rect import Point
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layers.layer import LayerContext, PartsLayer
from gradviz.viewer.tensor_view.cell_painter import qt_rect

T = TypeVar("T")

FAR, MOST_FAR = 12.0, 60.0
"""Size of a sign when zoomed out: in pixels, and its maximum in scene units."""

_FAR_RADIUS, _MOST_RADIUS = 3.5, 24.0
"""The same for the radius of a breakpoint, which is never smaller."""

_CUT = "…"

_LETTER = 24.0
"""Space left free for the letter of shared memory."""


class MarkLayer(PartsLayer, Generic[T]):
    """Marks at the borders of cards.

    Attributes:
        marks: What is marked, by card.
    """

    def __init__(self, context: LayerContext) -> None:
        super().__init__(context, context.picture.boxes, MOST_FAR)
        self._brief = context.picture.detail.brief
        self.marks: dict[int, T] = {}

    def show(self, marks: dict[int, T]) -> None:
        """Replace all marks."""
        self.marks = marks
        self._context.update()

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        raise NotImplementedError

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark at 100%."""
        return qt_rect(self.mark(card).rect)

    def items(self, exposed: QRectF) -> Iterable[int]:
        """The visible cards with a mark."""
        return [card for card in self.seen(exposed) if card in self.marks] if self.marks else ()

    def parts(self, at: int) -> Iterable[Part]:
        """Parts of a card's mark."""
        return self.mark(at).parts


class GroupProgressLayer(MarkLayer[str]):
    """A line of text in the card of each closed group."""

    def parts(self, at: int) -> Iterable[Part]:
        """The text of a card."""
        space, text = self._context.picture.faces[at].group_progress, self.marks[at]
        if space is not None and text:
            yield placed_text(space, self.box(at), "folded_text", text)


class LocationLayer(MarkLayer[str]):
    """The position inside the current node: a few words at the lower edge of its card."""

    def show_place(self, card: int | None, words: tuple[str, ...] = ()) -> None:
        """Move the mark to another card.

        Args:
            card: Index of the card, or None.
            words: Path to the position, outermost first; only the last words that fit are shown.
                Without words there is no mark.
        """
        # Lines are close to brief cards; those of custom Functions have room for the mark instead.
        if card is None or not words or (self._brief and not self._is_custom(card)):
            self.show({})
        else:
            self.show({card: self._fitting(card, words)})

    def _is_custom(self, card: int) -> bool:
        return self._context.picture.nodes[card].kind == "custom"

    def _fitting(self, card: int, words: tuple[str, ...]) -> str:
        space = self.box(card).width - 2 * LOCATION_PAD
        if not self._brief:
            space -= 2 * INSET + _LETTER
        texts = [" · ".join(words[at:]) for at in range(len(words))]
        text = next((each for each in texts if measure(each, "mark")[0] <= space), texts[-1])
        while len(text) > 2 and measure(text, "mark")[0] > space:
            text = text.removesuffix(_CUT)[:-1] + _CUT
        return text

    def mark(self, card: int) -> Mark:
        """The mark."""
        return location_mark(self.marks[card], self.box(card), measure, brief=self._brief)


class OrderLayer(MarkLayer[int]):
    """Marks like ``2nd`` on the nodes that a backward pass created."""

    def __init__(self, context: LayerContext) -> None:
        super().__init__(context)
        picture = context.picture
        self.marks = {
            at: drawn.order
            for at, drawn in enumerate(picture.nodes)
            if has_order_mark(drawn, picture.detail)
        }

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return order_mark(self.marks[card], self.box(card), measure)


class ProblemLayer(MarkLayer[str]):
    """Marks on the cards of nodes with problems: a sign and a word, beside that of their order."""

    def __init__(self, context: LayerContext, orders: dict[int, int]) -> None:
        super().__init__(context)
        self._orders = orders
        nodes = enumerate(context.picture.nodes)
        self.marks = {at: node.problem for at, node in nodes if node.problem}

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        word, order, box = self.marks[card], self._orders.get(card, 0), self.box(card)
        colors = problem_colors(word)
        return problem_mark(word, colors, box, measure, order=order, brief=self._brief)

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The sign alone, as large as at any scale."""
        corner = self.box(at).x, self.box(at).y
        return problem_sign(corner, min(FAR / scale, MOST_FAR), *problem_colors(self.marks[at]))


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSign:
    """Memory that the tensors of a card share with others.

    Attributes:
        text: Letters of the memory.
        storages: Numbers of the storages.
        tip: Sentences on which tensors share it.
    """

    text: str
    storages: frozenset[int]
    tip: str


class StorageLayer(MarkLayer[StorageSign]):
    """Marks with the same letters as in the inspector, so that views and aliases are visible."""

    _highlighted: int | None = None

    def _is_highlighted(self, card: int) -> bool:
        return self._highlighted in self.marks[card].storages

    def show(self, marks: dict[int, StorageSign]) -> None:
        """Replace all marks; brief cards have no room for them."""
        super().show({} if self._brief else marks)

    def highlight(self, storage: int | None) -> None:
        """Highlight the marks of one storage, or of none."""
        self._highlighted = storage
        self._context.update()

    def items(self, exposed: QRectF) -> Iterable[int]:
        """The marked cards; highlighted marks come last, above the others."""
        return sorted(super().items(exposed), key=self._is_highlighted)

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return storage_mark(
            self.marks[card].text,
            self.box(card),
            measure,
            is_round=self._context.picture.nodes[card].kind == "output",
            is_highlighted=self._is_highlighted(card),
        )


class DifferenceLayer(MarkLayer[str]):
    """Marks differences from the compared run: a sign and a word on cards, a sign on lines.

    Attributes:
        lines: Indices of the marked lines.
    """

    lines: tuple[int, ...] = ()

    def show_lines(self, lines: tuple[int, ...]) -> None:
        """Mark these lines instead of those that were marked."""
        self.lines = lines
        self._context.update()

    def items(self, exposed: QRectF) -> Iterable[int]:
        """The marked lines, as negative numbers, and the visible cards with a mark."""
        return [*(-1 - line for line in self.lines), *super().items(exposed)]

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return difference_mark(self.marks[card], self.box(card), measure)

    def parts(self, at: int) -> Iterable[Part]:
        """The mark of a card, or of a line."""
        if at < 0:
            return difference_badge(self._middle_of(-1 - at), DIFFERENCE_HEIGHT)
        return super().parts(at)

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """A sign as large as at any scale."""
        box = self.box(max(at, 0))
        middle = self._middle_of(-1 - at) if at < 0 else (box.right, box.bottom)
        return difference_badge(middle, min(FAR / scale, MOST_FAR))

    def _middle_of(self, line: int) -> Point:
        """Return a point on a line, clear of its label and near the gradient's source."""
        points = self._context.picture.curves[line].points
        # Only the first segment counts, and it is a smaller part of a line with several.
        at = 0.3 if len(points) == 4 else 0.6
        (x, y), *_ = cubic(points[:4], np.array([at])).tolist()
        return x, y


class BreakpointLayer(MarkLayer[bool]):
    """Marks on the cards whose nodes have a breakpoint; a ring if it is disabled."""

    _least_scale = math.inf

    def mark(self, card: int) -> Mark:
        """The mark of a card at 100%."""
        return breakpoint_mark(self.box(card))

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The mark, at least a few pixels large."""
        radius = max(BREAKPOINT_RADIUS, min(_FAR_RADIUS / scale, _MOST_RADIUS))
        return breakpoint_mark(self.box(at), radius, enabled=self.marks[at]).parts
