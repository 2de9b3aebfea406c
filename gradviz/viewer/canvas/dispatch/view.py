"""The picture of a call that types override, for runs that have such calls but no graph."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.drawing.appearance.color_map import shared_color_limit
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.step import DispatchStep
from gradviz.text.narration import describe_step
from gradviz.viewer.canvas.dispatch.card_layout import (
    SPACING,
    CardBox,
    DispatchLayout,
    DispatchLayouter,
    cell_scale,
)
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCards, cards_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.small.thumbnail import paint_thumbnail
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme

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
    """Paint all cards and arrows of a plan.

    Args:
        painter: Antialiased.
        plan: Their layout.
    """
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
        state.trace_changed.connect(self._on_state_trace_changed)
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

    @Slot()
    def _on_state_trace_changed(self) -> None:
        self.refresh()

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
