"""Layers of marks at the borders of cards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.display.cards import (
    ORDER_HEIGHT,
    order_mark,
    placed_text,
    problem_mark,
    problem_sign,
)
from gradviz.drawing.display.marks import (
    BREAKPOINT_OUT,
    BREAKPOINT_RADIUS,
    DIFFERENCE_HEIGHT,
    INSET,
    LOCATION_HEIGHT,
    LOCATION_PAD,
    STORAGE_HEIGHT,
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
from gradviz.viewer.canvas.layers.layer import PartsLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.tensor_view.cell_painter import qt_rect
from gradviz.viewer.theme.theme import Theme

FAR, MOST_FAR = 12.0, 60.0
"""Size of a sign when zoomed out: in pixels, and its maximum in scene units."""

_FAR_RADIUS, _MOST_RADIUS = 3.5, 24.0
"""The same for the radius of a breakpoint, which is never smaller."""


class GroupProgressLayer(PartsLayer):
    """Draws a line of text in the card of each closed group."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        self._cards = [
            at for at, face in enumerate(picture.faces) if face.group_progress is not None
        ]
        super().__init__(picture.boxes[np.array(self._cards, dtype=np.int64)], 0.0, theme)
        self._rooms = [picture.faces[at].group_progress for at in self._cards]
        self.texts: dict[int, str] = {}

    def set_texts(self, texts: dict[int, str]) -> None:
        """Replace the texts, by card index."""
        self.texts = texts
        self.update()

    def owner(self, at: int) -> int:
        """Index of the card on which a text stands."""
        return self._cards[at]

    def parts(self, at: int) -> Iterable[Part]:
        """The text of a card."""
        space, text = self._rooms[at], self.texts.get(self._cards[at], "")
        if space is not None and text:
            yield placed_text(space, self.box(at), "folded_text", text)


_CUT = "…"

_LETTER = 24.0
"""Space left free for the letter of shared memory."""


class MarkLayer(PartsLayer):
    """A layer of marks at the borders of cards."""

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        raise NotImplementedError

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark at 100%."""
        return qt_rect(self.mark(card).rect)

    def parts(self, at: int) -> Iterable[Part]:
        """Parts of a card's mark."""
        return self.mark(at).parts


class LocationLayer(MarkLayer):
    """The position inside the current node: a few words at the lower edge of its card."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, LOCATION_HEIGHT, theme)
        # Lines are close to brief cards; those of custom Functions have room for the mark instead.
        self._brief = picture.detail.brief
        self._kinds = [node.kind for node in picture.nodes]
        self.word: tuple[int, str] | None = None

    def show_place(self, card: int | None, words: tuple[str, ...] = ()) -> None:
        """Move the mark to another card.

        Args:
            card: Index of the card, or None.
            words: Path to the position, outermost first; only the last words that fit are shown.
                Without words there is no mark.
        """
        if card is not None and self._brief and self._kinds[card] != "custom":
            card = None
        self.word = (card, self._fitting(card, words)) if card is not None and words else None
        self.update()

    def _fitting(self, card: int, words: tuple[str, ...]) -> str:
        space = self.box(card).width - 2 * LOCATION_PAD
        if not self._brief:
            space -= 2 * INSET + _LETTER
        texts = [" · ".join(words[at:]) for at in range(len(words))]
        text = next((each for each in texts if measure(each, "mark")[0] <= space), texts[-1])
        while len(text) > 2 and measure(text, "mark")[0] > space:
            text = text.removesuffix(_CUT)[:-1] + _CUT
        return text

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """The marked card, if there is one."""
        return () if self.word is None else (self.word[0],)

    def mark(self, card: int) -> Mark:
        """The mark."""
        assert self.word is not None
        return location_mark(self.word[1], self.box(card), measure, brief=self._brief)


class OrderLayer(MarkLayer):
    """Marks like ``2nd`` on the nodes that a backward pass created."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, ORDER_HEIGHT, theme)
        self.orders = {
            at: drawn.order
            for at, drawn in enumerate(picture.nodes)
            if has_order_mark(drawn, picture.detail)
        }
        self.words = {at: short_order_text(order) for at, order in self.orders.items()}

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """The marked cards."""
        return [card for card in self.seen(option) if card in self.words] if self.words else ()

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return order_mark(self.orders[card], self.box(card), measure)


