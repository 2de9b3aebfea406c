"""Shows which cards share memory, and highlights all cards that share the hovered one's."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Slot

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layers.mark_layers import StorageSign
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.storage_letters import StorageLetters

_MOST_LETTERS = 3


class StorageController(QObject):
    """Controller of the memory marks; hovering a card highlights its memory everywhere."""

    def __init__(
        self, state: ViewerState, view: GraphView, stage: GraphStage, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._stage = stage
        self._marks = StorageLetters(state.index, state.lineage)
        view.scene_shown.connect(self._show)
        view.card_hovered.connect(self._on_view_card_hovered)
        state.lineage_changed.connect(self._on_state_lineage_changed)
        state.storage_highlighted.connect(self._on_state_storage_highlighted)

    def _show(self) -> None:
        scene, index = self._stage.scene, self._state.index
        if scene is None or index is None:
            return
        signs = {at: self._sign(index, drawn) for at, drawn in enumerate(scene.picture.nodes)}
        scene.storages.set_signs({at: sign for at, sign in signs.items() if sign is not None})

    def _sign(self, index: TraceIndex, card: DrawnNode) -> StorageSign | None:
        if card.kind not in ("leaf", "output", "saved"):
            return None
        known = [index.tensor.bare(number) for number in card.tensors if number in index.tensor]
        tags = dict.fromkeys(tag for record in known if (tag := self._marks.tag(record)))
        if not tags:
            return None
        text = " ".join(tag.text for tag in list(tags)[:_MOST_LETTERS])
        return StorageSign(
            text=text if len(tags) <= _MOST_LETTERS else f"{text} …",
            storages=frozenset(tag.storage for tag in tags if tag.storage is not None),
            tip=" ".join(tag.tip for tag in tags),
        )

    @Slot(object)
    def _on_state_lineage_changed(self, lineage: object) -> None:
        self._marks = StorageLetters(self._state.index, self._state.lineage)
        self._show()

    @Slot(object, object)
    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        scene = self._stage.scene
        sign = scene.storages.signs.get(box) if scene is not None and box is not None else None
        self._state.highlight_storage(min(sign.storages) if sign is not None else None)

    @Slot(object)
    def _on_state_storage_highlighted(self, storage: int | None) -> None:
        if self._stage.scene is not None:
            self._stage.scene.storages.highlight(storage)
