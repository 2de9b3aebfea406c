"""What the mouse is told about the card under it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Slot
from PySide6.QtWidgets import QToolTip

from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.stage import Stage
from gradviz.viewer.plain_text import plain_tooltip


class Hover(QObject):
    """Outlines the card under the mouse and says what stands in it."""

    def __init__(self, view: GraphView, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._stage = stage
        view.card_hovered.connect(self._on_view_card_hovered)

    @Slot(object, object)
    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        scene = self._stage.scene
        if scene is None:
            return
        scene.mark("hovered", box)
        if box is None:
            QToolTip.hideText()
            return
        drawn = scene.picture.nodes[box]
        text = "\n".join((drawn.title, *drawn.lines))
        QToolTip.showText(place, plain_tooltip(text), self._view)
