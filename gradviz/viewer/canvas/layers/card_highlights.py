"""The few separate items around cards: hovered, selected, and current."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.display.outlines import outline_around
from gradviz.drawing.geometry.box_geometry import SHAPES, BoxShape
from gradviz.viewer.canvas.layers.layer import REACH, GraphLayer
from gradviz.viewer.canvas.layers.part_painter import qt_path, rect_of
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

HIT = 6.0
"""Width of a band, in scene units."""

_LEAST_HIT = 4.2
"""Minimum width in pixels, so that matches stay visible when zoomed out."""

_HIT_REACH = 420.0


class SearchHitLayer(GraphLayer):
    """Draws the bands of a picture's search matches."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, _HIT_REACH, theme)
        self._picture = picture
        self._hits: frozenset[int] = frozenset()

    def set_hits(self, hits: frozenset[int]) -> None:
        """Highlight other cards."""
        self._hits = hits
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw all bands, at every scale."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        grown = max(1.0, _LEAST_HIT / HIT / self.scale_of(painter))
        for at in self._hits:
            shape = SHAPES[self._picture.nodes[at].kind]
            paint_hit(painter, self._theme, shape, QRectF(*self._boxes[at].tolist()), grown)


def path_around(shape: BoxShape, box: QRectF, out: float) -> QPainterPath:
    """Path around a card at a distance from its outline."""
    return qt_path(outline_around(shape, rect_of(box), out))


def paint_hit(
    painter: QPainter, theme: Theme, shape: BoxShape, box: QRectF, grown: float = 1.0
) -> None:
    """Paint the band around one card."""
    painter.setPen(QPen(theme.color("text"), 1.2 * grown))
    painter.setBrush(theme.color("search_hit"))
    painter.drawPath(path_around(shape, box, HIT * grown))


HighlightKind = Literal["hovered", "selected", "now"]

OUTSIDE: dict[HighlightKind, float] = {"hovered": 2.6, "selected": 8.0, "now": 4.6}
"""Distance of the outline from a card's border, in scene units."""

HALO = 10.0
"""Width of the current step's halo, in scene units."""

_LEAST_HALO = 7.0
"""Minimum width in pixels, so that the current step stays visible when zoomed out."""

_HALO_ALPHA = 0.2


def pen_of(theme: Theme, mark: HighlightKind, *, failing: bool = False) -> QPen:
    """Pen of an outline; a failing step has another color than other current steps."""
    # The widths differ as well, so that color is not the only sign.
    if mark == "hovered":
        return QPen(theme.color("border_strong"), 1.4)
    if mark == "selected":
        return QPen(theme.color("focus"), 2.2)
    return QPen(theme.color("error" if failing else "status_now"), 2.2)


def paint_outline(
    painter: QPainter,
    mark: HighlightKind,
    pen: QPen,
    shape: BoxShape,
    box: QRectF,
    grown: float = 1.0,
) -> None:
    """Paint an outline around a card, with a halo for the current step.

    Args:
        painter: Antialiased.
        mark: Meaning of the outline.
        pen: From `pen_of`.
        shape: Shape of the card.
        box: Rectangle of the card.
        grown: Factor on widths and distances, for zoomed-out views.
    """
    if mark == "now":
        halo = QColor(pen.color())
        halo.setAlphaF(_HALO_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(halo)
        painter.drawPath(path_around(shape, box, HALO * grown))
    line = QPen(pen)
    line.setWidthF(pen.widthF() * grown)
    painter.setPen(line)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path_around(shape, box, OUTSIDE[mark] * grown))


class CardOutline(QGraphicsItem):
    """Outline of one card: thin if hovered, bold if selected, a ring and halo if current."""

    def __init__(self, mark: HighlightKind, theme: Theme) -> None:
        super().__init__()
        self._mark = mark
        self._theme = theme
        self._failing = False
        self._box = QRectF()
        self._shape: BoxShape = "rounded"
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def set_failing(self, failing: bool) -> None:
        """Set whether the step fails, which has another color than other current steps."""
        if failing != self._failing:
            self._failing = failing
            self.update()

    @property
    def box(self) -> QRectF:
        """Rectangle of the outlined card; empty while hidden."""
        return QRectF(self._box) if self.isVisible() else QRectF()

    def surround(self, box: QRectF | None, shape: BoxShape = "rounded") -> None:
        """Move around a box with a shape, or hide."""
        self.setVisible(box is not None)
        if box is not None and (box, shape) != (self._box, self._shape):
            # Qt must know before the bounds change, or its index keeps the old ones.
            self.prepareGeometryChange()
            self._box, self._shape = QRectF(box), shape
            self.update()

    def boundingRect(self) -> QRectF:
        """The card with enough margin for its halo at any scale."""
        return self._box.adjusted(-REACH, -REACH, REACH, REACH)

    def shape(self) -> QPainterPath:
        """Empty, so that it is never hit."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the outline, at least a few pixels wide."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Lines keep a visible width when zoomed out.
        grown = max(1.0, _LEAST_HALO / HALO / GraphLayer.scale_of(painter))
        pen = pen_of(self._theme, self._mark, failing=self._failing)
        paint_outline(painter, self._mark, pen, self._shape, self._box, grown)
