"""Breadcrumbs above the graph: the groups around the current node, with links to each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QAction, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.viewer.actions import tip_of
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import READABLE, GraphView
from gradviz.viewer.canvas.layout.graph_picture import GraphFrame, frames_around
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.widgets.focus_ring import order_tabs, stop_before
from gradviz.viewer.widgets.plain_text import plain_tooltip

WIDEST = 190
"""Maximum width of a name in pixels at scale 1; longer names are elided in the middle."""


class BreadcrumbBar(QWidget):
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
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._into = into
        self._theme = state.theme
        self._texts: tuple[str, ...] = ()
        self.buttons: list[QToolButton] = []
        self._signs: list[QLabel] = []
        self._links: list[Callable[[], None]] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 2, 8, 2)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        # Long names must not widen the window; `_elide_crumbs` hides what does not fit.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Groups around the current node"))
        # Without this, Qt does not paint the window color of a child widget.
        self.setAutoFillBackground(True)
        self._paint_ground()
        self.hide()
        stage.current_changed.connect(self._on_stage_current_changed)

    def dress(self) -> None:
        """Repaint in another theme, on the canvas background."""
        self._texts = ()
        self._remove_from(0)
        self._paint_ground()
        self._on_stage_current_changed()

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
        focused = any(button.hasFocus() for button in self.buttons)
        before = len(self.buttons)
        self._links = []
        self._show_crumb(self.tr("Graph"), self.tr("Show the whole graph"), self._view.fit)
        above = ""
        for at, frame in enumerate(frames):
            title, line = frame.drawn.title, frame.drawn.line
            text = self.tr("Go to {0}, {1}") if line else self.tr("Go to {0}")
            go_to = partial(self._go_to, frames, at)
            self._show_crumb(title.removeprefix(above), text.format(title, line), go_to)
            above = f"{title}."
        if folded is not None:
            tip = tip_of(self._into, self.tr("Open {0}").format(folded.title))
            self._show_crumb(
                folded.title.removeprefix(above), tip, partial(self._open, folded.group)
            )
        self._remove_from(len(self._links))
        self._elide_crumbs()
        # Qt puts new widgets at the end of the tab order, wherever they are in the layout.
        order_tabs(stop_before(self._view), self.buttons[before:])
        if focused:
            # The button that had the focus may be gone or lead to another group.
            self.buttons[-1].setFocus()

    def _show_crumb(self, name: str, tip: str, link: Callable[[], None]) -> None:
        """Show the next name; buttons are reused, as creating them is slow."""
        at = len(self._links)
        self._links.append(link)
        if at == len(self.buttons):
            self._add()
        button = self.buttons[at]
        space = self._theme.px(WIDEST)
        short = button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, space)
        # Qt takes a single & for the mark of a mnemonic.
        text = short.replace("&", "&&")
        if text != button.text():
            button.setText(text)
        if tip != button.accessibleName():
            button.setAccessibleName(tip)
            button.setToolTip(plain_tooltip(tip))

    def _add(self) -> None:
        at = len(self.buttons)
        if at:
            sign = QLabel("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")
            wear(sign, self._theme, SMALL_PIXELS)
            sign.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self._signs.append(sign)
            self._insert(sign)
        button = QToolButton()
        wear(button, self._theme, SMALL_PIXELS)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # `clicked` passes its checked state.
        button.clicked.connect(lambda _=False: self._links[at]())
        self.buttons.append(button)
        self._insert(button)

    def _insert(self, widget: QWidget) -> None:
        """Insert a widget before the stretch at the end."""
        self._row.insertWidget(self._row.count() - 1, widget)

    def _remove_from(self, count: int) -> None:
        """Remove the buttons after the first ``count``, with the signs before them."""
        signs = max(0, count - 1)
        for widget in (*self.buttons[count:], *self._signs[signs:]):
            self._row.removeWidget(widget)
            # `deleteLater` waits for the event loop; until then it would still be painted.
            widget.hide()
            widget.deleteLater()
        del self.buttons[count:], self._signs[signs:]

    def _open(self, key: str) -> None:
        self._view.setFocus()
        self._state.open_groups((key,))

    def _go_to(self, frames: tuple[GraphFrame, ...], at: int) -> None:
        """Go to a group, and close the groups opened around the current node inside it."""
        frame = frames[at]
        self._view.setFocus()
        self._show(QRectF(*frame.box))
        inner = (each.drawn.group for each in frames[at + 1 :])
        opened = next((key for key in inner if key in self._state.folds.opened), None)
        if opened is not None:
            self._state.close_group(opened)

    def _show(self, area: QRectF) -> None:
        space = self._view.uncovered_rect
        fitting = min(space.width() / area.width(), space.height() / area.height())
        if fitting < self._view.scale_factor:
            self._view.zoom_to(max(fitting, READABLE))
        self._view.centre_on(area.center())

    def _elide_crumbs(self) -> None:
        """Hide names from the left, except the first, until the rest fits."""
        if not self.buttons:
            return
        widths = [button.sizeHint().width() for button in self.buttons]
        gap = max((sign.sizeHint().width() for sign in self._signs), default=0)
        free = self.width() - 16 - sum(widths) - gap * len(self._signs)
        # A layout shows new widgets only in the next turn of the event loop.
        self.buttons[0].show()
        for at in range(1, len(self.buttons)):
            hidden = free < 0 and at < len(self.buttons) - 1
            self.buttons[at].setHidden(hidden)
            self._signs[at - 1].setHidden(hidden)
            if hidden:
                free += widths[at] + gap

    def sizeHint(self) -> QSize:
        """The height of a button."""
        return QSize(100, self._theme.px(SMALL_PIXELS) + 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many names as fit."""
        super().resizeEvent(event)
        self._elide_crumbs()
