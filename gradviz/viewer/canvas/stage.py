"""Shows a picture on the canvas at the current step and selection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Signal, Slot
from PySide6.QtGui import QPainter

from gradviz.drawing.drawn import DrawnNode
from gradviz.drawing.tally import Tally
from gradviz.drawing.troubles import Troubles, word_of
from gradviz.model.index import Index
from gradviz.model.places import Place
from gradviz.model.query import node_now, step_at
from gradviz.model.step import ErrorStep
from gradviz.viewer.canvas.anchor import anchor_of
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.motion import Movement
from gradviz.viewer.canvas.moving import Moving
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.progress import HIDDEN, Progress
from gradviz.viewer.canvas.veil import veiled_cards
from gradviz.viewer.canvas.walk import box_of, boxes_of
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.places import words_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.thumbnail import paint_thumbnail


class Stage(QObject):
    """Owns the scene of a view and keeps it in sync with the step and the selection.

    Signals:
        current_changed: Another picture is shown, or its current box has changed.
    """

    current_changed = Signal()

    def __init__(self, state: ViewerState, view: GraphView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._progress: Progress | None = None
        self._tallies: dict[int, Tally] = {}
        self._troubles: Troubles | None = None
        self._shown: Place | None = None
        self.scene: GraphScene | None = None
        state.step_changed.connect(self._on_state_step_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.hits_changed.connect(self._on_state_hits_changed)

    @property
    def picture(self) -> Picture | None:
        """The picture that is shown, or None."""
        return None if self.scene is None else self.scene.picture

    def clear(self) -> None:
        """Remove the scene."""
        self._view.show_scene(None)
        self.scene = None
        self._progress = None
        self._troubles = None
        self.current_changed.emit()

    def put(self, index: Index, picture: Picture, *, keep_place: bool) -> None:
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

    def exchange(self, index: Index, picture: Picture) -> Movement | None:
        """Show the same graph with other groups open; the opened or closed group stays in place.

        Returns:
            An animation that moves boxes to their new positions; None if there is no common anchor.
        """
        before, view = self.picture, self._view
        anchor = None if before is None else anchor_of(before, picture, self.current_node())
        if anchor is None or before is None:
            self.put(index, picture, keep_place=True)
            return None
        room = view.free_rect.toRectF()
        at = view.mapFromScene(anchor.before.center()).toPointF()
        at.setX(max(room.left(), min(at.x(), room.right())))
        at.setY(max(room.top(), min(at.y(), room.bottom())))
        corner = view.mapToScene(0, 0)
        scene = self._make_scene(index, picture)
        view.exchange(scene, anchor.after.center(), at)
        view.reveal(anchor.after)
        self._show_all()
        box = self.current_box()
        if box is not None and anchor.after.contains(scene.box(box)):
            view.keep_visible(box)
        sight = view.mapToScene(view.viewport().rect()).boundingRect()
        return Moving(before, scene, self._state.theme, sight.topLeft() - corner, sight).show_at

    def _make_scene(self, index: Index, picture: Picture) -> GraphScene:
        self.scene = GraphScene(picture, self._state.theme, self._paint_tensor)
        self._progress = Progress(index, picture)
        self._tallies = {
            at: Tally(index, drawn.nodes) for at, drawn in enumerate(picture.nodes) if drawn.tally
        }
        return self.scene

    def _show_all(self) -> None:
        self._keep_back()
        self._show_step()
        self._show_selection()
        self._on_state_hits_changed(self._state.hits)
        self.current_changed.emit()

    def show_troubles(self, troubles: Troubles) -> None:
        """Mark the cards of nodes in which something went wrong."""
        self._troubles = troubles
        self._keep_back()

    def _keep_back(self) -> None:
        """Mark problems and veil cards, without giving away what quiz mode hides."""
        if self.scene is None or self._state.index is None:
            return
        self.scene.troubles.set_words(
            {
                at: word
                for at, drawn in enumerate(self.scene.picture.nodes)
                if drawn.kind not in ("saved", "link", "cut", "dead_end")
                and (word := self._trouble(drawn))
            }
        )
        self.scene.nodes.set_veiled(veiled_cards(self._state, self.scene.picture))

    def _trouble(self, drawn: DrawnNode) -> str:
        index, told = self._state.index, self._state.told
        nodes = drawn.nodes
        if index is not None and told < self._state.count:
            nodes = tuple(node for node in nodes if max(index.visits.get(node, (0,))) <= told)
        if self._troubles is not None:
            return word_of(self._troubles, nodes)
        return drawn.problem if nodes == drawn.nodes else ""

    def show_breakpoints(self, nodes: dict[int, bool]) -> None:
        """Mark the cards of nodes with a breakpoint, and whether it is enabled."""
        if self.scene is None:
            return
        points: dict[int, bool] = {}
        for node, enabled in nodes.items():
            box = self.box_of(node)
            if box is not None:
                points[box] = enabled or points.get(box, False)
        self.scene.breakpoints.set_points(points)
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

    def current_node(self) -> int | None:
        """The selected node, else the node of the current step."""
        if self._state.selection is not None or self._state.index is None:
            return self._state.selection
        return node_now(self._state.index, self._state.number)

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

    def _paint_tensor(self, painter: QPainter, room: QRectF, tensor: int) -> None:
        value = self._state.value(tensor)
        if value is not None:
            paint_thumbnail(painter, room, value, self._state.theme)

    def _show_step(self) -> None:
        index = self._state.index
        if self.scene is None or self._progress is None or index is None:
            return
        number, place = self._state.number, self._state.place
        self._shown = place
        stage = None if place is None else place.stage
        curves = self._progress.curves(number, stage)
        labels = self._progress.labels(number, curves, concealed=self._state.concealed)
        gradients = self._progress.gradients(number, curves, concealed=self._state.concealed)
        failing = isinstance(step_at(index, number), ErrorStep)
        boxes = self._progress.boxes(number, stage)
        self.scene.show_progress(boxes, curves, labels, gradients, failing=failing)
        tallies = {at: tally.text(number) for at, tally in self._tallies.items()}
        self.scene.tallies.set_texts(tallies)
        now = self._progress.boxes_now(number) if stage is not None else []
        self.scene.place.show_place(now[0] if now else None, words_of(index, place))

    @Slot(object)
    def _on_state_place_changed(self, place: Place | None) -> None:
        if place != self._shown:
            self._show_step()

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._show_step()
        if self._progress is not None:
            for box in self._progress.boxes_now(number)[:1]:
                self._view.keep_visible(box)
        self.current_changed.emit()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._show_step()
        self._keep_back()
        self._describe_selection()

    @Slot(object)
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
            veiled = box in self.scene.nodes.veiled
            more = (self.scene.tallies.texts.get(box, ""), self.scene.troubles.words.get(box, ""))
            point = self.tr("breakpoint") if self.scene.breakpoints.points.get(box) else ""
            parts = filter(None, (drawn.title, *drawn.lines, *more, point))
            said = HIDDEN if veiled else ", ".join(parts)
            self._view.setAccessibleDescription(said)

    @Slot(object)
    def _on_state_hits_changed(self, hits: frozenset[int]) -> None:
        if self.scene is not None:
            self.scene.mark_hits(boxes_of(self.scene.picture, hits))

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        if self.scene is not None:
            self.scene.set_theme(theme)
