"""One side of the Compare tab: title, step and graph with difference marks."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from gradviz.analysis.compare.graph_marks import GraphMarks
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.drawing.grouping.groups import FoldState
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.graph_notice import GraphNotice
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.interaction.graph_controller import GraphController
from gradviz.viewer.canvas.layout.graph_arranger import GraphArranger
from gradviz.viewer.canvas.layout.graph_picture import UNMARKED, GraphPicture
from gradviz.viewer.canvas.layout.graph_space import READABLE_PIXELS, Arrangement, GraphSpace
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out

_PALE = 0.65
"""Opacity of the overlay on a graph whose run lacks the current step."""


_RESIZING_MS = 150


class CompareGraph(QWidget):
    """Shows the graph of its own state, which may be at another step than the window.

    Signals:
        settled: The graph is shown; nothing is running.
    """

    settled = Signal()

    def __init__(
        self, state: ViewerState, background: Background, actions: Actions, name: str
    ) -> None:
        """Create an empty graph.

        Args:
            state: State of this side.
            background: Computes the layouts.
            actions: The window's commands.
            name: ``left`` or ``right``.
        """
        super().__init__()
        self._state, self._theme = state, state.theme
        self._marks = GraphMarks()
        self.title = ElidedLabel(bold=True, pixels=SMALL_PIXELS)
        self.place = ElidedLabel(pixels=SMALL_PIXELS)
        self.arranger = GraphArranger(background, self, name=f" {name}")
        self.view = GraphView(self)
        self.stage = GraphStage(state, self.view, self)
        self.notice = GraphNotice(state.theme, self)
        self._graph_controller = GraphController(state, self.view, self.stage, actions, self)
        self._only: Arrangement | None = None
        self._resizing = QTimer(self, singleShot=True, interval=_RESIZING_MS)
        self._pages = QStackedLayout()
        column = lay_out(QVBoxLayout(self), gap=0)
        for label in (self.title, self.place):
            label.setContentsMargins(8, 2, 8, 0)
            column.addWidget(label)
        column.addLayout(self._pages, 1)
        # Only now: without a parent, the first page would open as a window and take the keyboard.
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.notice)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.folds_changed.connect(self._on_state_folds_changed)
        self.arranger.layout_finished.connect(self._on_arranger_layout_finished)
        self.arranger.failed.connect(self._on_arranger_failed)
        self.view.resized.connect(self._resizing.start)
        self._resizing.timeout.connect(self._on_resizing_timeout)
        self.notice.button.hide()
        self.update_theme()

    @property
    def is_settled(self) -> bool:
        """Whether the layout is complete."""
        return not self.arranger.busy and not self._resizing.isActive()

    @property
    def arrangement(self) -> Arrangement | None:
        """Arrangement of the graph, or None without one."""
        return None if self.stage.picture is None else self.arranger.arrangement

    def arrange(self, only: Arrangement | None = None) -> None:
        """Lay the graph out in the best arrangement for its space, or in a given one."""
        index, self._only = self._state.index, only
        if index is None or not index.trace.nodes:
            return
        space = GraphSpace(
            width=self.view.width(),
            height=self.view.height(),
            least=READABLE_PIXELS * self._state.theme.scale,
            marked=True,
            only=only,
        )
        self.arranger.arrange(index, self._state.folds, space)

    def name(self, text: str) -> None:
        """Set the title of the run, also for screen readers."""
        self.title.setText(text)
        self.view.setAccessibleName(text)

    def say(self, text: str, *, absent: bool) -> None:
        """Show the current step; ``absent`` fades the graph if this run lacks the step."""
        self.place.setText(text)
        self.view.setAccessibleDescription(text)
        overlay = self._state.theme.color("canvas")
        overlay.setAlphaF(_PALE if absent else 0.0)
        self.view.setForegroundBrush(overlay)

    def show_marks(self, marks: GraphMarks) -> None:
        """Mark the nodes and edges that differ."""
        self._marks = marks
        self._put_marks()

    def _put_marks(self) -> None:
        scene = self.stage.scene
        if scene is None:
            return
        words = {
            at: word
            for at, drawn in enumerate(scene.picture.nodes)
            if drawn.kind not in UNMARKED and (word := self._word(drawn.nodes))
        }
        lines = [
            at
            for at, curve in enumerate(scene.picture.curves)
            if not self._marks.edges.isdisjoint(curve.edge.edges)
        ]
        scene.differences.show(words)
        scene.differences.show_lines(tuple(lines))

    def _word(self, nodes: tuple[int, ...]) -> str:
        marks = self._marks
        replaced = [marks.replacing[node] for node in nodes if node in marks.replacing]
        if len(nodes) == len(replaced) == 1:
            return self.tr("in place of {0}").format(replaced[0])
        steps = [marks.differing[node] for node in nodes if node in marks.differing]
        if steps:
            # The values of earlier steps are equal.
            return self.tr("differs at step {0}").format(format_count(min(steps)))
        return "" if marks.alone.isdisjoint(nodes) else self.tr("only here")

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self.stage.clear()
        self.arranger.cancel()
        self._marks = GraphMarks()
        if index is None or not index.trace.nodes:
            self.notice.say(self.tr("No graph"), self.tr("This run created no autograd nodes."))
            self._pages.setCurrentWidget(self.notice)
            return
        self._pages.setCurrentWidget(self.view)
        self.arrange()

    def _on_state_folds_changed(self, folds: FoldState) -> None:
        self.arrange(self._only)

    def _on_resizing_timeout(self) -> None:
        """Choose the arrangement for the new space, unless the user looks at a part."""
        if self.arranger.busy:
            self._resizing.start()
        elif self.view.is_fitted and self.stage.picture is not None:
            self.arrange()
        else:
            self.settled.emit()

    def _on_arranger_layout_finished(self, picture: GraphPicture, same: bool) -> None:
        if self._state.index is not None:
            self._pages.setCurrentWidget(self.view)
            if not same or self.stage.picture is None:
                self.stage.put(self._state.index, picture, keep_place=same)
                self._put_marks()
            self.settled.emit()

    def _on_arranger_failed(self, sentence: str) -> None:
        self.notice.say(self.tr("The graph cannot be shown"), sentence)
        self._pages.setCurrentWidget(self.notice)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self.view.set_type_scale(self._theme.scale)
        self._resizing.start()
