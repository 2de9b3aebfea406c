"""The Guide panel, which shows the page of the current scene or any other page."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.catalogue.language import current_language
from gradviz.gallery.guide.contents import CHAPTERS, neighbours
from gradviz.gallery.guide.hidden_facts import hide_facts
from gradviz.gallery.guide.page import GuidePage
from gradviz.gallery.guide.pages import page, page_names, page_title
from gradviz.gallery.guide.plain_text import text_lines
from gradviz.viewer.background import Background
from gradviz.viewer.guide.page_browser import PageBrowser
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.wheel_guard import WheelGuard

_MOST_ROWS = 24
_SPACING = 24
"""Extra width in pixels for the scroll bar."""

_EDGES = 4
"""Pixels beside the text of the closed contents."""


class ContentsBox(QComboBox):
    """All pages in teaching order, scenes indented below their chapter.

    Signals:
        chosen: Name of a page.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Guide contents"))
        self.setToolTip(self.tr("All pages of the guide in teaching order"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(_MOST_ROWS)
        WheelGuard(self)
        available = page_names()
        for chapter in CHAPTERS:
            for name in chapter.pages:
                if name in available:
                    indent = "" if name == chapter.id else "    "
                    self.addItem(f"{indent}{page_title(name, current_language())}", name)
        self.activated.connect(lambda row: self.chosen.emit(self.itemData(row)))
        set_theme_font(self, theme)
        self.update_theme()

    def update_theme(self) -> None:
        """Apply another theme; chapters are bold."""
        chapters = {chapter.id for chapter in CHAPTERS}
        for row in range(self.count()):
            bold = self.itemData(row) in chapters
            self.setItemData(row, self._theme.font(bold=bold), Qt.ItemDataRole.FontRole)
        # The popup may be wider than the field, so that titles are not cut.
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + self._theme.px(_SPACING))

    def show_page(self, name: str) -> None:
        """Select the page that is shown."""
        self.setCurrentIndex(self.findData(name))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the title without its indentation; the page repeats a title that is too long."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        option.currentText = self.fontMetrics().elidedText(
            self.currentText().strip(), Qt.TextElideMode.ElideRight, field.width() - _EDGES
        )
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class GuideHeader(QWidget):
    """Top bar with Back, Forward and the contents."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.contents = ContentsBox(theme, self)
        self.back = _button(self.tr("Go back"), self)
        self.forward = _button(self.tr("Go forward"), self)
        lay_out(
            QHBoxLayout(self),
            self.back,
            self.forward,
            (self.contents, 1),
            margins=(6, 6, 6, 4),
            gap=4,
        )
        for button, name in ((self.back, "back"), (self.forward, "forward")):
            set_theme_icon(button, theme, name, side=16)


class GuideFooter(QWidget):
    """Bottom bar with the previous and the next page in teaching order.

    Signals:
        chosen: Name of a page.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.previous = _button(self.tr("Previous Page"), self)
        self.next = _button(self.tr("Next Page"), self)
        self.previous.setText(self.tr("Previous page"))
        self.next.setText(self.tr("Next page"))
        self.previous.setAutoRaise(False)
        self.next.setAutoRaise(False)
        self._names: tuple[str | None, str | None] = (None, None)
        self.previous.clicked.connect(lambda: self.chosen.emit(self._names[0]))
        self.next.clicked.connect(lambda: self.chosen.emit(self._names[1]))
        lay_out(QHBoxLayout(self), self.previous, 1, self.next, margins=(6, 4, 6, 6))
        for button in (self.previous, self.next):
            set_theme_font(button, theme)

    def show_page(self, name: str) -> None:
        """Point the buttons to the neighbors of a page."""
        available = page_names()
        before, after = neighbours(name)
        self._names = (
            before if before in available else None,
            after if after in available else None,
        )
        for button, neighbor in zip((self.previous, self.next), self._names, strict=True):
            button.setEnabled(neighbor is not None)
            button.setToolTip(
                plain_tooltip("" if neighbor is None else page_title(neighbor, current_language()))
            )


