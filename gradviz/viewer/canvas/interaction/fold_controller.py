"""Opens and closes groups: by double-clicks, frame buttons, commands, or to reveal a node."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip

from gradviz.drawing.grouping.groups import FoldState
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layout.graph_arranger import GraphArranger
from gradviz.viewer.canvas.layout.graph_picture import GraphFrame, frames_around
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.plain_text import plain_tooltip


class FoldController(QObject):
    """Controller that turns user actions on groups into changes of the state."""

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        view: GraphView,
        stage: GraphStage,
        arranger: GraphArranger,
        actions: Actions,
    ) -> None:
        super().__init__(view)
        self._state = state
        self._view = view
        self._stage = stage
        self._arranger = arranger
        self._actions = actions
        self._sought: int | None = None
        self._pressed: str | None = None
        # A QGraphicsView receives its mouse events through the viewport.
        view.viewport().installEventFilter(self)
        actions.open_group.triggered.connect(self.go_into)
        actions.close_group.triggered.connect(self.go_out)
        actions.fold_all.triggered.connect(self._on_fold_all_triggered)
        stage.current_changed.connect(self._on_stage_current_changed)
        requests.node_requested.connect(self._on_node_requested)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_stage_current_changed()

    @Slot()
    def go_into(self) -> None:
        """Open the selected closed group, else the one that contains the current node."""
        key = self._stage.folded_group()
        if key:
            self._state.open_groups((key,))

    @Slot()
    def go_out(self) -> None:
        """Close the innermost open group around the selected or current node."""
        frames = self._frames()
        if frames:
            self._state.close_group(frames[-1].drawn.group)

    def _frames(self) -> tuple[GraphFrame, ...]:
        picture = self._stage.picture
        return () if picture is None else frames_around(picture, self._stage.current_box())

    @Slot()
    def _on_stage_current_changed(self) -> None:
        """Update which commands are enabled, and retry a pending request to show a node."""
        self._actions.open_group.setEnabled(bool(self._stage.folded_group()))
        self._actions.close_group.setEnabled(bool(self._frames()))
        self._actions.fold_all.setEnabled(self._state.folds != FoldState())
        if self._sought is not None and self._stage.picture is not None:
            self._on_node_requested(self._sought)

    @Slot()
    def _on_fold_all_triggered(self) -> None:
        self._state.fold(FoldState())

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self._sought = None

    @Slot(object)
    def _on_node_requested(self, node: int) -> None:
        picture, hierarchy = self._stage.picture, self._arranger.hierarchy
        if picture is None or hierarchy is None or self._arranger.busy:
            # The groups are known only after the layout; `current_changed` then retries.
            self._sought = node
            return
        self._sought = None
        box = self._stage.box_of(node)
        hiding = "" if box is None else picture.nodes[box].group
        keys = [group.key for group in hierarchy.around(node)]
        if hiding in keys:
            self._state.open_groups(keys[keys.index(hiding) :])
        elif box is not None:
            self._view.enlarge(box)

    def _sign_at(self, place: QPointF) -> GraphFrame | None:
        """Frame whose close button is at a viewport position."""
        frame = self._bar_at(place)
        return frame[0] if frame is not None and frame[1] else None

    def _bar_at(self, place: QPointF) -> tuple[GraphFrame, bool] | None:
        scene = self._stage.scene
        if scene is None or self._view.card_at(place.toPoint()) is not None:
            return None
        return scene.frames.at(self._view.mapToScene(place.toPoint()))

    def _double_click(self, place: QPointF) -> bool:
        picture = self._stage.picture
        card = self._view.card_at(place.toPoint())
        if picture is not None and card is not None and picture.nodes[card].group:
            self._state.open_groups((picture.nodes[card].group,))
            return True
        bar = self._bar_at(place)
        if bar is not None:
            self._state.close_group(bar[0].drawn.group)
        return bar is not None

    def _press(self, place: QPointF) -> bool:
        frame = self._sign_at(place)
        self._pressed = None if frame is None else frame.drawn.group
        return frame is not None

    def _release(self, place: QPointF) -> bool:
        pressed, self._pressed = self._pressed, None
        frame = self._sign_at(place)
        # As with any button, moving away before the release cancels the click.
        if pressed is not None and frame is not None and frame.drawn.group == pressed:
            self._state.close_group(pressed)
        return pressed is not None

    def _hover(self, event: QMouseEvent) -> None:
        scene, frame = self._stage.scene, self._sign_at(event.position())
        if scene is None or not scene.titles.set_hovered(frame):
            return
        if frame is None:
            self._view.viewport().unsetCursor()
            QToolTip.hideText()
            return
        self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        text = tip_of(self._actions.close_group, self.tr("Close {0}").format(frame.drawn.title))
        QToolTip.showText(event.globalPosition().toPoint(), plain_tooltip(text), self._view)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle mouse events that open and close groups; leave all others to the view."""
        scene = self._stage.scene
        if event.type() == QEvent.Type.Leave and scene is not None:
            scene.titles.set_hovered(None)
        if not isinstance(event, QMouseEvent):
            return False
        if event.type() == QEvent.Type.MouseMove and not event.buttons():
            self._hover(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        match event.type():
            case QEvent.Type.MouseButtonDblClick:
                return self._double_click(event.position())
            case QEvent.Type.MouseButtonPress:
                return self._press(event.position())
            case QEvent.Type.MouseButtonRelease:
                return self._release(event.position())
        return False
