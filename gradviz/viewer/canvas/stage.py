"""What stands on the canvas: the scene of one picture, at the state's step and selection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Slot
from PySide6.QtGui import QPainter

from gradviz.model.index import Index
from gradviz.model.query import step_at
from gradviz.model.step import ErrorStep
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.progress import Progress
from gradviz.viewer.canvas.walk import box_of, boxes_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.thumbnail import paint_thumbnail
from gradviz.viewer.theme import Theme


class Stage(QObject):
    """Holds the scene that a view shows, and keeps it at the step and the selection."""

    def __init__(self, state: ViewerState, view: GraphView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._progress: Progress | None = None
        self.scene: GraphScene | None = None
        state.step_changed.connect(self._on_state_step_changed)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.hits_changed.connect(self._on_state_hits_changed)

    @property
    def picture(self) -> Picture | None:
        """What is shown."""
        return None if self.scene is None else self.scene.picture

    def clear(self) -> None:
        """Shows nothing."""
        self._view.show_scene(None)
        self.scene = None
        self._progress = None

    def put(self, index: Index, picture: Picture, *, keep_place: bool) -> None:
        """Shows a picture of a trace.

        Args:
            index: The trace.
            picture: Its graph.
            keep_place: Whether the part in sight stays in sight; else a good part is chosen.
        """
        self.scene = GraphScene(picture, self._state.theme, self._paint_tensor)
        self._progress = Progress(index, picture)
        self._view.show_scene(self.scene, keep_place=keep_place)
        if not keep_place:
            self._view.start_at(self.current_box())
        self._show_step()
        self._on_state_selection_changed(self._state.selection)
        self._on_state_hits_changed(self._state.hits)

    def box_of(self, node: int | None) -> int | None:
        """The box in which a node of the trace is shown."""
        if self.scene is None or node is None:
            return None
        return box_of(self.scene.picture, node)

    def current_box(self) -> int | None:
        """The selected box, else one that the step is about."""
        selected = self.box_of(self._state.selection)
        if selected is not None or self._progress is None:
            return selected
        return next(iter(self._progress.boxes_now(self._state.number)), None)

    def _paint_tensor(self, painter: QPainter, room: QRectF, tensor: int) -> None:
        value = self._state.value(tensor)
        if value is not None:
            paint_thumbnail(painter, room, value, self._state.theme)

    def _show_step(self) -> None:
        index = self._state.index
        if self.scene is None or self._progress is None or index is None:
            return
        number = self._state.number
        curves = self._progress.curves(number)
        labels = self._progress.labels(number, curves, concealed=self._state.concealed)
        gradients = self._progress.gradients(number, curves, concealed=self._state.concealed)
        failing = isinstance(step_at(index, number), ErrorStep)
        boxes = self._progress.boxes(number)
        self.scene.show_progress(boxes, curves, labels, gradients, failing=failing)

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._show_step()
        if self._progress is not None:
            for box in self._progress.boxes_now(number)[:1]:
                self._view.keep_visible(box)

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._show_step()

    @Slot(object)
    def _on_state_selection_changed(self, node: int | None) -> None:
        if self.scene is None:
            return
        box = self.box_of(node)
        self.scene.mark("selected", box)
        if box is not None:
            self._view.keep_visible(box)
            drawn = self.scene.picture.nodes[box]
            self._view.setAccessibleDescription(", ".join((drawn.title, *drawn.lines)))

    @Slot(object)
    def _on_state_hits_changed(self, hits: frozenset[int]) -> None:
        if self.scene is not None:
            self.scene.mark_hits(boxes_of(self.scene.picture, hits))

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        if self.scene is not None:
            self.scene.set_theme(theme)
