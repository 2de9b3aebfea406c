"""The graph panel: the view with its toolbar, or a notice if there is no graph."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from gradviz.drawing.folds import Folds
from gradviz.model.columns import DISPATCH
from gradviz.model.index import Index
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.canvas.arrange import Arranger
from gradviz.viewer.canvas.crumbs import Crumbs
from gradviz.viewer.canvas.dispatch_band import DispatchBand
from gradviz.viewer.canvas.dispatch_view import DispatchView
from gradviz.viewer.canvas.fold_hand import FoldHand
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.hand import Hand
from gradviz.viewer.canvas.hover import Hover
from gradviz.viewer.canvas.motion import FOLD_MS
from gradviz.viewer.canvas.notice import Notice
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.stage import Stage
from gradviz.viewer.canvas.step_motion import StepMotion
from gradviz.viewer.canvas.storage_hand import StorageHand
from gradviz.viewer.canvas.strip import GraphStrip
from gradviz.viewer.canvas.surroundings import Surroundings
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState

PATIENCE_MS = 500
"""Time in milliseconds after which a running layout is announced and can be canceled."""


class GraphPanel(QWidget):
    """Shows the graph of the current trace at the current step.

    Signals:
        settled: The graph, or the reason why there is none, is shown; nothing is running.
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
        self.arranger = Arranger(background, self)
        self.view = GraphView(self)
        self.stage = Stage(state, self.view, self)
        self.notice = Notice(self)
        self.notice.set_theme(state.theme)
        self.dispatch = DispatchView(state, self)
        self.band = DispatchBand(state, self)
        self.strip = GraphStrip(state.theme, actions, self)
        self._hand = Hand(state, self.view, self.stage, actions, self)
        self._hover = Hover(state, self.view, self.stage, actions.describe, self)
        self.folding = FoldHand(state, self.view, self.stage, self.arranger, actions)
        self.crumbs = Crumbs(state, self.view, self.stage, actions.open_group, self)
        self._shown = state.folds
        self.motion = StepMotion(state, self.view, self.stage, actions.animate, self)
        self._storages = StorageHand(state, self.view, self.stage, self)
        self.surroundings = Surroundings(state, self.view, self.stage, actions, self)
        self._activity = "idle"
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.notice)
        self._pages.addWidget(self.dispatch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.crumbs)
        layout.addWidget(self.band)
        layout.addLayout(self._pages, 1)
        layout.addWidget(self.strip)
        self._connect()
        self._on_state_trace_changed(state.index)

    @property
    def is_settled(self) -> bool:
        """Whether no layout is running."""
        return not self.arranger.busy

    @property
    def scene(self) -> GraphScene | None:
        """The scene that is shown, or None."""
        return self.stage.scene

    def node_rect(self, node: int) -> QRectF:
        """Rectangle of a node in the view's viewport; empty if the node is not drawn."""
        box = self.stage.box_of(node)
        return QRectF() if box is None else self.view.card_rect(box)

    def show_activity(self, activity: str) -> None:
        """Announce an activity, such as ``running`` or ``opening``, if the panel is empty."""
        self._activity = activity
        if self._state.index is None:
            self._show_no_graph(None)

    def _connect(self) -> None:
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._state.folds_changed.connect(self._on_state_folds_changed)
        self._state.theme_changed.connect(self._on_state_theme_changed)
        self.arranger.arranged.connect(self._on_arranger_arranged)
        self.arranger.failed.connect(self._on_arranger_failed)
        self.arranger.troubles_found.connect(self.stage.show_troubles)
        self.view.scale_changed.connect(self._on_view_scale_changed)
        self._patience.timeout.connect(self._on_patience_timeout)
        self.notice.pressed.connect(self._on_notice_pressed)

    def _say(self, title: str, text: str, button: str = "") -> None:
        self._patience.stop()
        self.notice.say(title, text, button)
        self._pages.setCurrentWidget(self.notice)

    def _show_no_graph(self, index: Index | None) -> None:
        self.arranger.cancel()
        if index is not None and (index.steps.kinds == DISPATCH).any():
            self._pages.setCurrentWidget(self.dispatch)
            self.settled.emit()
            return
        if index is None and self._activity != "idle":
            title = self.tr("Please wait")
            text = self.tr("The graph appears here when the run has finished.")
        elif index is None:
            title = self.tr("Nothing to show yet")
            text = self.tr(
                "Choose a scene in the library, or drop a Python file or a trace on this window."
            )
        else:
            title = self.tr("No graph")
            text = self.tr("This run created no autograd nodes: no input requires a gradient.")
        self._say(title, text)
        self.settled.emit()

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self._patience.stop()
        self.stage.clear()
        self.strip.show_facts(None, 1.0)
        if index is None or not index.trace.nodes:
            self._show_no_graph(index)
            return
        self._pages.setCurrentWidget(self.view)
        self._patience.start()
        self.arranger.arrange(index, self._state.folds)

    @Slot(object)
    def _on_state_folds_changed(self, folds: Folds) -> None:
        index = self._state.index
        if index is None or not index.trace.nodes:
            return
        if self.stage.picture is not None and folds == self._shown:
            self._end_waiting()
            return
        self._patience.start()
        self.arranger.arrange(index, folds)

    def _end_waiting(self) -> None:
        """Cancel the layout and show the last picture again, which is still valid."""
        self.arranger.cancel()
        self._patience.stop()
        self._pages.setCurrentWidget(self.view)
        self.settled.emit()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.strip.set_theme(theme)
        self.notice.set_theme(theme)
        self.crumbs.set_theme(theme)

    @Slot()
    def _on_patience_timeout(self) -> None:
        self._say(
            self.tr("Laying out the graph…"),
            self.tr("You can use the steps and the inspector meanwhile."),
            self.tr("Cancel"),
        )

    @Slot(object, bool)
    def _on_arranger_arranged(self, picture: Picture, same: bool) -> None:
        index = self._state.index
        if index is None:
            return
        self._patience.stop()
        self._pages.setCurrentWidget(self.view)
        self._shown = self._state.folds
        if self.stage.picture is None:
            self.stage.put(index, picture, keep_place=same)
        else:
            movement = self.stage.exchange(index, picture)
            if movement is not None:
                self.motion.clock.play(movement, FOLD_MS)
        self.strip.show_facts(picture, self.view.scale_factor)
        self.settled.emit()

    @Slot(str)
    def _on_arranger_failed(self, sentence: str) -> None:
        if self.stage.picture is not None:
            title = self.tr("Cannot open the group")
            self._say(title, sentence, self.tr("Back to Graph"))
        else:
            self._say(self.tr("Cannot show the graph"), sentence, self.tr("Try Again"))
        self.settled.emit()

    @Slot()
    def _on_notice_pressed(self) -> None:
        if self.stage.picture is not None:
            self._state.fold(self._shown)
        elif self.arranger.busy:
            self.arranger.cancel()
            text = self.tr("The layout was canceled.")
            self._say(self.tr("No graph"), text, self.tr("Lay Out Graph"))
            self.settled.emit()
        else:
            self._on_state_trace_changed(self._state.index)

    @Slot(object)
    def _on_view_scale_changed(self, scale: float) -> None:
        self.strip.show_facts(self.stage.picture, scale)