class ProblemLayer(MarkLayer):
    """Marks on the cards of nodes with problems: a sign and a word."""

    def __init__(self, picture: GraphPicture, orders: OrderLayer, theme: Theme) -> None:
        super().__init__(picture.boxes, MOST_FAR, theme)
        self._orders, self._brief = orders.orders, picture.detail.brief
        self.words = {at: node.problem for at, node in enumerate(picture.nodes) if node.problem}

    def set_words(self, words: dict[int, str]) -> None:
        """Replace all marks."""
        self.words = words
        self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """All marked cards, at every scale; there are few."""
        return self.words

    def mark(self, card: int) -> Mark:
        """The mark of a card, beside that of its order."""
        order, word = self._orders.get(card, 0), self.words[card]
        colors, box = problem_colors(word), self.box(card)
        return problem_mark(word, colors, box, measure, order=order, brief=self._brief)

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The sign alone, as large as at any scale."""
        box = self.box(at)
        return problem_sign(
            (box.x, box.y), min(FAR / scale, MOST_FAR), *problem_colors(self.words[at])
        )


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


class StorageLayer(MarkLayer):
    """Marks with the same letters as in the inspector, so that views and aliases are visible."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, STORAGE_HEIGHT, theme)
        self._round = {at for at, drawn in enumerate(picture.nodes) if drawn.kind == "output"}
        self._brief = picture.detail.brief
        self.signs: dict[int, StorageSign] = {}
        self._highlighted: int | None = None

    def _is_highlighted(self, card: int) -> bool:
        return self._highlighted in self.signs[card].storages

    def set_signs(self, signs: dict[int, StorageSign]) -> None:
        """Replace all marks."""
        # Brief cards have no room for marks.
        signs = {} if self._brief else signs
        if signs != self.signs:
            self.signs = signs
            self.update()

    def highlight(self, storage: int | None) -> None:
        """Highlight the marks of one storage, or of none."""
        if storage != self._highlighted:
            self._highlighted = storage
            self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """The marked cards; highlighted marks come last, above the others."""
        shown = [card for card in self.seen(option) if card in self.signs] if self.signs else []
        return sorted(shown, key=self._is_highlighted)

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return storage_mark(
            self.signs[card].text,
            self.box(card),
            measure,
            is_round=card in self._round,
            is_highlighted=self._is_highlighted(card),
        )


class DifferenceLayer(MarkLayer):
    """Marks differences from the compared run: a sign and a word on cards, a sign on lines.

    Attributes:
        words: Text of each mark by card index.
        lines: Indices of the marked lines.
    """

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, MOST_FAR, theme)
        self._curves = picture.curves
        self.words: dict[int, str] = {}
        self.lines: tuple[int, ...] = ()

    def set_marks(self, words: dict[int, str], lines: tuple[int, ...]) -> None:
        """Replace all marks."""
        self.words, self.lines = words, lines
        self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """All marked lines, as negative numbers, and cards, at every scale."""
        return [*(-1 - line for line in self.lines), *self.words]

    def mark(self, card: int) -> Mark:
        """The mark of a card."""
        return difference_mark(self.words[card], self.box(card), measure)

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
        points = self._curves[line].points
        start, first, second, end = points[:4]
        # Only the first segment counts, and it is a smaller part of a line with several.
        at = 0.3 if len(points) == 4 else 0.6
        rest = 1 - at
        x, y = (
            rest**3 * start + 3 * rest**2 * at * first + 3 * rest * at**2 * second + at**3 * end
        ).tolist()
        return x, y


class BreakpointLayer(MarkLayer):
    """Marks on the cards whose nodes have a breakpoint; a ring if it is disabled."""

    _least_scale = math.inf

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, _MOST_RADIUS + BREAKPOINT_OUT, theme)
        self.points: dict[int, bool] = {}

    def set_points(self, points: dict[int, bool]) -> None:
        """Replace all marks."""
        if points != self.points:
            self.points = points
            self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """All marked cards; there are few, so no culling is needed."""
        return self.points

    def mark(self, card: int) -> Mark:
        """The mark of a card at 100%."""
        return breakpoint_mark(self.box(card))

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The mark, at least a few pixels large."""
        radius = max(BREAKPOINT_RADIUS, min(_FAR_RADIUS / scale, _MOST_RADIUS))
        return breakpoint_mark(self.box(at), radius, enabled=self.points[at]).parts
