"""Lays out the cards of a call that types override, stacked or side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QLineF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF

from gradviz.drawing.cells.thumbnail import NUMBER_SIZE
from gradviz.model.tensor import TensorValue
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCard, DispatchCards
from gradviz.viewer.tensor_view.small.thumbnail import thumbnail_size
from gradviz.viewer.theme.theme import SMALL_PIXELS, TITLE_PIXELS, UI_PIXELS, Theme

ValueOf = Callable[[int], TensorValue | None]

SPACING = 4

_PADDING = 14
"""Padding inside a card, at scale 1."""

_TIGHT = 0.5
"""Share of the paddings and gaps that is left where the cards would not fit otherwise."""

_GAP, _DOWN, _ACROSS = 16, 48, 80
_LESS = 0.15
_WIDEST = 460.0
_THUMBNAIL = QSizeF(220, 110)


@dataclass(frozen=True, slots=True)
class CardBlock:
    """One measured line of a card: text, or the elements of a tensor."""

    size: QSizeF
    text: str
    font: QFont
    muted: bool
    wrap: Qt.TextFlag = Qt.TextFlag.TextWordWrap
    value: TensorValue | None = None


@dataclass(frozen=True, slots=True)
class CardBox:
    """A card with its rectangle."""

    rect: QRectF
    look: CardRole
    blocks: tuple[CardBlock, ...]


@dataclass(frozen=True, slots=True)
class DispatchLayout:
    """The layout of all cards.

    Attributes:
        size: Space that they need.
        boxes: The cards.
        arrows: Arrows from one row to the next, with their texts.
        theme: The theme, with the font scale that was chosen.
    """

    size: QSizeF
    boxes: tuple[CardBox, ...]
    arrows: tuple[tuple[QLineF, str], ...]
    theme: Theme

    @property
    def breaks_words(self) -> bool:
        """Whether any word had to be broken."""
        blocks = (block for box in self.boxes for block in box.blocks)
        return any(block.wrap is Qt.TextFlag.TextWrapAnywhere for block in blocks)


def cell_scale(theme: Theme) -> float:
    """Scale of elements at which their numbers are as large as small type."""
    return theme.px(SMALL_PIXELS) / NUMBER_SIZE


class DispatchLayouter:
    """Computes layouts with the fonts of one theme."""

    def __init__(self, theme: Theme, value_of: ValueOf, *, tight: bool = False) -> None:
        """Create a layouter.

        Args:
            theme: Fonts and colors.
            value_of: Returns the elements of a tensor by number.
            tight: Whether paddings and gaps are small.
        """
        self._theme = theme
        self._value_of = value_of
        self._tight = tight

    def _px(self, length: float) -> float:
        """Padding or gap in pixels."""
        return self._theme.px(length) * (_TIGHT if self._tight else 1.0)

    def plan(self, cards: DispatchCards, space: QSizeF) -> DispatchLayout:
        """Stack the cards; put them side by side if only that fits into the room.

        Gaps are reduced before a large font is, and the font before a word is broken.
        """
        below, side_by_side = self._below(cards, space), self._side_by_side(cards, space)
        if below.size.height() <= space.height():
            return below
        fits = side_by_side.size.height() <= space.height()
        if self._theme.scale > 1 and (not fits or side_by_side.breaks_words):
            less = _LESS if self._tight else 0.0
            smaller = replace(self._theme, scale=max(1.0, self._theme.scale - less))
            return DispatchLayouter(smaller, self._value_of, tight=True).plan(cards, space)
        return side_by_side if fits else below

    def _below(self, cards: DispatchCards, space: QSizeF) -> DispatchLayout:
        gap, arrow = self._px(_GAP), self._px(_DOWN)
        rows = [
            self._measured(row, (space.width() - gap * (len(row) + 1)) / len(row))
            for row in ((cards.call,), cards.types, (cards.result,))
        ]
        heights = [max(self._size(blocks).height() for _, blocks in row) for row in rows]
        needed = sum(heights) + 2 * arrow + 2 * gap
        top, middle = gap + max(0.0, (space.height() - needed) / 2), space.width() / 2
        boxes: list[CardBox] = []
        arrows: list[tuple[QLineF, str]] = []
        for row, height, text in zip(rows, heights, (cards.asks, cards.gives, ""), strict=True):
            widths = [self._size(blocks).width() for _, blocks in row]
            left = middle - (sum(widths) + gap * (len(widths) - 1)) / 2
            for (look, blocks), width in zip(row, widths, strict=True):
                boxes.append(CardBox(QRectF(left, top, width, height), look, blocks))
                left += width + gap
            top += height
            arrows.append((QLineF(middle, top, middle, top + arrow), text))
            top += arrow
        return DispatchLayout(
            QSizeF(space.width(), needed), tuple(boxes), tuple(arrows[:2]), self._theme
        )

    def _side_by_side(self, cards: DispatchCards, space: QSizeF) -> DispatchLayout:
        gap, arrow = self._px(_GAP), float(self._theme.px(_ACROSS))
        widest = (space.width() - 2 * arrow - 2 * gap) / 3
        columns = [
            self._measured(column, widest)
            for column in ((cards.call,), cards.types, (cards.result,))
        ]
        sizes = [[self._size(blocks) for _, blocks in column] for column in columns]
        widths = [max(size.width() for size in column) for column in sizes]
        heights = [sum(s.height() for s in column) + gap * (len(column) - 1) for column in sizes]
        left = gap + max(0.0, (space.width() - sum(widths) - 2 * arrow - 2 * gap) / 2)
        needed = max(heights) + 2 * gap
        middle = max(needed, space.height()) / 2
        boxes: list[CardBox] = []
        arrows: list[tuple[QLineF, str]] = []
        texts = (cards.asks, cards.gives, "")
        for at, text in enumerate(texts):
            top = middle - heights[at] / 2
            for (look, blocks), size in zip(columns[at], sizes[at], strict=True):
                boxes.append(CardBox(QRectF(left, top, widths[at], size.height()), look, blocks))
                top += size.height() + gap
            left += widths[at]
            arrows.append((QLineF(left, middle, left + arrow, middle), text))
            left += arrow
        return DispatchLayout(
            QSizeF(space.width(), needed), tuple(boxes), tuple(arrows[:2]), self._theme
        )

    def _measured(
        self, cards: tuple[DispatchCard, ...], widest: float
    ) -> list[tuple[CardRole, tuple[CardBlock, ...]]]:
        most = min(float(self._theme.px(_WIDEST)), max(60.0, widest))
        return [(card.look, self._blocks(card, most)) for card in cards]

    def _blocks(self, card: DispatchCard, widest: float) -> tuple[CardBlock, ...]:
        space = widest - 2 * self._px(_PADDING)
        title = self._theme.font(TITLE_PIXELS, bold=True)
        blocks = [_text(card.title, title, space, muted=False)]
        for line in card.lines:
            font = self._theme.font(SMALL_PIXELS if line.muted else UI_PIXELS)
            if line.text:
                blocks.append(_text(line.text, font, space, muted=line.muted))
            value = None if line.tensor is None else self._value_of(line.tensor)
            if value is not None:
                scale = cell_scale(self._theme)
                most = QSizeF(min(space / scale, _THUMBNAIL.width()), _THUMBNAIL.height())
                size = thumbnail_size(value, most) * scale
                blocks.append(CardBlock(size, "", font, line.muted, value=value))
        return tuple(blocks)

    def _size(self, blocks: tuple[CardBlock, ...]) -> QSizeF:
        padding = 2 * self._px(_PADDING)
        high = sum(block.size.height() for block in blocks) + SPACING * (len(blocks) - 1)
        return QSizeF(max(block.size.width() for block in blocks) + padding, high + padding)


def _text(text: str, font: QFont, space: float, *, muted: bool) -> CardBlock:
    metrics, wrap = QFontMetricsF(font), Qt.TextFlag.TextWordWrap
    box = metrics.boundingRect(QRectF(0, 0, space, 1e4), wrap, text)
    # Word wrap never breaks inside a word, so a long name would stick out of its card.
    if box.width() > space:
        wrap = Qt.TextFlag.TextWrapAnywhere
        box = metrics.boundingRect(QRectF(0, 0, space, 1e4), wrap, text)
    return CardBlock(QSizeF(box.width() + 1, box.height()), text, font, muted, wrap)
