"""Paints the cards of a call that types override, and the arrows between them."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from gradviz.model.palette import Role
from gradviz.viewer.canvas.dispatch_cards import Look
from gradviz.viewer.canvas.dispatch_plan import PADDING, SPACING, Box, Plan
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.thumbnail import paint_thumbnail

_COLOURS: dict[Look, tuple[Role, Role, Role]] = {
    "call": ("builtin_fill", "builtin_border", "builtin_text"),
    "answer": ("custom_fill", "custom_border", "custom_text"),
    "passed": ("raised", "border_strong", "text"),
    "waiting": ("canvas", "border", "text_muted"),
    "result": ("output_fill", "output_border", "output_text"),
    "failed": ("failing_fill", "failing_border", "failing_text"),
}
"""Fill, border and text color."""

_RADIUS = 8


def paint_plan(painter: QPainter, plan: Plan) -> None:
    """Paint all cards and arrows of a plan.

    Args:
        painter: Antialiased.
        plan: Their layout.
    """
    theme = plan.theme
    for box in plan.boxes:
        _paint_box(painter, box, theme)
    for line, text in plan.arrows:
        _paint_arrow(painter, line, text, theme)


def _paint_box(painter: QPainter, box: Box, theme: Theme) -> None:
    ground, border, text = _COLOURS[box.look]
    style = Qt.PenStyle.DashLine if box.look == "waiting" else Qt.PenStyle.SolidLine
    painter.setPen(QPen(theme.colour(border), 2.2 if box.look == "answer" else 1.4, style))
    painter.setBrush(theme.colour(ground))
    painter.drawRoundedRect(box.rect, _RADIUS, _RADIUS)
    y = box.rect.top() + theme.px(PADDING)
    for block in box.blocks:
        x = box.rect.center().x() - block.size.width() / 2
        rect = QRectF(QPointF(x, y), block.size)
        if block.value is not None:
            paint_thumbnail(painter, rect, block.value, theme)
        else:
            painter.setPen(theme.colour("text_muted" if block.muted else text))
            painter.setFont(block.font)
            painter.drawText(rect, int(block.wrap | Qt.AlignmentFlag.AlignHCenter), block.text)
        y += block.size.height() + SPACING


def _paint_arrow(painter: QPainter, line: QLineF, text: str, theme: Theme) -> None:
    colour, head, gap = theme.colour("border_strong"), float(theme.px(5)), 6.0
    along = QPointF(line.dx(), line.dy()) / max(1.0, line.length())
    across = QPointF(-along.y(), along.x())
    tip = line.p2() - along * gap
    neck = tip - along * (1.6 * head)
    painter.setPen(QPen(colour, 1.6))
    painter.drawLine(QLineF(line.p1() + along * gap, neck))
    painter.setBrush(colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPolygon(QPolygonF((tip, neck + across * head, neck - across * head)))
    painter.setPen(theme.colour("text_muted"))
    painter.setFont(theme.font(SMALL_PIXELS))
    if line.dx() > line.dy():
        above = QRectF(line.x1() + 2, line.y1() - 108, line.length() - 4, 100)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        painter.drawText(above, int(Qt.TextFlag.TextWordWrap | middle), text)
    else:
        beside = QRectF(line.x1() + 14, line.y1(), 600, line.length())
        painter.drawText(beside, int(Qt.AlignmentFlag.AlignVCenter), text)
