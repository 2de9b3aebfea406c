"""The picture of a call that types override, for runs that have such calls but no graph."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.drawing.appearance.color_map import value_limits
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.display.parts import Pen, RoundedRect, Shape, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.model.item import Item
from gradviz.model.step import DispatchStep
from gradviz.model.tensor import TensorValue, is_integral
from gradviz.story.blocks import (
    Block,
    column,
    fitted,
    paragraph,
    row,
    text_block,
    text_width,
    within,
    wrapped,
)
from gradviz.story.frame import LEAST_TEXT, Drawn, Frame, at
from gradviz.story.values import ShownValue, value_block
from gradviz.text.narration import describe_step
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCard, DispatchCards, cards_of
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS

ValueOf = Callable[[int], TensorValue | None]

_TITLE, _TEXT = 28.0, 22.0
_PAD, _GAP, _WIDEST = 22.0, 24.0, 760.0
_DOWN, _ACROSS, _HEAD = 72.0, 150.0, 9.0
"""Length of an arrow down and to the right, and half the width of its head."""

_VALUE, _MOST_HIGH = 0.6, 200.0
"""Scale of the elements of a tensor, and their height at most."""

_COLORS: dict[CardRole, tuple[PaletteRole, PaletteRole, PaletteRole]] = {
    "call": ("builtin_fill", "builtin_border", "builtin_text"),
    "answer": ("custom_fill", "custom_border", "custom_text"),
    "passed": ("raised", "border_strong", "text"),
    "waiting": ("canvas", "border", "text_muted"),
    "result": ("output_fill", "output_border", "output_text"),
    "failed": ("failing_fill", "failing_border", "failing_text"),
}
"""Fill, border and text color."""

_MUTED: PaletteRole = "text_muted"


def dispatch_block(cards: DispatchCards, value_of: ValueOf, room: tuple[float, float]) -> Block:
    """Draw cards below each other, or beside each other if they are larger there.

    Args:
        cards: The cards.
        value_of: Returns the elements of a tensor by number.
        room: Width and height of the room, in units of a slide.
    """
    parts = ((cards.call,), cards.types, (cards.result,))
    lines = chain.from_iterable(card.lines for card in chain.from_iterable(parts))
    values = {each.tensor: value_of(each.tensor) for each in lines if each.tensor is not None}

    def drawn(cards: tuple[DispatchCard, ...], most: float, number: int) -> list[Block]:
        keys = (f"dispatch:{number}:{place}" for place in range(len(cards)))
        return [_card(card, values, most, key) for card, key in zip(cards, keys, strict=True)]

    rows, columns = [], []
    for number, each in enumerate(parts):
        rows.append(wrapped(drawn(each, room[0] / len(each) - _GAP, number), _GAP, room))
        columns.append(column(drawn(each, room[0] / 3 - _ACROSS, number), _GAP))
    downward = _down(cards.asks), _down(cards.gives)
    across = _right(cards.asks), _right(cards.gives)
    return max(
        column((rows[0], downward[0], rows[1], downward[1], rows[2]), _HEAD),
        row((columns[0], across[0], columns[1], across[1], columns[2]), _HEAD),
        key=lambda each: min(room[0] / each.width, room[1] / each.height, 1.0),
    )


def _card(
    card: DispatchCard, values: dict[int, TensorValue | None], most: float, key: str
) -> Block:
    ground, border, ink = _COLORS[card.look]
    # A long name makes its card wider, and all cards smaller, but is not broken.
    words = [text_width(word, _TITLE, "title") for word in card.title.split()]
    words += [text_width(word, _TEXT) for line in card.lines for word in line.text.split()]
    space = min(max(most - 2 * _PAD, *words, 0.0), _WIDEST)
    limits = value_limits(values.values())
    blocks = [paragraph(card.title, space, _TITLE, key=f"{key}:0", style="title", ink=ink)]
    for number, line in enumerate(card.lines, 1):
        size, role = (LEAST_TEXT, _MUTED) if line.muted else (_TEXT, ink)
        if line.text:
            blocks.append(paragraph(line.text, space, size, key=f"{key}:{number}", ink=role))
        value = None if line.tensor is None else values[line.tensor]
        if value is not None:
            item = Item(name="", kind="tensor", tensor=line.tensor)
            limit = limits[is_integral(value.dtype)]
            shown = ShownValue(item=item, shape="", value=value, ink="border", limit=limit)
            cells = value_block(shown)
            wide = min(space, cells.width * _VALUE)
            blocks.append(within(cells, Rect(x=0, y=0, width=wide, height=_MOST_HIGH)))
    inside = column(blocks, 6)
    frame = Rect(x=0, y=0, width=inside.width + 2 * _PAD, height=inside.height + 2 * _PAD)
    # Dashes and width repeat what the colors say, so that color is not the only sign.
    dash = (8.0, 6.0) if card.look == "waiting" else None
    pen = Pen(border, 3.6 if card.look == "answer" else 2.2, dash)
    box = Drawn(key=key, parts=(Shape(RoundedRect(frame, 12), ground, pen),))
    return Block(
        width=frame.width,
        height=frame.height,
        drawn=(box, *at((_PAD, _PAD), inside.drawn)),
        middle=frame.height / 2,
    )


def _down(text: str) -> Block:
    said = text_block(text, LEAST_TEXT, key="dispatch:says", ink=_MUTED)
    middle = said.width + 2 * _HEAD
    drawn = at((middle + 2 * _HEAD, _DOWN / 2 - said.middle), said.drawn)
    arrow = _arrow((middle, 0), (middle, _DOWN))
    return Block(width=2 * middle, height=_DOWN, drawn=(arrow, *drawn), middle=_DOWN / 2)


def _right(text: str) -> Block:
    said = paragraph(text, _ACROSS, LEAST_TEXT, key="dispatch:says", ink=_MUTED)
    arrow = Block(
        width=_ACROSS, height=2 * _HEAD, drawn=(_arrow((0, _HEAD), (_ACROSS, _HEAD)),), middle=_HEAD
    )
    both = column((said, arrow), _HEAD)
    return Block(width=both.width, height=both.height, drawn=both.drawn, middle=both.height - _HEAD)


def _arrow(start: Point, tip: Point) -> Drawn:
    """An arrow down or to the right."""
    (x, y), neck = tip, 1.6 * _HEAD
    is_down = start[0] == x
    base = (x, y - neck) if is_down else (x - neck, y)
    sides = [(x + each, y - neck) if is_down else (x - neck, y + each) for each in (_HEAD, -_HEAD)]
    line = Shape(polyline(start, base), pen=Pen("border_strong", 2.4))
    head = Shape(polyline(tip, *sides, closed=True), "border_strong")
    return Drawn(key="dispatch:arrow", parts=(line, head))


class DispatchView(QScrollArea):
    """Shows the call of the current step, or a hint if the step has none.

    Attributes:
        cards: Cards that are shown; None if the step has no such call.
        picture: The view of the cards, as high as they need.
    """

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.cards: DispatchCards | None = None
        self.picture = FrameView(state.theme, state.preferences)
        self.setWidget(self.picture)
        # The picture always has the viewport's width; only its minimum height makes it scroll.
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Picture of the call"))
        state.trace_changed.connect(self.refresh)
        state.place_changed.connect(self.refresh)
        state.theme_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the current step."""
        index, step = self._state.index, None
        if index is not None:
            step = step_at(index, self._state.number)
        self.cards, description = None, self.tr("This step calls no __torch_function__.")
        if index is not None and isinstance(step, DispatchStep):
            self.cards, description = cards_of(index, step), describe_step(index, step)
        self.setAccessibleDescription(description)
        self._draw()

    def _draw(self) -> None:
        """Draw the cards for the size of the view; large type gets smaller before they scroll."""
        scale = self._state.theme.px(SMALL_PIXELS) / LEAST_TEXT
        width, height = self.viewport().width() / scale, self.viewport().height() / scale
        said = self.accessibleDescription()
        block = text_block(said, _TEXT, key="dispatch:hint", ink=_MUTED)
        if self.cards is not None:
            block = dispatch_block(self.cards, self._state.value, (width - _GAP, height - _GAP))
        least = SMALL_PIXELS / LEAST_TEXT / scale
        share = min(1.0, width / block.width, max(least, height / block.height))
        needed = max(height, block.height * share)
        self.picture.setMinimumHeight(round(needed * scale) if needed > height else 0)
        place = Rect(x=0, y=0, width=width, height=needed)
        ground = Drawn(key="dispatch:ground", parts=(Shape(RoundedRect(place), "canvas"),))
        drawn = (ground, *fitted(block, place.grown(-_GAP / 2)))
        self.picture.show_frame(Frame(width=width, height=needed, drawn=drawn, spoken=said))
        # The view around it has the focus, and scrolls.
        self.picture.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the cards for the new size."""
        super().resizeEvent(event)
        self._draw()
