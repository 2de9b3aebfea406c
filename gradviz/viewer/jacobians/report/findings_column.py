"""The column beside the maps: verdict, diagnoses, selected element, code, and measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.numbers import number_text
from gradviz.document.location_text import location_title
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import BlockPlace, Diagnosis
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.source import Location
from gradviz.story.curve import curve_block
from gradviz.story.error_curve import error_block, error_rows
from gradviz.viewer.jacobians.check_clicks import is_wrong
from gradviz.viewer.jacobians.pictures import PassageView, PlotView, passage_of
from gradviz.viewer.jacobians.report.cards import DiagnosisCard, ElementCard, VerdictView
from gradviz.viewer.jacobians.report.report_lists import TrialsList, WorstList
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.plain_text import plain_tooltip

NUDGE = 0.001
"""Initial shift of the inputs away from a kink."""

_FURTHER = 10
_LOW_PRECISION = frozenset({"float32", "float16", "bfloat16", "complex64", "complex32"})


class SectionBox(QWidget):
    """A header that collapses and expands what is below it."""

    def __init__(self, title: str, inside: QWidget, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._folded = False
        self._header = QToolButton()
        self._header.setText(title.replace("&", "&&"))
        self._header.setAutoRaise(True)
        self._header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._header.setAccessibleName(title)
        self._body = QWidget()
        lay_out(QVBoxLayout(self._body), inside, margins=(4, 2, 4, 6))
        lay_out(QVBoxLayout(self), (self._header, 0, Qt.AlignmentFlag.AlignLeft), self._body, gap=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        set_theme_font(self._header, theme, UI_PIXELS, bold=True)
        self._show_arrow()
        self._header.clicked.connect(lambda: self.fold(not self._folded))

    def fold(self, folded: bool) -> None:
        """Collapse or expand the section."""
        if folded != self._folded:
            self._folded = folded
            self._body.setVisible(not folded)
            self._show_arrow()

    def _show_arrow(self) -> None:
        name = "expand" if self._folded else "collapse"
        set_theme_icon(self._header, self._theme, name, "text_muted", side=14)
        state = self.tr("collapsed") if self._folded else self.tr("expanded")
        self._header.setAccessibleDescription(state)


class CheckSuggestion(NamedTuple):
    """A check that is one click away.

    Attributes:
        text: Label of the button.
        tip: Tooltip with the reason.
        settings: Settings of the check.
    """

    text: str
    tip: str
    settings: CheckSettings


def suggestions_of(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> Iterator[CheckSuggestion]:
    """Yield the checks to try next.

    Args:
        report: The report.
        block: The selected pair, or None.
        settings: Settings of the report, or the current ones.
    """
    codes = {each.code for each in report.diagnoses}
    low = [each for each in report.dtype.split(", ") if each in _LOW_PRECISION]
    is_impossible = any(each.code == "no_float64" for each in report.problems)
    if low and not report.cast_from and not is_impossible:
        text = translate("Suggestions", "Check in float64")
        tip = translate(
            "Suggestions", "Cast the inputs first, so that rounding cannot cause differences"
        )
        yield CheckSuggestion(text, tip, replace(settings, cast=True))
        yield from _tolerant(report, low[0], settings)
    elif codes & {"eps_sensitive", "float32_noise"}:
        yield from _step(report, block, settings)
    if "kink" in codes:
        by = report.nudge * _FURTHER if report.nudge else NUDGE
        text = translate("Suggestions", "Shift Inputs and Check Again")
        if report.nudge:
            text = translate("Suggestions", "Shift Inputs Further and Check Again")
        tip = translate("Suggestions", "Add between {low} and {high} to the input elements")
        tip = tip.format(low=f"{by:g}", high=f"{2 * by:g}")
        yield CheckSuggestion(text, tip, replace(settings, nudge=by))


def _tolerant(
    report: JacobianReport, dtype: str, settings: CheckSettings
) -> Iterator[CheckSuggestion]:
    """Suggest an eps and tolerances that suit inputs of low precision."""
    honest = replace(settings.for_dtype(dtype), cast=settings.cast)
    if report.verdict != "match" and honest != settings:
        text = translate("Suggestions", "Check with Wider Tolerances")
        tip = translate(
            "Suggestions", "eps {eps}, atol {atol} and rtol {rtol}, suitable for {dtype}"
        )
        eps, atol, rtol = (number_text(each, 3) for each in (honest.eps, honest.atol, honest.rtol))
        tip = tip.format(eps=eps, atol=atol, rtol=rtol, dtype=dtype)
        yield CheckSuggestion(text, tip, honest)


def _step(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> Iterator[CheckSuggestion]:
    """Suggest the best eps of the curve."""
    own = None if block is None else report.error_curve_of(block)
    curves = report.curves if own is None else (own,)
    best = curves[0].best if curves else None
    if best is not None and not math.isclose(best[0], report.eps, rel_tol=0.01):
        text = translate("Suggestions", "Check with eps {eps}")
        tip = translate("Suggestions", "This eps had the smallest error of those tried")
        text = text.format(eps=number_text(best[0], 3))
        yield CheckSuggestion(text, tip, replace(settings, eps=best[0]))


_ABOUT_EPS = frozenset({"eps_sensitive", "float32_noise", "kink", "unknown"})
"""Diagnoses for which the eps curve is informative."""


_LEAST_HEIGHT = 200
"""Minimum height of the column in pixels at scale 1."""

_FUNCTION_HEIGHT, _ERRORS_HEIGHT = 440.0, 360.0
"""Heights of plots, in units of a slide."""

_MOST_LINES = 9
"""Maximum number of lines of code."""


class FindingsColumn(QScrollArea):
    """What a check found, the most important first; the rest is folded or further down.

    Attributes:
        verdict: Headline, and what torch would say.
        element: The element under the cursor.
        worst: List of the worst elements.
        function: The function along the element under the cursor, with both slopes.
        sample_button: Samples the function along the pinned element, if no check has.
        curve: The error at the worst element against eps.
        code: The function that is wrong, with the lines that compute its gradient.

    Signals:
        repair_requested: The user asks for the repaired matrix.
        check_suggested: The `CheckSettings` of another check that the user asks for.
        line_requested: The `Location` of a source line that the user asks for.
    """

    repair_requested = Signal()
    check_suggested = Signal(object)
    line_requested = Signal(object)

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self._state, self._theme = state, state.theme
        theme = state.theme
        self.verdict = VerdictView(theme)
        self.element = ElementCard(theme)
        self.worst = WorstList(theme)
        self.code = PassageView(state, _MOST_LINES)
        self.lines: tuple[QPushButton, ...] = ()
        self.cards: tuple[DiagnosisCard, ...] = ()
        self.buttons: tuple[QPushButton, ...] = ()
        self._reason = ""
        self._curve_shown: FunctionCurve | None = None
        self._pinned: tuple[BlockPlace, tuple[int, int]] | None = None
        self._asked: tuple[BlockPlace, tuple[int, int]] | None = None
        self._settings = CheckSettings()
        self.sample_button = QPushButton(self.tr("Sample This Element"))
        self.sample_button.setToolTip(
            plain_tooltip(self.tr("Check again, and draw the function along the pinned element"))
        )
        self.sample_button.clicked.connect(self._on_sample_button_clicked)
        self.sample_button.hide()
        self.function = PlotView(state, _FUNCTION_HEIGHT)
        self.curve = PlotView(state, _ERRORS_HEIGHT)
        self.incoming = TrialsList(theme, self.tr("Other incoming gradients"))
        self.variations = TrialsList(theme, self.tr("Input variations"))
        self._sections = self._make_sections()
        whole = QWidget()
        whole.setBackgroundRole(QPalette.ColorRole.Base)
        self._top = QVBoxLayout()
        self._top.setSpacing(8)
        self._links = FlowLayout(gap=6)
        lay_out(
            QVBoxLayout(whole),
            self.verdict,
            self._top,
            self.code,
            self._links,
            self.element,
            self.sample_button,
            *self._sections,
            self.verdict.about,
            1,
            margins=(0, 0, 6, 0),
            gap=8,
        )
        scroll(self, whole)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Findings"))

    def set_reason(self, reason: str) -> None:
        """Set the reason why no other check can start; empty if one can."""
        self._reason = reason
        for button in (*self.buttons, self.sample_button):
            button.setEnabled(not reason)

    def show_pair(
        self, report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
    ) -> None:
        """Show what applies to a pair.

        Args:
            report: The report.
            block: The pair, or None.
            settings: Settings that suggested checks are based on.
        """
        self._clear()
        self._settings = settings
        self.cards = tuple(
            self._card(each, report, block)
            for each in report.diagnoses
            # Where nothing was compared, the verdict says why.
            if (block is None or each.covers(block.place))
            and not (report.verdict == "error" and each.code == "unknown")
        )
        self.buttons = tuple(map(self._button, suggestions_of(report, block, settings)))
        self.set_reason(self._reason)
        self._show_code(report, block)
        self.lines = tuple(map(self._line_button, self._leads(block)))
        for part in (*self.cards, *self.buttons, *self.lines):
            (self._links if part in self.lines else self._top).addWidget(part)
            # A layout shows new widgets only in the next turn of the event loop.
            part.show()
        self._show_plots(report, block)
        worst, function, curve, incoming, variations = self._sections
        for part in (self.element, worst):
            part.setVisible(block in report.blocks)
        # The maps of a single element say less than its curve.
        function.fold(block is None or not (block.wrong or block.count == 1))
        function.setVisible(self.function.frame is not None)
        curve.fold(not any(card.diagnosis.code in _ABOUT_EPS for card in self.cards))
        curve.setVisible(self.curve.frame is not None)
        for section, shown, kind in (
            (incoming, self.incoming, "incoming"),
            (variations, self.variations, "variation"),
        ):
            trials = [trial for trial in report.trials if trial.kind == kind]
            shown.show_trials(trials)
            section.setVisible(bool(trials))
        self.verticalScrollBar().setValue(0)

    def show_element(
        self,
        report: JacobianReport,
        block: JacobianBlock,
        cell: tuple[int, int] | None,
        *,
        pinned: bool = False,
    ) -> None:
        """Show the function along an element of a pair; along the worst one if it was not sampled.

        Args:
            report: The report.
            block: The pair.
            cell: Row and column of the element, or None.
            pinned: Whether the element stays when the cursor goes to a button.
        """
        self._pinned = (block.place, cell) if pinned and cell is not None else None
        own = report.function_curve_of(block, cell)
        can_sample = report.order == 1 and block.part == "" and report.has_result
        self.sample_button.setVisible(bool(self._pinned) and own is None and can_sample)
        curve = own or report.function_curve_of(block)
        if curve != self._curve_shown:
            self._curve_shown = curve
            draw = None if curve is None else partial(curve_block, curve, block, report.eps)
            self.function.show_plot(draw)

    def take_sampled(self, report: JacobianReport, block: JacobianBlock) -> tuple[int, int] | None:
        """The element for which this check was made, once; None if it is of another pair."""
        if self._asked is None or self._asked[0] != block.place:
            return None
        cell, self._asked = self._asked[1], None
        return None if report.function_curve_of(block, cell) is None else cell

    def _on_sample_button_clicked(self) -> None:
        if self._pinned is not None:
            self._asked = self._pinned
            (output, position, _), cell = self._pinned
            assert output is not None
            assert position is not None
            curve = output, position, *cell
            self.check_suggested.emit(replace(self._settings, curve=curve))

    def _show_plots(self, report: JacobianReport, block: JacobianBlock | None) -> None:
        """Show the function along the worst element of a pair, and its error against eps."""
        self._curve_shown = None
        self.function.show_plot(None)
        errors, plot = report.error_curve_of(block), None
        if block is not None:
            self.show_element(report, block, None)
        if block is not None and errors is not None:
            plot = partial(error_block, errors, block, report)
        self.curve.show_plot(plot, "" if errors is None else error_rows(errors))

    def _show_code(self, report: JacobianReport, block: JacobianBlock | None) -> None:
        """Show where the gradient is computed, if it is wrong."""
        passage = None
        if self._state.index is not None and block is not None and is_wrong(report, block):
            found = [card.diagnosis for card in self.cards]
            messages = [text for each in found for text in (each.message, *each.evidence)]
            passage = passage_of(self._state.index, block, messages)
        self.code.show_passage(passage)

    def _leads(self, block: JacobianBlock | None) -> tuple[Location, ...]:
        """The marked lines that compute the gradient, else the last line that does."""
        lines = () if block is None else block.lines
        marked = () if self.code.passage is None else self.code.passage.marked
        return tuple(each for each in lines if each.line in marked) or lines[:1]

    def update_theme(self) -> None:
        """Fit the height to the theme."""
        self.setMinimumHeight(self._theme.px(_LEAST_HEIGHT))

    def _make_sections(self) -> tuple[SectionBox, ...]:
        parts = (
            (self.tr("Worst elements"), self.worst),
            (self.tr("Function and slopes"), self.function),
            (self.tr("Error vs. eps"), self.curve),
            (self.tr("Other incoming gradients"), self.incoming),
            (self.tr("Input variations"), self.variations),
        )
        sections = tuple([SectionBox(title, inside, self._theme) for title, inside in parts])
        sections[0].fold(True)
        return sections

    def _card(
        self, diagnosis: Diagnosis, report: JacobianReport, block: JacobianBlock | None
    ) -> DiagnosisCard:
        own = block is not None and diagnosis in report.diagnoses_of(block)
        several = len(report.blocks) > 1 and diagnosis.code not in ("none", "unknown")
        about = self.tr("about the whole function") if not own and several else ""
        wrong = block.wrong if own and block is not None else 0
        card = DiagnosisCard(diagnosis, wrong, self._theme, about)
        card.repair_button.clicked.connect(self.repair_requested)
        return card

    def _button(self, suggestion: CheckSuggestion) -> QPushButton:
        button = QPushButton(suggestion.text)
        set_theme_font(button, self._theme)
        button.setToolTip(plain_tooltip(suggestion.tip))
        button.clicked.connect(lambda: self.check_suggested.emit(suggestion.settings))
        return button

    def _line_button(self, location: Location) -> QPushButton:
        """Make a button that leads to a line in which a gradient was computed."""
        text = translate("LineButton", "Computed in {place}")
        passage = self.code.passage
        if passage is not None and passage.marked and location.line not in passage.marked:
            # What is wrong is in the marked line, before this one.
            text = translate("LineButton", "Last computed in {place}")
        button = QPushButton(text.format(place=location_title(location)))
        tip = translate("LineButton", "Show this line of backward in the Source pane")
        button.setToolTip(plain_tooltip(tip))
        button.clicked.connect(lambda: self.line_requested.emit(location))
        set_theme_font(button, self._theme)
        set_theme_icon(button, self._theme, "jump")
        return button

    def _clear(self) -> None:
        for part in (*self.cards, *self.buttons, *self.lines):
            (self._links if part in self.lines else self._top).removeWidget(part)
            # No longer in the layout, but visible until the event loop deletes it.
            part.hide()
            part.deleteLater()
