"""The few separate items around cards: hovered, selected, current, and found by a search."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.display.cards import HALO, Highlight, highlight_shapes
from gradviz.drawing.display.parts import Part
from gradviz.drawing.geometry.box_geometry import SHAPES, BoxShape
from gradviz.viewer.canvas.layers.layer import REACH, GraphLayer, PartsLayer
from gradviz.viewer.canvas.layers.part_painter import PartPainter, rect_of
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

_HIT_REACH = 420.0
_LEAST_HALO = 7.0
"""Minimum width in pixels, so that the current step stays visible when zoomed out."""


class SearchHitLayer(PartsLayer):
    """Draws the bands of a picture's search matches."""

    _least_scale = _LEAST_HALO / HALO

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, _HIT_REACH, theme)
        self._picture = picture
        self._hits: frozenset[int] = frozenset()

    def set_hits(self, hits: frozenset[int]) -> None:
        """Highlight other cards."""
        self._hits = hits
        self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """All matches, at every scale."""
        return self._hits

    def parts(self, at: int) -> Iterable[Part]:
        """The band of a card."""
        return self.far_parts(at, self._least_scale)

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The band of a card, at least a few pixels wide."""
        shape, grown = SHAPES[self._picture.nodes[at].kind], self._least_scale / scale
        return highlight_shapes("hit", shape, self.box(at), grown)


class CardOutline(QGraphicsItem):
    """Outline of one card: thin if hovered, bold if selected, a ring and halo if current."""

    def __init__(self, highlight: Highlight, theme: Theme) -> None:
        super().__init__()
        self._highlight = highlight
        self._theme = theme
        self._box = QRectF()
        self._shape: BoxShape = "rounded"
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def set_failing(self, failing: bool) -> None:
        """Set whether the current step fails."""
        highlight: Highlight = "failing" if failing else "now"
        if highlight != self._highlight:
            self._highlight = highlight
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
        box = rect_of(self._box)
        shapes = highlight_shapes(self._highlight, self._shape, box, grown)
        PartPainter(self._theme).paint(painter, shapes)
