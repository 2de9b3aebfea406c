"""Opens and closes groups: by double-clicks, frame buttons, commands, crumbs, or for a node."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QMouseEvent, QPalette
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.grouping.groups import FoldState
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import READABLE, GraphView
from gradviz.viewer.canvas.layout.graph_arranger import GraphArranger
from gradviz.viewer.canvas.layout.graph_picture import GraphFrame, frames_around
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.crumb_row import Crumb, CrumbRow
from gradviz.viewer.widgets.focus_ring import order_tabs, stop_before
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

    def go_into(self) -> None:
        """Open the selected closed group, else the one that contains the current node."""
        key = self._stage.folded_group()
        if key:
            self._state.open_groups((key,))

    def go_out(self) -> None:
        """Close the innermost open group around the selected or current node."""
        frames = self._frames()
        if frames:
            self._state.close_group(frames[-1].drawn.group)

    def _frames(self) -> tuple[GraphFrame, ...]:
        picture = self._stage.picture
        return () if picture is None else frames_around(picture, self._stage.current_box())

    def _on_stage_current_changed(self) -> None:
        """Update which commands are enabled, and retry a pending request to show a node."""
        self._actions.open_group.setEnabled(bool(self._stage.folded_group()))
        self._actions.close_group.setEnabled(bool(self._frames()))
        self._actions.fold_all.setEnabled(self._state.folds != FoldState())
        if self._sought is not None and self._stage.picture is not None:
            self._on_node_requested(self._sought)

    def _on_fold_all_triggered(self) -> None:
        self._state.fold(FoldState())

    def _on_state_trace_changed(self, index: object) -> None:
        self._sought = None

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


class BreadcrumbBar(CrumbRow):
    """A button for each group around the selected or current node, outermost first.

    The button of an open group goes to it and closes the groups inside that the user opened.
    The last group may be closed; its button opens it. Hidden if the graph has no groups.
    """

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        into: QAction,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(state.theme, parent=parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._into = into
        self._groups: tuple[GraphFrame | DrawnNode | None, ...] = ()
        self.setAccessibleName(self.tr("Groups around the current node"))
        # Without this, Qt does not paint the window color of a child widget.
        self.setAutoFillBackground(True)
        self._paint_ground()
        self.hide()
        stage.current_changed.connect(self._on_stage_current_changed)

    def update_theme(self) -> None:
        """Repaint in another theme, on the canvas background."""
        super().update_theme()
        self._paint_ground()

    def _paint_ground(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, self._theme.color("canvas"))
        self.setPalette(palette)

    def _on_stage_current_changed(self) -> None:
        picture = self._stage.picture
        # Brief graphs need the whole height, and an audience does not open groups.
        grouped = (
            picture is not None
            and not picture.detail.brief
            and bool(picture.frames or picture.folded)
        )
        self.setVisible(grouped)
        if picture is None or not grouped:
            return
        box = self._stage.current_box()
        frames = frames_around(picture, box)
        folded = None if box is None else picture.nodes[box]
        if folded is not None and not folded.group:
            folded = None
        # Frames of another picture are elsewhere, and those of another trace have other titles.
        groups = (*frames, folded)
        if groups != self._groups or not self.buttons:
            self._groups = groups
            self._fill(frames, folded)

    def _fill(self, frames: tuple[GraphFrame, ...], folded: DrawnNode | None) -> None:
        crumbs = [Crumb(self.tr("Graph"), self.tr("Show the whole graph"), self._view.fit)]
        above = ""
        for at, frame in enumerate(frames):
            title, line = frame.drawn.title, frame.drawn.line
            text = self.tr("Go to {0}, {1}") if line else self.tr("Go to {0}")
            go_to = partial(self._go_to, frames, at)
            crumbs.append(Crumb(title.removeprefix(above), text.format(title, line), go_to))
            above = f"{title}."
        if folded is not None:
            tip = tip_of(self._into, self.tr("Open {0}").format(folded.title))
            go_to = partial(self._open, folded.group)
            crumbs.append(Crumb(folded.title.removeprefix(above), tip, go_to))
        # Qt puts new widgets at the end of the tab order, wherever they are in the layout.
        order_tabs(stop_before(self._view), self.show_crumbs(crumbs))

    def _open(self, key: str) -> None:
        self._view.setFocus()
        self._state.open_groups((key,))

    def _go_to(self, frames: tuple[GraphFrame, ...], at: int) -> None:
        """Go to a group, and close the groups opened around the current node inside it."""
        frame = frames[at]
        self._view.setFocus()
        self._show_area(QRectF(*frame.box))
        inner = (each.drawn.group for each in frames[at + 1 :])
        opened = next((key for key in inner if key in self._state.folds.opened), None)
        if opened is not None:
            self._state.close_group(opened)

    def _show_area(self, area: QRectF) -> None:
        space = self._view.uncovered_rect
        fitting = min(space.width() / area.width(), space.height() / area.height())
        if fitting < self._view.scale_factor:
            self._view.zoom_to(max(fitting, READABLE))
        self._view.centre_on(area.center())