def _button(name: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button


class PageHistory:
    """Names of the visited pages, and the position among them."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._at = -1

    def visit(self, name: str) -> None:
        """Add a page after the current one, discarding the pages ahead."""
        if self._at < 0 or self._names[self._at] != name:
            self._names[self._at + 1 :] = [name]
            self._at += 1

    def turn(self, by: int) -> str | None:
        """Move back (-1) or forward (1) and return the page; None if there is none."""
        if not self.can_turn(by):
            return None
        self._at += by
        return self._names[self._at]

    def can_turn(self, by: int) -> bool:
        """Return whether there is a page in that direction."""
        return 0 <= self._at + by < len(self._names)


class GuidePanel(QWidget):
    """Shows a page with its navigation bars and follows the run.

    Signals:
        link_pressed: Kind and target of a link that leads out of the guide.
    """

    link_pressed = Signal(str, str)

    def __init__(self, state: ViewerState, background: Background) -> None:
        super().__init__()
        self._state = state
        self._history = PageHistory()
        self._followed = ""
        self.head, self.foot = GuideHeader(state.theme, self), GuideFooter(state.theme, self)
        self.browser = PageBrowser(state.theme, background, self)
        self._lay_out()
        self.head.back.clicked.connect(partial(self._turn, -1))
        self.head.forward.clicked.connect(partial(self._turn, 1))
        self.head.contents.chosen.connect(self.open)
        self.foot.chosen.connect(self.open)
        self.browser.link_pressed.connect(self._on_browser_link_pressed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._show_step)
        state.revealed_changed.connect(self._on_state_revealed_changed)
        self._on_state_trace_changed(state.index)
        if self.name == "" and page_names():
            self.open(page_names()[0])

    @property
    def name(self) -> str:
        """Name of the page that is shown; empty if none."""
        shown = self.browser.page
        return "" if shown is None else shown.name

    def open(self, name: str) -> None:
        """Show a page if it exists."""
        if name in page_names():
            self._history.visit(name)
            self._show(name)

    def _show(self, name: str) -> None:
        self.browser.show_page(self._content(name))
        self._describe()
        self._show_step()
        self.head.contents.show_page(name)
        self.foot.show_page(name)
        self.head.back.setEnabled(self._history.can_turn(-1))
        self.head.forward.setEnabled(self._history.can_turn(1))

    def _content(self, name: str) -> GuidePage:
        """Return a page; in quiz mode without this run's values until all are revealed."""
        content, revealed = page(name, current_language()), self._state.revealed
        if revealed.is_complete:
            return content
        return hide_facts(content, scene_of(revealed.index))

    def _describe(self) -> None:
        # Images have no text, so screen readers get the formulas as LaTeX.
        shown = self.browser.page
        if shown is not None:
            self.browser.setAccessibleDescription("\n".join(text_lines(shown)))

    def _show_step(self) -> None:
        own = scene_of(self._state.index) == self.name
        self.browser.show_step(self._state.number if own else 0)

    def _lay_out(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Guide"))
        lay_out(QVBoxLayout(self), self.head, (self.browser, 1), self.foot, gap=0)

    def _turn(self, by: int, checked: bool = False) -> None:
        name = self._history.turn(by)
        if name is not None:
            self._show(name)

    def _on_browser_link_pressed(self, kind: str, target: str) -> None:
        if kind == "page":
            self.open(target)
        else:
            self.link_pressed.emit(kind, target)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        scene = scene_of(index)
        # Do not leave the current page just because the same scene runs again.
        if scene and scene != self._followed:
            self.open(scene)
        elif index is not None and not scene and self.name == self._followed:
            # Another run, such as that of a file, has no page.
            self.open(page_names()[0])
        if index is not None:
            self._followed = scene
        self._show_step()

    def _on_state_revealed_changed(self, revealed: RevealedTrace) -> None:
        shown = self.browser.page
        if shown is not None and self._content(shown.name) != shown:
            self.browser.update_page(self._content(shown.name))
            self._describe()
