"""The picture of a call that types override, for runs that have such calls but no graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE
from gradviz.model.step import DispatchStep
from gradviz.model.tensor import TensorValue
from gradviz.text.narration import describe_step
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCard, DispatchCards, cards_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail, thumbnail_size
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


_COLORS: dict[CardRole, tuple[PaletteRole, PaletteRole, PaletteRole]] = {
    "call": ("builtin_fill", "builtin_border", "builtin_text"),
    "answer": ("custom_fill", "custom_border", "custom_text"),
    "passed": ("raised", "border_strong", "text"),
    "waiting": ("canvas", "border", "text_muted"),
    "result": ("output_fill", "output_border", "output_text"),
    "failed": ("failing_fill", "failing_border", "failing_text"),
}
"""Fill, border and text color."""

_RADIUS = 8


def paint_plan(painter: QPainter, plan: DispatchLayout) -> None:
    """Paint all cards and arrows of a plan."""
    theme = plan.theme
    blocks = (block.value for box in plan.boxes for block in box.blocks)
    limit = shared_color_limit(value.array() for value in blocks if value is not None)
    for box in plan.boxes:
        _paint_box(painter, box, theme, limit)
    for line, text in plan.arrows:
        _paint_arrow(painter, line, text, theme)


def _paint_box(painter: QPainter, box: CardBox, theme: Theme, limit: float) -> None:
    ground, border, text = _COLORS[box.look]
    # Dashes and width repeat what the colors say, so that color is not the only sign.
    style = Qt.PenStyle.DashLine if box.look == "waiting" else Qt.PenStyle.SolidLine
    painter.setPen(QPen(theme.color(border), 2.2 if box.look == "answer" else 1.4, style))
    painter.setBrush(theme.color(ground))
    painter.drawRoundedRect(box.rect, _RADIUS, _RADIUS)
    high = sum(block.size.height() for block in box.blocks) + SPACING * (len(box.blocks) - 1)
    y = box.rect.center().y() - high / 2
    for block in box.blocks:
        x = box.rect.center().x() - block.size.width() / 2
        rect = QRectF(QPointF(x, y), block.size)
        if block.value is not None:
            painter.save()
            painter.translate(rect.topLeft())
            scale = cell_scale(theme)
            painter.scale(scale, scale)
            place = QRectF(QPointF(), rect.size() / scale)
            paint_thumbnail(painter, place, block.value, theme, limit)
            painter.restore()
        else:
            painter.setPen(theme.color("text_muted" if block.muted else text))
            painter.setFont(block.font)
            painter.drawText(rect, int(block.wrap | Qt.AlignmentFlag.AlignHCenter), block.text)
        y += block.size.height() + SPACING


def _paint_arrow(painter: QPainter, line: QLineF, text: str, theme: Theme) -> None:
    color, head, gap = theme.color("border_strong"), float(theme.px(5)), 6.0
    along = QPointF(line.dx(), line.dy()) / max(1.0, line.length())
    across = QPointF(-along.y(), along.x())
    tip = line.p2() - along * gap
    neck = tip - along * (1.6 * head)
    painter.setPen(QPen(color, 1.6))
    painter.drawLine(QLineF(line.p1() + along * gap, neck))
    painter.setBrush(color)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPolygon(QPolygonF((tip, neck + across * head, neck - across * head)))
    painter.setPen(theme.color("text_muted"))
    painter.setFont(theme.font(SMALL_PIXELS))
    if line.dx() > line.dy():
        above = QRectF(line.x1() + 2, line.y1() - 108, line.length() - 4, 100)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        painter.drawText(above, int(Qt.TextFlag.TextWordWrap | middle), text)
    else:
        text_area = QRectF(line.x1() + 14, line.y1(), 600, line.length())
        painter.drawText(text_area, int(Qt.AlignmentFlag.AlignVCenter), text)


class DispatchView(QScrollArea):
    """Shows the call of the current step, or a hint if the step has none."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._sheet = _DispatchCanvas(state)
        self.setWidget(self._sheet)
        # The canvas always has the viewport's width; only its minimum height makes it scroll.
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Picture of the call"))
        state.trace_changed.connect(self.refresh)
        state.place_changed.connect(self.refresh)
        state.theme_changed.connect(self.refresh)
        self.refresh()

    @property
    def cards(self) -> DispatchCards | None:
        """Cards that are shown; None if the step has no such call."""
        return self._sheet.cards

    def refresh(self) -> None:
        """Show the current step."""
        index, step = self._state.index, None
        if index is not None:
            step = step_at(index, self._state.number)
        cards, description = None, self.tr("This step calls no __torch_function__.")
        if index is not None and isinstance(step, DispatchStep):
            cards, description = cards_of(index, step), describe_step(index, step)
        self.setAccessibleDescription(description)
        self._sheet.show_cards(cards)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the cards for the new size."""
        super().resizeEvent(event)
        self._sheet.fit(QSizeF(self.viewport().size()))


class _DispatchCanvas(QWidget):
    """The painted cards, at least as high as their layout."""

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self._state = state
        self._space = QSizeF()
        self.cards: DispatchCards | None = None

    def show_cards(self, cards: DispatchCards | None) -> None:
        """Show other cards, or the hint if None."""
        self.cards = cards
        self.fit(self._space)
        self.update()

    def fit(self, space: QSizeF) -> None:
        """Lay out for a viewport size, and grow as high as the cards need."""
        self._space = space
        plan = self._plan()
        self.setMinimumHeight(0 if plan is None else round(plan.size.height()))

    def _plan(self) -> DispatchLayout | None:
        if self.cards is None:
            return None
        return DispatchLayouter(self._state.theme, self._state.value).plan(self.cards, self._space)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards on the canvas background."""
        theme, plan = self._state.theme, self._plan()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        if plan is not None:
            paint_plan(painter, plan)
        else:
            painter.setPen(theme.color("text_muted"))
            painter.setFont(theme.font(UI_PIXELS))
            description = self.tr("This step calls no __torch_function__.")
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), description)
        painter.end()
