"""Breadcrumbs above the graph: the groups around the current node, with links to each."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Slot
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QWidget

from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.viewer.actions import tip_of
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import READABLE, GraphView
from gradviz.viewer.canvas.layout.graph_picture import GraphFrame, frames_around
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.crumb_row import Crumb, CrumbRow
from gradviz.viewer.widgets.focus_ring import order_tabs, stop_before


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
        self._texts: tuple[str, ...] = ()
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

    @Slot()
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
        texts_now = (*(frame.drawn.id for frame in frames), "" if folded is None else folded.id)
        if texts_now != self._texts or not self.buttons:
            self._texts = texts_now
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
