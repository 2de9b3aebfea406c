"""Paints the parts of a drawing with Qt, in the colors of a theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

from gradviz.drawing.appearance.palette import LEAST_SIGN, LEAST_TEXT, PaletteRole, faded, mixed
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.drawing.display.cards import kind_role
from gradviz.drawing.display.parts import (
    Outline,
    Part,
    Pen,
    RoundedRect,
    Shape,
    TensorCells,
    TextRun,
)
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.canvas.layers.graph_text import TextCache
from gradviz.viewer.tensor_view.cell_painter import qt_rect
from gradviz.viewer.theme.theme import Theme

PaintTensor = Callable[[QPainter, QRectF, int], None]
"""Function that paints the elements of a tensor of the trace into a rectangle."""

_FADED_FILL = 0.7
_MOST_PENS = 1000
_FILLS = frozenset(kind_role(kind, "fill") for kind in SHAPES)
_GROUNDS: dict[PaletteRole, PaletteRole] = {
    "edge_label": "edge_label_fill",
    **{kind_role(kind, "text"): kind_role(kind, "fill") for kind in SHAPES},
}
"""What each text is written on."""

_KEPT = ("canvas", "edge_label_fill")
"""Backgrounds, which stay as they are."""


class PartPainter:
    """Colors, pens and texts of one theme, created once.

    Args:
        theme: The theme.
        dimmed: Whether colors fade toward their background but stay legible.
    """

    def __init__(self, theme: Theme, *, dimmed: bool = False) -> None:
        self._theme, self._dimmed = theme, dimmed
        self._colors: dict[PaletteRole, QColor] = {}
        self._pens: dict[Pen, QPen] = {}
        self._texts: dict[TextStyle, TextCache] = {}

    def color(self, role: PaletteRole) -> QColor:
        """Color of a role."""
        if role not in self._colors:
            own = self._theme.color(role)
            self._colors[role] = self._faded(role, own) if self._dimmed else own
        return self._colors[role]

    def _faded(self, role: PaletteRole, own: QColor) -> QColor:
        if role in _KEPT:
            return own
        if role in _FILLS:
            return QColor(mixed(own.name(), self._theme.color("canvas").name(), _FADED_FILL))
        if role in _GROUNDS:
            return QColor(faded(own.name(), self.color(_GROUNDS[role]).name(), LEAST_TEXT))
        # Visible even inside nested frames.
        ground = self._theme.color("frame_inner")
        return QColor(faded(own.name(), ground.name(), LEAST_SIGN))

    def pen(self, pen: Pen | None) -> QPen:
        """Qt's pen for one of a drawing."""
        if pen is None:
            return QPen(Qt.PenStyle.NoPen)
        if pen not in self._pens:
            # Signs of constant size on the screen have another pen at each scale.
            if len(self._pens) >= _MOST_PENS:
                self._pens.clear()
            made = self._pens[pen] = QPen(self.color(pen.ink), pen.width)
            # Qt's defaults, a bevel and square caps, would blunt corners and lengthen dashes.
            made.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            caps = Qt.PenCapStyle
            made.setCapStyle(caps.RoundCap if pen.is_round else caps.FlatCap)
            if pen.dash is not None:
                # It counts in widths of the pen.
                made.setDashPattern([length / pen.width for length in pen.dash])
        return self._pens[pen]

    def paint(
        self,
        painter: QPainter,
        parts: Iterable[Part],
        paint_tensor: PaintTensor | None = None,
    ) -> None:
        """Paint parts in their order; cells need a function that paints elements."""
        style = None
        for part in parts:
            if isinstance(part, Shape):
                self.shape(painter, part)
            elif isinstance(part, TensorCells):
                assert paint_tensor is not None
                paint_tensor(painter, qt_rect(part.rect), part.tensor)
            else:
                if part.style != style:
                    style = part.style
                    self.begin(painter, style)
                self.text(painter, part)

    def shape(self, painter: QPainter, shape: Shape) -> None:
        """Paint a shape."""
        before = painter.opacity()
        if shape.opacity < 1:
            painter.setOpacity(before * shape.opacity)
        painter.setPen(self.pen(shape.pen))
        fill = shape.fill
        painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else QBrush(self.color(fill)))
        outline = shape.outline
        if isinstance(outline, RoundedRect):
            painter.drawRoundedRect(qt_rect(outline.rect), outline.radius, outline.radius)
        else:
            painter.drawPath(qt_path(outline))
        painter.setOpacity(before)

    def begin(self, painter: QPainter, style: TextStyle) -> None:
        """Set the painter's font, once for many texts in a style."""
        if style not in self._texts:
            self._texts[style] = TextCache(style)
        self._texts[style].begin(painter)

    def text(self, painter: QPainter, run: TextRun) -> None:
        """Paint a line of text in the style that was begun."""
        painter.setPen(self.color(run.ink))
        self._texts[run.style].draw(painter, run.x, run.baseline, run.text)


def qt_path(outline: RoundedRect | Outline) -> QPainterPath:
    """Qt's path for an outline."""
    path = QPainterPath()
    if isinstance(outline, RoundedRect):
        path.addRoundedRect(qt_rect(outline.rect), outline.radius, outline.radius)
        return path
    for letter, points in outline.commands:
        places = [QPointF(x, y) for x, y in points]
        match letter:
            case "M":
                path.moveTo(*places)
            case "L":
                path.lineTo(*places)
            case "Q":
                path.quadTo(*places)
            case "C":
                path.cubicTo(*places)
            case _:
                path.closeSubpath()
    return path
