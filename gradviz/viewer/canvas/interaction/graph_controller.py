"""Clicks and keys in the graph: select, navigate, go to a step, zoom; and shared memory."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QAction

from gradviz.analysis.index.node_steps import next_step_of, node_duration
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import NOTCH, GraphView
from gradviz.viewer.canvas.layers.mark_layers import StorageSign
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, node_to_select
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.storage_letters import StorageLetters

ArrowDirection = Literal["left", "right", "up", "down"]

_TOWARDS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}


def neighbor_in(picture: GraphPicture, box: int, direction: ArrowDirection) -> int | None:
    """Find the next box in a direction; boxes connected by a line come first.

    Only boxes within 60 degrees of the direction count. The nearest one wins; the distance across
    the direction counts double.
    """
    joined = {curve.target for curve in picture.curves if curve.source == box}
    joined |= {curve.source for curve in picture.curves if curve.target == box}
    found = _nearest(picture, box, direction, sorted(joined - {box}))
    if found is None:
        others = [at for at in range(len(picture.nodes)) if at != box]
        found = _nearest(picture, box, direction, others)
    return found


def _nearest(
    picture: GraphPicture, box: int, direction: ArrowDirection, among: list[int]
) -> int | None:
    if not among:
        return None
    middles = picture.boxes[:, :2] + picture.boxes[:, 2:] / 2
    offsets = middles[among] - middles[box]
    ahead = offsets @ np.array(_TOWARDS[direction])
    # Swapping x and y of an axis direction gives a perpendicular one.
    aside = np.abs(offsets @ np.array(_TOWARDS[direction])[::-1])
    # 1.7321 is the tangent of 60 degrees.
    possible = (ahead > 1e-6) & (aside <= ahead * 1.7321)
    if not possible.any():
        return None
    cost = np.where(possible, ahead + 2 * aside, np.inf)
    return among[int(np.argmin(cost))]


class GraphController(QObject):
    """Controller that turns the view's signals and zoom commands into changes."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        actions: Actions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        view.card_clicked.connect(self._on_view_card_clicked)
        self._commands = {
            "enter": self._enter,
            "centre": self._on_centre_triggered,
            "describe": actions.describe.trigger,
            "play": actions.play.trigger,
            "first": actions.first.trigger,
            "last": actions.last.trigger,
        }
        view.command_pressed.connect(self._on_view_command_pressed)
        actions.centre.triggered.connect(self._on_centre_triggered)
        actions.fit.triggered.connect(view.fit)
        actions.full_size.triggered.connect(lambda: view.zoom_to(1.0))
        actions.zoom_in.triggered.connect(lambda: view.zoom_by(NOTCH))
        actions.zoom_out.triggered.connect(lambda: view.zoom_by(1 / NOTCH))

    def _on_view_card_clicked(self, box: int | None) -> None:
        picture, index = self._stage.picture, self._state.index
        if picture is None or index is None or box is None:
            self._state.select(None)
        else:
            self._state.select(node_to_select(index, picture.nodes[box], self._state.number))

    def _on_view_command_pressed(self, command: str) -> None:
        match command:
            case "left" | "right" | "up" | "down":
                self._go(command)
            case _:
                self._commands[command]()

    def _go(self, direction: ArrowDirection) -> None:
        picture, box = self._stage.picture, self._stage.current_box()
        if picture is None or not picture.nodes:
            return
        # Start at the first box if nothing is selected and no node is current.
        found = 0 if box is None else neighbor_in(picture, box, direction)
        if found is not None:
            self._on_view_card_clicked(found)

    def _enter(self) -> None:
        key = self._stage.folded_group(selected_only=True)
        if key:
            self._state.open_groups((key,))
            return
        index, node = self._state.index, self._state.selection
        if index is not None and node is not None:
            step = next_step_of(index, node, self._state.number)
            if step is not None:
                self._state.go_to(step)

    def _on_centre_triggered(self) -> None:
        box = self._stage.current_box()
        if box is None or (self._view.is_centred(box) and self._view.is_readable):
            self._view.fit()
        else:
            self._view.enlarge(box)
            self._view.centre_card(box)


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
        state.trace_changed.connect(self._on_state_trace_changed)
        state.storage_highlighted.connect(self._on_state_storage_highlighted)

    def _show(self) -> None:
        scene, index = self._stage.scene, self._state.index
        if scene is None or index is None:
            return
        signs = {at: self._sign(index, drawn) for at, drawn in enumerate(scene.picture.nodes)}
        scene.storages.show({at: sign for at, sign in signs.items() if sign is not None})

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

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._marks = StorageLetters(index, self._state.lineage)
        self._show()

    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        scene = self._stage.scene
        sign = scene.storages.marks.get(box) if scene is not None and box is not None else None
        self._state.highlight_storage(min(sign.storages) if sign is not None else None)

    def _on_state_storage_highlighted(self, storage: int | None) -> None:
        if self._stage.scene is not None:
            self._stage.scene.storages.highlight(storage)


_HEAT_DECADES = 3
"""Nodes that take less than the slowest one by more decades have no color."""


class TimeController(QObject):
    """Colors the cards by the time of their nodes, while the user wants it."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._stage, self._action = state, stage, action
        view.scene_shown.connect(self._show)
        action.toggled.connect(self._show)

    def _show(self) -> None:
        scene, index = self._stage.scene, self._state.index
        if scene is None or index is None:
            return
        cards = enumerate(scene.picture.nodes) if self._action.isChecked() else ()
        times = {
            at: sum(node_duration(index, node) for node in card.nodes)
            for at, card in cards
            if card.kind in _TIMED
        }
        scene.longest = max(times.values(), default=0)
        scene.nodes.set_heats(
            {
                at: max(0.0, 1 + math.log10(time / scene.longest) / _HEAT_DECADES) if time else 0.0
                for at, time in times.items()
            }
        )
        self._stage.current_changed.emit()


_TIMED = ("custom", "builtin", "accumulate", "error", "folded")
