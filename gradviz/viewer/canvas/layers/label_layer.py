"""Labels of lines that have carried a gradient: its name, and its shape or elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.display.edges import label_parts
from gradviz.drawing.display.parts import Part, RoundedRect, Shape, TensorCells
from gradviz.viewer.canvas.layers.graph_text import measure, metrics_of
from gradviz.viewer.canvas.layers.layer import PartsLayer
from gradviz.viewer.canvas.layers.part_painter import PaintTensor, qt_rect
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, label_boxes
from gradviz.viewer.theme.theme import Theme

LABELS_FROM = 0.5
"""Below this scale line labels are not drawn."""


class LabelLayer(PartsLayer):
    """Draws the labels of a picture's lines in the space that the layout reserved."""

    _least_scale = LABELS_FROM

    def __init__(self, picture: GraphPicture, theme: Theme, paint_tensor: PaintTensor) -> None:
        boxes, self._owners = label_boxes(picture)
        super().__init__(boxes, 2.0, theme, paint_tensor)
        self._detail = picture.detail
        self.labels: dict[int, str] = {}
        self._gradients: dict[int, ElementGrid] = {}
        self._now: frozenset[int] = frozenset()

    def set_labels(
        self, labels: dict[int, str], gradients: dict[int, ElementGrid], now: frozenset[int]
    ) -> None:
        """Set the label texts and the elements of tiny gradients, by index of the line.

        Labels of the lines in ``now`` get an accent border.
        """
        self.labels, self._gradients, self._now = labels, gradients, now
        self.update()

    def shown(self) -> Iterator[tuple[QRectF, QRectF, str]]:
        """Background, text or element rectangle, and text of each label, for legibility tests."""
        metrics = metrics_of("label")
        for at, line in enumerate(self._owners):
            ground = QRectF()
            for part in self.parts(at) if line in self.labels else ():
                if isinstance(part, Shape):
                    assert isinstance(part.outline, RoundedRect)
                    ground = qt_rect(part.outline.rect)
                elif isinstance(part, TensorCells):
                    yield ground, qt_rect(part.rect), ""
                else:
                    width, top = measure(part.text, "label")[0], part.baseline - metrics.ascent()
                    yield ground, QRectF(part.x, top, width, metrics.height()), part.text

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """The visible labels that have a text."""
        return [at for at in self.seen(option) if self._owners[at] in self.labels]

    def owner(self, at: int) -> int:
        """The line of a label."""
        return self._owners[at]

    def parts(self, at: int) -> Iterable[Part]:
        """Background, text and elements of a label."""
        line = self._owners[at]
        return label_parts(
            self.labels[line],
            self._gradients.get(line),
            self.box(at),
            self._detail,
            measure,
            is_now=line in self._now,
        )
