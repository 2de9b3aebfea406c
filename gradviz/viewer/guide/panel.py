"""The Guide panel, which shows the page of the current scene or any other page."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.gallery.guide.pages import page, written
from gradviz.gallery.guide.plain import text_lines
from gradviz.model.index import Index
from gradviz.viewer.background import Background
from gradviz.viewer.guide.browser import PageBrowser
from gradviz.viewer.guide.head import Foot, Head
from gradviz.viewer.guide.history import History
from gradviz.viewer.guide.scene import scene_of
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState


class GuidePanel(QWidget):
    """Shows a page with its navigation bars and follows the run.

    Signals:
        link_pressed: Kind and target of a link that leads out of the guide.
    """

    link_pressed = Signal(str, str)

    def __init__(
        self, state: ViewerState, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._history = History()
        self._followed = ""
        self.head, self.foot = Head(self), Foot(self)
        self.browser = PageBrowser(state.theme, background, self)
        self._lay_out()
        self.head.turned.connect(self._on_head_turned)
        self.head.contents.chosen.connect(self._on_page_chosen)
        self.foot.chosen.connect(self._on_page_chosen)
        self.browser.link_pressed.connect(self._on_browser_link_pressed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_theme_changed(state.theme)
        self._on_state_trace_changed(state.index)
        if self.name == "" and written():
            self.open(written()[0])

    @property
    def name(self) -> str:
        """Name of the page that is shown; empty if none."""
        shown = self.browser.page
        return "" if shown is None else shown.name

    def open(self, name: str) -> None:
        """Show a page if it exists."""
        if name in written():
            self._history.visit(name)
            self._show(name)

    def _show(self, name: str) -> None:
        shown = page(name)
        self.browser.show_page(shown)
        # Images have no text, so screen readers get the formulas as LaTeX.
        self.browser.setAccessibleDescription("\n".join(text_lines(shown)))
        self._show_step()
        self.head.contents.show_page(name)
        self.foot.show_page(name)
        self.head.back.setEnabled(self._history.can_turn(-1))
        self.head.forward.setEnabled(self._history.can_turn(1))

    def _show_step(self) -> None:
        own = scene_of(self._state.index) == self.name
        self.browser.show_step(self._state.number if own else 0)

    def _lay_out(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Guide"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.browser, 1)
        column.addWidget(self.foot)

    @Slot(object)
    def _on_head_turned(self, by: int) -> None:
        name = self._history.turn(by)
        if name is not None:
            self._show(name)

    @Slot(str)
    def _on_page_chosen(self, name: str) -> None:
        self.open(name)

    @Slot(str, str)
    def _on_browser_link_pressed(self, kind: str, target: str) -> None:
        if kind == "page":
            self.open(target)
        else:
            self.link_pressed.emit(kind, target)

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        scene = scene_of(index)
        # Do not leave the current page just because the same scene runs again.
        if scene and scene != self._followed:
            self.open(scene)
        self._followed = scene or self._followed
        self._show_step()

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._show_step()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.head.set_theme(theme)
        self.foot.set_theme(theme)
        self.browser.set_theme(theme)
