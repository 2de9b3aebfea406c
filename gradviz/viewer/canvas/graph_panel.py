"""The graph panel: the view with its toolbar, or a notice if there is no graph."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.groups import FoldState, folds_in
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.model.columns import DISPATCH
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import PATIENCE_MS, Background
from gradviz.viewer.canvas.dispatch.band import DispatchBand
from gradviz.viewer.canvas.graph_notice import GraphNotice
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_toolbar import GraphToolbar
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.interaction.fold_controller import BreadcrumbBar, FoldController
from gradviz.viewer.canvas.interaction.graph_controller import (
    GraphController,
    StorageController,
    TimeController,
)
from gradviz.viewer.canvas.interaction.graph_legend import GraphLegend
from gradviz.viewer.canvas.interaction.hover_controller import HoverController
from gradviz.viewer.canvas.interaction.step_animation import StepAnimation
from gradviz.viewer.canvas.layout.animation_clock import FOLD_MS
from gradviz.viewer.canvas.layout.graph_arranger import GraphArranger
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.canvas.layout.graph_space import MOST_ADAPTED, READABLE_PIXELS, GraphSpace
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.layouts import lay_out

_ENLARGED = 1.02
"""Least factor by which text must grow for a part of the graph to replace all of it."""

_RESIZING_MS = 150

_MOST_MESSAGE = 0.1
"""Share of the height up to which a message above the graph does not change its arrangement."""


class GraphPanel(QWidget):
    """Shows the graph of the current trace at the current step.

    Signals:
        settled: The graph, or the reason why there is none, is shown; nothing is running.
        invites_changed: Whether a large button runs what was opened.
    """

    settled = Signal()
    invites_changed = Signal(bool)

    def __init__(
        self, state: ViewerState, requests: ViewRequests, background: Background, actions: Actions
    ) -> None:
        super().__init__()
        self._state, self._theme = state, state.theme
        self.arranger = GraphArranger(background, self)
        self.view = GraphView(self)
        self.stage = GraphStage(state, self.view, self)
        self.notice = GraphNotice(state.theme, self)
        self.band = DispatchBand(state, self)
        self.strip = GraphToolbar(state.theme, actions, self)
        self._graph_controller = GraphController(state, self.view, self.stage, actions, self)
        self._hover = HoverController(state, self.view, self.stage, actions.describe, self)
        self.folding = FoldController(
            state, requests, self.view, self.stage, self.arranger, actions
        )
        self.crumbs = BreadcrumbBar(state, self.view, self.stage, actions.open_group, self)
        self._shown = state.folds
        self._showed_part = False
        self._margin = 0
        self._area: QWidget | None = None
        self._arranged_space: GraphSpace | None = None
        self._type_scale = state.theme.scale
        self._text_scale = state.preferences.text_scale
        self._part_scale = 0.0
        self.motion = StepAnimation(state, self.view, self.stage, actions.animate, self)
        self._storages = StorageController(state, self.view, self.stage, self)
        self._times = TimeController(state, self.view, self.stage, actions.color_by_time, self)
        self.surroundings = GraphLegend(state, self.view, self.stage, actions)
        self._activity = "idle"
        self._invitation: tuple[str, str] | None = None
        self._run = actions.run
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._resizing = QTimer(self, singleShot=True)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.notice)
        self._panes = lay_out(
            QVBoxLayout(self), self.crumbs, self.band, (self._pages, 1), self.strip, gap=0
        )
        self._connect()
        self._on_state_trace_changed(state.index)

    @cached_property
    def dispatch(self) -> QWidget:
        """The picture of a call, imported and built for the first run that has no graph."""
        from gradviz.viewer.canvas.dispatch.view import DispatchView

        self._pages.addWidget(view := DispatchView(self._state, self))
        return view

    @property
    def is_settled(self) -> bool:
        """Whether no layout is running or about to run."""
        return not self.arranger.busy and not self._resizing.isActive()

    @property
    def scene(self) -> GraphScene | None:
        """The scene that is shown, or None."""
        return self.stage.scene

    @property
    def _space(self) -> GraphSpace:
        space, scale = self.view.lasting_rect, self._state.theme.scale
        # The same height whether the bar is shown or not, since that depends on the arrangement.
        height = space.height() + (self.crumbs.height() if self.crumbs.isVisible() else 0)
        if self._may_have_groups:
            height -= self.crumbs.sizeHint().height()
        message = 0 if self._area is None else self._area.y()
        if message <= _MOST_MESSAGE * height:
            height += message
        return GraphSpace(
            width=min(space.width(), self.view.width() - self._margin),
            height=height,
            least=READABLE_PIXELS * min(scale, 1.0),
            growth=max(scale, 1.0),
        )

    @property
    def _may_have_groups(self) -> bool:
        """Whether a graph can have groups, and so the bar that leads to them."""
        index = self._state.iterations.graph_index
        if index is None or len(index.trace.nodes) > MOST_ADAPTED:
            return True
        return len(hierarchy_of(index).groups) > 1

    @property
    def _shows_part(self) -> bool:
        """Whether the view is at the scale at which the panel showed a part of the graph."""
        return self.view.scale_factor == self._part_scale

    @property
    def _shows_suitable_part(self) -> bool:
        """Whether the panel, and not the user, has chosen the visible part of the graph."""
        return self.view.is_fitted or self._shows_part

    def place_below_messages(self, area: QWidget) -> None:
        """Arrange graphs for the space that they have without the messages that come and go.

        Args:
            area: A widget around the panel; what its parent has above it are messages.
        """
        self._area = area

    def invite(self, title: str, text: str) -> None:
        """Offer to run something, as long as there is no trace.

        Args:
            title: Name of what would run.
            text: What would happen.
        """
        self._invitation = title, text
        if self._state.index is None:
            self._show_no_graph(None)

    def show_activity(self, activity: str) -> None:
        """Announce an activity, such as ``running`` or ``opening``, if the panel is empty."""
        self._activity = activity
        if self._state.index is None:
            self._show_no_graph(None)

    def cover(self, pixels: int) -> None:
        """Fit the graph into what a panel over it leaves, unless the user looks at a part."""
        if pixels == self.view.covered:
            return
        chosen = self._shows_suitable_part
        if not self.view.covered:
            self._showed_part = not self.view.is_fitted
        self.view.cover(pixels)
        self.strip.cover(pixels)
        if chosen and self.stage.picture is not None:
            self.view.fit()
            if self._showed_part and not pixels:
                self.view.start_at(self.stage.current_box())
                self._enlarge_text()

    def _connect(self) -> None:
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._state.folds_changed.connect(self._on_state_folds_changed)
        self._state.iterations.changed.connect(self._on_iterations_changed)
        self.arranger.layout_finished.connect(self._on_arranger_layout_finished)
        self.arranger.failed.connect(self._on_arranger_failed)
        self.arranger.problems_found.connect(self.stage.show_problems)
        self.view.scale_changed.connect(self._show_facts)
        self.view.margin_reserved.connect(self._on_view_margin_reserved)
        self.view.resized.connect(self._on_view_resized)
        self._resizing.timeout.connect(self._on_resizing_timeout)
        self._patience.timeout.connect(self._on_patience_timeout)
        self.notice.pressed.connect(self._on_notice_pressed)
        self._run.enabledChanged.connect(self._on_run_enabled_changed)

    def _say(self, title: str, text: str, button: str = "") -> None:
        self._patience.stop()
        self.view.viewport().setUpdatesEnabled(True)
        invites = self._state.index is None and bool(button)
        self.notice.say(title, text, button, primary=invites)
        self.invites_changed.emit(invites)
        self._pages.setCurrentWidget(self.notice)

    def _show_no_graph(self, index: TraceIndex | None) -> None:
        self.arranger.cancel()
        if index is not None and (index.steps.kinds == DISPATCH).any():
            self.view.viewport().setUpdatesEnabled(True)
            self._pages.setCurrentWidget(self.dispatch)
            self.settled.emit()
            return
        if index is None and self._activity != "idle":
            text = self.tr("The graph appears here when the run has finished.")
            if self._activity == "opening":
                text = self.tr("The graph appears here when the recording has been read.")
            self._say(self.tr("Please wait"), text)
        elif index is None and self._invitation is not None:
            self._say(*self._invitation, self.tr("Run"))
        elif index is None and self._run.isEnabled():
            text = self.tr("Run executes it with the values in Inputs.")
            self._say(self.tr("Nothing to show yet"), text, self.tr("Run"))
        elif index is None:
            text = self.tr(
                "Choose a scene in the library, or drop a Python file or a trace on this window."
            )
            self._say(self.tr("Nothing to show yet"), text)
        else:
            text = self.tr(
                "This run created no autograd nodes. Autograd creates them for tensors that require"
                " a gradient, outside of torch.no_grad()."
            )
            self._say(self.tr("No graph"), text)
        self.settled.emit()

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._patience.stop()
        # A layout that is known, or short, must not make the graph blink.
        self.view.viewport().setUpdatesEnabled(False)
        self.stage.clear()
        self._show_facts()
        index = self._state.iterations.graph_index
        if index is None or not index.trace.nodes:
            self._show_no_graph(index)
            return
        self.invites_changed.emit(False)
        # Most layouts take less than the patience; a notice for so short a time would flicker.
        self._pages.setCurrentWidget(self.view)
        self._patience.start()
        self._arrange(index)

    def _arrange(self, index: TraceIndex) -> None:
        """Start the layout for the current space."""
        # The bar may just have been hidden. Qt gives its space to the view only later.
        self._panes.activate()
        self._arranged_space = self._space
        self.arranger.arrange(index, self._state.folds, self._arranged_space)

    def _on_iterations_changed(self, _: object) -> None:
        """Lay out another iteration while the graph of the last one stays as it is."""
        index, before = self._state.iterations.graph_index, self.arranger.hierarchy
        if index is None or not index.trace.nodes:
            return
        self.stage.hold()
        folds = self._state.folds
        if before is not None and folds != FoldState():
            folds = folds_in(before, hierarchy_of(index), folds)
        if folds != self._state.folds:
            # The graph is laid out when the state announces the groups.
            self._state.fold(folds)
        else:
            self._patience.start()
            self._arrange(index)

    def _on_state_folds_changed(self, folds: FoldState) -> None:
        index = self._state.iterations.graph_index
        if index is None or not index.trace.nodes:
            return
        # The user returned to the groups of the visible picture while another layout was running.
        if self.stage.is_current and folds == self._shown:
            self._end_waiting()
            return
        self._patience.start()
        self._arrange(index)

    def _show_facts(self) -> None:
        small = self.view.is_fitted and not self.view.is_readable
        self.strip.show_facts(self.stage.picture, self.view.scale_factor, small=small)

    def _end_waiting(self) -> None:
        """Cancel the layout and show the last picture again, which is still valid."""
        self.arranger.cancel()
        self._patience.stop()
        self._pages.setCurrentWidget(self.view)
        self.settled.emit()

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        if self._theme.scale != self._type_scale:
            self._type_scale = self._theme.scale
            # Larger text needs another arrangement even if the view keeps its size.
            self._resizing.start(_RESIZING_MS)
        before, self._text_scale = self._text_scale, self._state.preferences.text_scale
        if before != self._text_scale and not self._shows_suitable_part:
            self.view.zoom_to(self.view.scale_factor * self._text_scale / before)

    def _on_resizing_timeout(self) -> None:
        """Choose the arrangement for the new space, unless the user looks at a part."""
        if self.arranger.busy:
            # The layout in progress is for the former space, and starting again could take long.
            self._resizing.start(_RESIZING_MS)
            return
        index = self._state.iterations.graph_index
        if self.stage.picture is None or index is None or not self._shows_suitable_part:
            self.settled.emit()
        elif self._space == self._arranged_space:
            self._show_facts()
            self.settled.emit()
        else:
            self._arrange(index)

    def _on_patience_timeout(self) -> None:
        self._say(
            self.tr("Laying out the graph…"),
            self.tr("You can use the steps and the inspector meanwhile."),
            self.tr("Cancel"),
        )

    def _on_arranger_layout_finished(self, picture: GraphPicture, same: bool) -> None:
        index = self._state.index
        if index is None:
            return
        self._patience.stop()
        self._pages.setCurrentWidget(self.view)
        self.view.viewport().setUpdatesEnabled(True)
        was_current = self._space == self._arranged_space
        chosen = self._put(index, picture, same)
        if chosen and self.view.covered:
            self._showed_part = True
        elif chosen:
            self._enlarge_text()
        # Showing the picture may have resized the view and started the timer. A bar does not change
        # the space, but a legend does.
        if self._space == self._arranged_space:
            self._resizing.stop()
        elif was_current and self._resizing.isActive():
            self._resizing.start(0)
        self._show_facts()
        self.settled.emit()

    def _put(self, index: TraceIndex, picture: GraphPicture, same: bool) -> bool:
        """Show a new picture; return whether the panel chooses its visible part."""
        folds, self._shown = self._shown, self._state.folds
        chosen = self._shows_suitable_part
        if same and self.stage.is_current:
            if self._shows_part:
                self.view.fit()
                self.view.start_at(self.stage.current_box())
            return chosen
        if self.stage.is_current and folds != self._shown:
            movement = self.stage.exchange(index, picture)
            if movement is not None:
                self.motion.clock.play(movement, FOLD_MS)
            return False
        # Another iteration stays at the same place and scale, unless the panel has chosen them.
        is_held = self.stage.picture is not None and not self.stage.is_current
        keeps = not chosen if is_held else same
        self.stage.put(index, picture, keep_place=keeps)
        return chosen or not keeps

    def _enlarge_text(self) -> None:
        """Show a part of a fitted graph if all of it would leave the text smaller than wanted."""
        wanted = self.arranger.wanted_scale
        if self.view.is_fitted and wanted > _ENLARGED * self.view.scale_factor:
            self.view.zoom_to(wanted)
            self.stage.aim()
        self._part_scale = 0.0 if self.view.is_fitted else self.view.scale_factor

    def _on_arranger_failed(self, sentence: str) -> None:
        if self.stage.picture is not None:
            title = self.tr("Cannot open the group")
            self._say(title, sentence, self.tr("Back to Graph"))
        else:
            self._say(self.tr("Cannot show the graph"), sentence, self.tr("Try Again"))
        self.settled.emit()

    def _on_run_enabled_changed(self, _: bool) -> None:
        if self._state.index is None:
            self._show_no_graph(None)

    def _on_notice_pressed(self) -> None:
        if self._state.index is None:
            self._run.trigger()
        elif self.stage.picture is not None:
            self._state.fold(self._shown)
        elif self.arranger.busy:
            self.arranger.cancel()
            text = self.tr("The layout was canceled.")
            self._say(self.tr("No graph"), text, self.tr("Lay Out Graph"))
            self.settled.emit()
        else:
            self._on_state_trace_changed(self._state.index)

    def _on_view_margin_reserved(self, pixels: int) -> None:
        # Another arrangement has other signs and so another legend. Only a wider one counts, or two
        # arrangements could take turns forever.
        if pixels > self._margin or not self._state.preferences.legend:
            self._margin = pixels
            self._resizing.start(_RESIZING_MS)

    def _on_view_resized(self) -> None:
        self._margin = self.view.width() - self.view.lasting_rect.width()
        self._resizing.start(_RESIZING_MS)
