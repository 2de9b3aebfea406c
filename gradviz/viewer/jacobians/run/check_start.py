"""What the Jacobians tab shows before a check: what it will do, with the Function's own values."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.catalogue.messages import say
from gradviz.model.function_call import FunctionCall
from gradviz.story.check_start import check_steps_block, plan_of
from gradviz.viewer.jacobians.pictures import PlotView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, set_style_sheet, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_STEPS = 400.0
"""Height of the three steps, in units of a slide."""

_LARGE, _BUTTON, _WIDEST = 300, 44, 900
"""Width and height of the large button, and width of the page, in pixels at scale 1."""


def _style() -> str:
    return f"""
        QPushButton[link="true"] {{
            border: none; color: {sheet_color("accent")}; padding: 4px 8px 4px 0;
        }}
        QPushButton[link="true"]:hover, QPushButton[link="true"]:focus {{
            text-decoration: underline;
        }}
        QPushButton[link="true"]:disabled {{ color: {sheet_color("text_muted")}; }}
    """


class CheckStart(QWidget):
    """Three steps that say what a check does, and a large button that starts it.

    Signals:
        check_requested: Order of the check, 1 or 2.
        options_requested: The options are to be shown at this place on the screen.
    """

    check_requested = Signal(object)
    options_requested = Signal(object)

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self._state = state
        self.head = PlainLabel(say("story.check_question"), pixels=22, bold=True)
        self.count = PlainLabel(pixels=UI_PIXELS + 1)
        self.steps = PlotView(state, _STEPS, grows=True)
        self.check = QPushButton(self.tr("Check the Gradient"))
        self.check.setProperty("primary", True)
        self.second = self._link(self.tr("Check the Second Derivative"))
        self.options = self._link(self.tr("Options"))
        self.what = PlainLabel(
            self.tr("eps, atol, rtol, complex, other incoming gradients"), muted=True
        )
        self.reason = PlainLabel()
        self.check.clicked.connect(lambda: self.check_requested.emit(1))
        self.second.clicked.connect(lambda: self.check_requested.emit(2))
        self.options.clicked.connect(self._on_options_clicked)
        self._lay_out()
        set_theme_font(self.check, state.theme, 17, bold=True)
        for link in (self.second, self.options):
            set_theme_font(link, state.theme, bold=True)
        self.update_theme()
        self.show_subject("", "")

    def _link(self, text: str) -> QPushButton:
        link = QPushButton(text)
        link.setProperty("link", True)
        link.setFlat(True)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        return link

    def show_subject(self, name: str, function: str, call: FunctionCall | None = None) -> None:
        """Show the arguments and outputs of what a check compares.

        Args:
            name: Name of what is checked, if it is not simply the scene itself; else empty.
            function: Name of the custom Function; empty if something else is checked.
            call: The call that is repeated, if that is known.
        """
        plan = plan_of(self._state.index, function, call)
        hidden = self._state.revealed.hidden_tensors
        moved, seen = (
            None if each is None or each.item.tensor in hidden else each for each in plan.values
        )
        plan = replace(plan, values=(moved, seen))
        texts = [f"{title}. {text}" for title, text in zip(plan.titles, plan.captions, strict=True)]
        self.steps.show_plot(partial(check_steps_block, plan), "\n".join(texts))
        text = plan.count
        if not text and name:
            text = self.tr("In this scene, the check tests {0}.").format(name)
        show_text(self.count, text)

    def set_reason(self, reason: str) -> None:
        """Set why nothing can be checked; empty if a check can start."""
        show_text(self.reason, reason)
        self.steps.setVisible(not reason)
        for button in (self.check, self.second):
            button.setEnabled(not reason)

    def _lay_out(self) -> None:
        page = QWidget()
        start = lay_out(QHBoxLayout(), self.check, (self.reason, 1), 1, gap=16)
        links = lay_out(QHBoxLayout(), self.second, self.options, (self.what, 1))
        parts = self.head, self.count, self.steps, start, links
        lay_out(QVBoxLayout(page), *parts, margins=None, gap=18)
        self._page = page
        lay_out(QHBoxLayout(self), 1, (page, 8, Qt.AlignmentFlag.AlignTop), 1, margins=None)

    def _on_options_clicked(self) -> None:
        link = self.options
        self.options_requested.emit(link.mapToGlobal(link.rect().bottomLeft()))

    def update_theme(self) -> None:
        """Fit sizes to the theme."""
        theme = self._state.theme
        set_style_sheet(self, _style())
        self._page.setMaximumWidth(theme.px(_WIDEST))
        self.check.setMinimumSize(theme.px(_LARGE), theme.px(_BUTTON))
