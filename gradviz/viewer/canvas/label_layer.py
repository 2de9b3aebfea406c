"""The labels of lines that have carried a gradient: its name and shape, or its value."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.picture import Picture, label_boxes
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.canvas.type import measure, metrics_of
from gradviz.viewer.theme import Theme

LABELS_FROM = 0.5
"""Below this scale labels of lines are not drawn."""

PADDING = 4.0
AWAY = 2.0
"""Between a line and its label."""


class LabelLayer(Layer):
    """The labels of a picture's lines, each in the room that the layout kept for it."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        boxes, self._owners = label_boxes(picture)
        super().__init__(boxes, margin=2.0)
        self._rooms = [QRectF(*box) for box in boxes.tolist()]
        self._labels: dict[int, str] = {}
        self._now: frozenset[int] = frozenset()
        self._texts = TextCache("label")
        self._drop = metrics_of("label").ascent() - metrics_of("label").height() / 2
        self.set_theme(theme)

    @property
    def labels(self) -> dict[int, str]:
        """What is written beside which line, by the line's index."""
        return self._labels

    def set_labels(self, labels: dict[int, str], now: frozenset[int]) -> None:
        """Shows labels by index of the line; those in ``now`` are accented."""
        self._labels = labels
        self._now = now
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._ground = theme.colour("edge_label_fill")
        self._ink = theme.colour("edge_label")
        self._now_pen = QPen(theme.colour("edge_now"), 1.2)
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the labels in sight."""
        if not self._labels or self.scale_of(painter) < LABELS_FROM:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._texts.begin(painter)
        for at in self.seen(option):
            line = self._owners[at]
            text = self._labels.get(line)
            if text is None:
                continue
            room = self._rooms[at]
            width = measure(text, "label")[0]
            # At the left of its room, so close to its line.
            box = QRectF(room.x() + AWAY, room.y(), width + 2 * PADDING, room.height())
            painter.setPen(self._now_pen if line in self._now else Qt.PenStyle.NoPen)
            painter.setBrush(self._ground)
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(self._ink)
            self._texts.draw(painter, box.x() + PADDING, box.center().y() + self._drop, text)
