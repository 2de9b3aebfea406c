"""Shows a picture on the canvas at the current step and selection."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QPainter

from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.document.location_text import location_words
from gradviz.drawing.cells.thumbnail import MOST_CELLS
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.graph_progress import HIDDEN, NOW, GraphProgress
from gradviz.drawing.content.group_cards import place_in_group
from gradviz.drawing.content.hidden_graph_parts import absent_cards, hidden_cards
from gradviz.drawing.content.node_problems import NodeProblems, node_problem_text
from gradviz.viewer.arithmetic.element_frames import paint_plane_frames
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layout.animation_clock import Animation, LayoutTransition, anchor_of
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, box_of, boxes_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.cell_painter import paint_thumbnail

_LOOK = 20
"""Number of steps before or after the current one that are searched for a card."""


class GraphStage(QObject):
    """Owns the scene of a view and keeps it in sync with the step and the selection.

    Signals:
        current_changed: Another picture is shown, or its current box has changed.
    """

    current_changed = Signal()

    def __init__(self, state: ViewerState, view: GraphView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._progress: GraphProgress | None = None
        self._scales: dict[int, float] = {}
        self._node_problems: NodeProblems | None = None
        self._shown: tuple[TracePosition | None, RevealedTrace] | None = None
        self._is_held = False
        self.scene: GraphScene | None = None
        state.step_changed.connect(self._on_state_step_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.revealed_changed.connect(self._on_state_revealed_changed)
        state.hits_changed.connect(self._on_state_hits_changed)
        state.arithmetic_changed.connect(self._on_state_arithmetic_changed)

    @property
    def picture(self) -> GraphPicture | None:
        """The picture that is shown, or None."""
        return None if self.scene is None else self.scene.picture

    @property
    def is_current(self) -> bool:
        """Whether a picture is shown that is not about to be replaced by that of other nodes."""
        return self.scene is not None and not self._is_held

    def hold(self) -> None:
        """Leave the picture as it is until another one is shown, as the step is in that one."""
        self._is_held = self.scene is not None

    def clear(self) -> None:
        """Remove the scene."""
        self._is_held = False
        self._view.show_scene(None)
        self.scene = None
        self._progress = None
        self._node_problems = None
        self.current_changed.emit()

    def put(self, index: TraceIndex, picture: GraphPicture, *, keep_place: bool) -> None:
        """Show a picture of a trace.

        Args:
            index: The trace.
            picture: Its graph.
            keep_place: Whether to keep the visible position; otherwise a suitable part is shown.
        """
        self._make_scene(index, picture)
        self._view.show_scene(self.scene, keep_place=keep_place)
        # The legend lists the signs of the scene, so its size is known only now.
        self._show_all()
        if not keep_place:
            self._view.start_at(self.current_box())

    def exchange(self, index: TraceIndex, picture: GraphPicture) -> Animation | None:
        """Show the same graph with other groups open; the opened or closed group stays in place.

        Returns:
            An animation that moves boxes to their new positions; None if there is no common anchor.
        """
        before, view = self.picture, self._view
        anchor = None if before is None else anchor_of(before, picture, self.current_node())
        if anchor is None or before is None:
            self.put(index, picture, keep_place=True)
            return None
        space = view.uncovered_rect.toRectF()
        start, end = anchor
        at = view.mapFromScene(start.center()).toPointF()
        # An anchor outside the visible area would leave the opened group out of sight.
        at.setX(max(space.left(), min(at.x(), space.right())))
        at.setY(max(space.top(), min(at.y(), space.bottom())))
        # Taken before the exchange, to know afterwards how far the visible area has moved.
        corner = view.mapToScene(0, 0)
        scene = self._make_scene(index, picture)
        view.exchange(scene, end.center(), at)
        view.reveal(end)
        self._show_all()
        box = self.current_box()
        if box is not None and end.contains(scene.box(box)):
            view.keep_visible(box)
        visible = view.mapToScene(view.viewport().rect()).boundingRect()
        return LayoutTransition(before, scene, visible.topLeft() - corner, visible).show_at

    def _make_scene(self, index: TraceIndex, picture: GraphPicture) -> GraphScene:
        self._is_held = False
        self.scene = GraphScene(picture, self._state.theme, self._paint_tensor)
        edges = [curve.edge for curve in picture.curves]
        self._progress = GraphProgress(index, picture.nodes, edges)
        self._scales = color_scales(index, picture.nodes, edges)
        return self.scene

    def _show_all(self) -> None:
        self._show_revealed_only()
        self._show_step()
        self._show_selection()
        self._on_state_hits_changed(self._state.hits)
        self.current_changed.emit()

    def show_problems(self, node_problems: NodeProblems) -> None:
        """Mark the cards of nodes in which something went wrong."""
        self._node_problems = node_problems
        self._show_revealed_only()

    def _show_revealed_only(self) -> None:
        """Mark problems and hide cards, without giving away what is hidden."""
        if self.scene is None or self._state.index is None:
            return
        self.scene.node_problems.show(
            {
                at: word
                for at, drawn in enumerate(self.scene.picture.nodes)
                if drawn.kind not in ("saved", "link", "cut", "dead_end")
                and (word := self._problem_name(drawn))
            }
        )
        revealed, cards = self._state.revealed, self.scene.picture.nodes
        self.scene.nodes.set_hidden_cards(hidden_cards(revealed, cards))
        self.scene.set_absent(absent_cards(revealed, cards))

    def _problem_name(self, drawn: DrawnNode) -> str:
        revealed = self._state.revealed
        nodes = revealed.shown_nodes(drawn.nodes)
        if self._node_problems is not None:
            return node_problem_text(self._node_problems, nodes, revealed.shows)
        # This text is about all nodes of the card, so it could give away hidden ones.
        is_shown = nodes == drawn.nodes and revealed.shows(drawn.problem_since)
        return drawn.problem if is_shown else ""

    def show_breakpoints(self, nodes: dict[int, bool]) -> None:
        """Mark the cards of nodes with a breakpoint, and whether it is enabled."""
        if self.scene is None:
            return
        points: dict[int, bool] = {}
        for node, enabled in nodes.items():
            box = self.box_of(node)
            if box is not None:
                # A closed group can hold several breakpoints; one enabled one makes it stop.
                points[box] = enabled or points.get(box, False)
        self.scene.breakpoints.show(points)
        self._describe_selection()

    def box_of(self, node: int | None) -> int | None:
        """Index of the box that shows a node of the trace, or None."""
        if self.scene is None or node is None:
            return None
        return box_of(self.scene.picture, node)

    def current_box(self) -> int | None:
        """The selected box, else one of the current step."""
        selected = self.box_of(self._state.selection)
        if selected is not None or self._progress is None:
            return selected
        return next(iter(self._progress.boxes_now(self._state.number)), None)

    def aim(self) -> None:
        """Show the current cards, or the last ones before the current step, without empty space."""
        if self.scene is None:
            return
        areas = self.scene.areas_now()
        box = self.current_box()
        box = self._last_box() if box is None else box
        if not areas and box is not None:
            areas = self.scene.areas_of([box])
        self._view.follow(areas, self._areas_to_come(), tidy=True)

    def _areas_to_come(self) -> Iterator[QRectF]:
        """Areas that must be visible in the next steps, nearest first."""
        first = self._state.number + 1
        for number in range(first, min(first + _LOOK, self._state.count + 1)):
            if self.scene is not None and self._progress is not None:
                curves = np.flatnonzero(self._progress.curves(number) == NOW).tolist()
                yield from self.scene.areas_of(self._progress.boxes_now(number), curves)

    def _last_box(self) -> int | None:
        """Return the last visited box, for steps outside the graph such as a pass's end."""
        index, number = self._state.index, self._state.number
        if index is None:
            return None
        before = range(number - 1, max(0, number - _LOOK), -1)
        boxes = (self.box_of(node_at_step(index, each)) for each in before)
        return next((box for box in boxes if box is not None), None)

    def current_node(self) -> int | None:
        """The selected node, else the node of the current step."""
        if self._state.selection is not None or self._state.index is None:
            return self._state.selection
        return node_at_step(self._state.index, self._state.number)

    def folded_group(self, *, selected_only: bool = False) -> str:
        """Key of the selected closed group, else of the one with the current step; or empty.

        Args:
            selected_only: Whether only the selected group counts.
        """
        if self.scene is None or self._progress is None:
            return ""
        now = [] if selected_only else self._progress.boxes_now(self._state.number)
        cards = self.scene.picture.nodes
        groups = (
            cards[box].group
            for box in (self.box_of(self._state.selection), *now[:1])
            if box is not None
        )
        return next(filter(None, groups), "")

    def _paint_tensor(self, painter: QPainter, space: QRectF, tensor: int) -> None:
        value = self._state.value(tensor)
        if value is not None:
            # A shared scale would tell how large hidden results are.
            limit = self._scales.get(tensor) if self._state.revealed.is_complete else None
            paint_thumbnail(painter, space, value, self._state.theme, limit)
            self._paint_frames(painter, space, tensor, value.shape)

    def _paint_frames(
        self, painter: QPainter, space: QRectF, tensor: int, shape: tuple[int, ...]
    ) -> None:
        """Frame the elements of the arithmetic, if each element has a cell."""
        arithmetic, index = self._state.arithmetic, self._state.index
        if arithmetic is None or index is None or max(shape[-2:], default=1) > MOST_CELLS:
            return
        marks = [mark for mark in arithmetic.marks if mark.tensor == tensor]
        if index.tensor.bare(tensor).shape == shape:
            paint_plane_frames(painter, space, shape, marks, self._state.theme)

    def _show_step(self) -> None:
        index = self._state.index
        if self.scene is None or self._progress is None or index is None or self._is_held:
            return
        number, place, revealed = self._state.number, self._state.place, self._state.revealed
        self._shown = place, revealed
        stage = None if place is None else place.stage
        hidden = revealed.hides_answer
        self.scene.show_progress(self._progress.at(number, stage, answer_hidden=hidden))
        box = next(iter(self._progress.boxes_now(number)), None)
        card = None if box is None else self.scene.picture.nodes[box]
        words = () if card is None else self._place_words(index, place, card)
        self.scene.place.show_place(box, words)

    def _place_words(
        self, index: TraceIndex, place: TracePosition | None, card: DrawnNode
    ) -> tuple[str, ...]:
        """The position inside a step, else where the step is in a closed group."""
        if place is not None and place.stage is not None:
            return location_words(index, place)
        node = node_at_step(index, self._state.number) if card.group else None
        inside = "" if node is None else place_in_group(index, card, node)
        return (inside,) if inside else ()

    def _on_state_arithmetic_changed(self, arithmetic: object) -> None:
        if self.scene is not None:
            self.scene.update()

    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        if (place, self._state.revealed) != self._shown:
            self._show_step()

    def _on_state_step_changed(self, number: int) -> None:
        self._show_step()
        if self.scene is not None and not self._is_held:
            self._view.follow(self.scene.areas_now(), self._areas_to_come())
        self.current_changed.emit()

    def _on_state_revealed_changed(self, revealed: RevealedTrace) -> None:
        self._show_revealed_only()
        self._describe_selection()
        if self.scene is not None:
            # The color scales of thumbnails depend on it, too.
            self.scene.update()

    def _on_state_selection_changed(self, node: int | None) -> None:
        self._show_selection()
        self.current_changed.emit()

    def _show_selection(self) -> None:
        if self.scene is None:
            return
        box = self.box_of(self._state.selection)
        self.scene.mark("selected", box)
        if box is not None:
            self._view.keep_visible(box)
            self._describe_selection()

    def _describe_selection(self) -> None:
        box = self.box_of(self._state.selection)
        if box is not None and self.scene is not None:
            drawn = self.scene.picture.nodes[box]
            is_hidden = box in self.scene.nodes.hidden_cards
            more = (
                self.scene.group_progresses.marks.get(box, ""),
                self.scene.node_problems.marks.get(box, ""),
            )
            point = self.tr("breakpoint") if self.scene.breakpoints.marks.get(box) else ""
            parts = filter(None, (drawn.title, *drawn.lines, *more, point))
            description = HIDDEN if is_hidden else ", ".join(parts)
            self._view.setAccessibleDescription(description)

    def _on_state_hits_changed(self, hits: frozenset[int]) -> None:
        if self.scene is not None:
            self.scene.mark_hits(boxes_of(self.scene.picture, hits))
