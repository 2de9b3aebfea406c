"""The graph panel: the view, its legend, and the state's step and selection shown in it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedLayout, QToolTip, QVBoxLayout, QWidget

from gradviz.model.index import Index
from gradviz.model.query import step_at
from gradviz.model.step import ErrorStep
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.arrange import Arranger
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import NOTCH, GraphView
from gradviz.viewer.canvas.neighbours import Direction, neighbour
from gradviz.viewer.canvas.notice import Notice
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.progress import Progress
from gradviz.viewer.canvas.strip import GraphStrip
from gradviz.viewer.canvas.walk import box_of, next_step_of
from gradviz.viewer.plain_text import plain_tooltip
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.thumbnail import paint_thumbnail
from gradviz.viewer.theme import Theme

PATIENCE_MS = 400
"""A layout that takes longer is announced, with a way to cancel it."""

_DIRECTIONS: dict[Qt.Key, Direction] = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}


class GraphPanel(QWidget):
    """Shows the graph of the state's trace at the state's step.

    Signals:
        settled: The graph is shown, or it is said why not; nothing is under way.
    """

    settled = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._scene: GraphScene | None = None
        self._progress: Progress | None = None
        self.arranger = Arranger(background, self)
        self.view = GraphView(self)
        self.notice = Notice(self)
        self.strip = GraphStrip(state.theme, actions, self)
        self._activity = "idle"
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.notice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._pages, 1)
        layout.addWidget(self.strip)
        self._connect_state()
        self._connect_view(actions)
        self._on_state_trace_changed(state.index)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way."""
        return not self.arranger.busy

    @property
    def scene(self) -> GraphScene | None:
        """The graph that is shown."""
        return self._scene

    def node_rect(self, node: int) -> QRectF:
        """Where a node of the trace is in the view's viewport; empty where it is not drawn."""
        box = self._box_of(node)
        return QRectF() if box is None else self.view.card_rect(box)

    def _connect_state(self) -> None:
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._state.step_changed.connect(self._on_state_step_changed)
        self._state.selection_changed.connect(self._on_state_selection_changed)
        self._state.theme_changed.connect(self._on_state_theme_changed)
        self.arranger.arranged.connect(self._on_arranger_arranged)
        self.arranger.failed.connect(self._on_arranger_failed)
        self._patience.timeout.connect(self._on_patience_timeout)
        self.notice.pressed.connect(self._on_notice_pressed)

    def _connect_view(self, actions: Actions) -> None:
        view = self.view
        view.scale_changed.connect(self._on_view_scale_changed)
        view.card_clicked.connect(self._on_view_card_clicked)
        view.card_hovered.connect(self._on_view_card_hovered)
        view.arrow_pressed.connect(self._on_view_arrow_pressed)
        view.enter_pressed.connect(self._on_view_enter_pressed)
        view.centre_pressed.connect(self._on_centre_triggered)
        view.play_pressed.connect(actions.play.trigger)
        view.first_pressed.connect(actions.first.trigger)
        view.last_pressed.connect(actions.last.trigger)
        actions.centre.triggered.connect(self._on_centre_triggered)
        actions.fit.triggered.connect(view.fit)
        actions.full_size.triggered.connect(self._on_full_size_triggered)
        actions.zoom_in.triggered.connect(self._on_zoom_in_triggered)
        actions.zoom_out.triggered.connect(self._on_zoom_out_triggered)

    def _say(self, title: str, text: str, button: str = "") -> None:
        self._patience.stop()
        self.notice.say(title, text, button)
        self._pages.setCurrentWidget(self.notice)

    def _paint_tensor(self, painter: QPainter, room: QRectF, tensor: int) -> None:
        value = self._state.value(tensor)
        if value is not None:
            paint_thumbnail(painter, room, value, self._state.theme)

    def _box_of(self, node: int | None) -> int | None:
        if self._scene is None or node is None:
            return None
        return box_of(self._scene.picture, node)

    def _current_box(self) -> int | None:
        """The selected box, else one that the step is about."""
        selected = self._box_of(self._state.selection)
        if selected is not None or self._progress is None:
            return selected
        return next(iter(self._progress.boxes_now(self._state.number)), None)

    def _show_step(self) -> None:
        index = self._state.index
        if self._scene is None or self._progress is None or index is None:
            return
        number = self._state.number
        curves = self._progress.curves(number)
        labels = self._progress.labels(number, curves)
        failing = isinstance(step_at(index, number), ErrorStep)
        boxes = self._progress.boxes(number)
        self._scene.show_progress(boxes, curves, labels, failing=failing)

    def show_activity(self, activity: str) -> None:
        """Says in an empty panel that something is on its way: ``running``, ``opening`` ..."""
        self._activity = activity
        if self._state.index is None:
            self._show_no_graph(None)

    def _show_no_graph(self, index: Index | None) -> None:
        self.arranger.cancel()
        if index is None and self._activity != "idle":
            title = self.tr("One moment")
            text = self.tr("The graph appears here as soon as the run has ended.")
        elif index is None:
            title = self.tr("Nothing is shown yet")
            text = self.tr(
                "Pick a scene in the library, or drop a Python file or a trace on this window."
            )
        else:
            title = self.tr("No graph")
            text = self.tr("This run made no autograd node: no input requires a gradient.")
        self._say(title, text)
        self.settled.emit()

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self._patience.stop()
        self.view.show_scene(None)
        self._scene = None
        self._progress = None
        self.strip.show_facts(None, 1.0)
        if index is None or not index.trace.nodes:
            self._show_no_graph(index)
            return
        self._pages.setCurrentWidget(self.view)
        self._patience.start()
        self.arranger.arrange(index)

    @Slot()
    def _on_patience_timeout(self) -> None:
        self._say(
            self.tr("Laying out the graph…"),
            self.tr("The steps and the inspector can be used meanwhile."),
            self.tr("Cancel"),
        )

    @Slot(object, bool)
    def _on_arranger_arranged(self, picture: Picture, same: bool) -> None:
        index = self._state.index
        if index is None:
            return
        self._patience.stop()
        self._scene = GraphScene(picture, self._state.theme, self._paint_tensor)
        self._progress = Progress(index, picture)
        self._pages.setCurrentWidget(self.view)
        self.view.show_scene(self._scene, keep_place=same)
        if not same:
            self.view.start_at(self._current_box())
        self._show_step()
        self._on_state_selection_changed(self._state.selection)
        self.strip.show_facts(picture, self.view.scale_factor)
        self.settled.emit()

    @Slot(str)
    def _on_arranger_failed(self, sentence: str) -> None:
        self._say(self.tr("The graph cannot be shown"), sentence, self.tr("Try again"))
        self.settled.emit()

    @Slot()
    def _on_notice_pressed(self) -> None:
        if self.arranger.busy:
            self.arranger.cancel()
            text = self.tr("The layout was cancelled.")
            self._say(self.tr("No graph"), text, self.tr("Lay it out"))
            self.settled.emit()
        else:
            self._on_state_trace_changed(self._state.index)

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._show_step()
        if self._scene is not None and self._progress is not None:
            for box in self._progress.boxes_now(number)[:1]:
                self.view.keep_visible(box)

    @Slot(object)
    def _on_state_selection_changed(self, node: int | None) -> None:
        if self._scene is None:
            return
        box = self._box_of(node)
        self._scene.mark("selected", box)
        if box is not None:
            self.view.keep_visible(box)
            drawn = self._scene.picture.nodes[box]
            self.view.setAccessibleDescription(", ".join((drawn.title, *drawn.lines)))

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.strip.set_theme(theme)
        if self._scene is not None:
            self._scene.set_theme(theme)

    @Slot(object)
    def _on_view_scale_changed(self, scale: float) -> None:
        self.strip.show_facts(self._scene.picture if self._scene else None, scale)

    @Slot(object)
    def _on_view_card_clicked(self, box: int | None) -> None:
        if self._scene is not None:
            nodes = () if box is None else self._scene.picture.nodes[box].nodes
            self._state.select(next(iter(nodes), None))

    @Slot(object, object)
    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        if self._scene is None:
            return
        self._scene.mark("hovered", box)
        if box is None:
            QToolTip.hideText()
            return
        drawn = self._scene.picture.nodes[box]
        text = "\n".join((drawn.title, *drawn.lines))
        QToolTip.showText(place, plain_tooltip(text), self.view)

    @Slot(object)
    def _on_view_arrow_pressed(self, key: Qt.Key) -> None:
        box = self._current_box()
        if self._scene is None or box is None:
            return
        found = neighbour(self._scene.picture, box, _DIRECTIONS[key])
        if found is not None:
            self._on_view_card_clicked(found)

    @Slot()
    def _on_view_enter_pressed(self) -> None:
        index, node = self._state.index, self._state.selection
        if index is not None and node is not None:
            step = next_step_of(index, node, self._state.number)
            if step is not None:
                self._state.go_to(step)

    @Slot()
    def _on_centre_triggered(self) -> None:
        box = self._current_box()
        if box is None or self.view.is_centred(box):
            self.view.fit()
        else:
            self.view.centre_card(box)

    @Slot()
    def _on_full_size_triggered(self) -> None:
        self.view.zoom_to(1.0)

    @Slot()
    def _on_zoom_in_triggered(self) -> None:
        self.view.zoom_by(NOTCH)

    @Slot()
    def _on_zoom_out_triggered(self) -> None:
        self.view.zoom_by(1 / NOTCH)
