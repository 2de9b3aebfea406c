"""Both runs of a comparison in Presenter Mode: where each is, and a value of both below."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.text.narration import describe_step
from gradviz.viewer.compare.value_pairs import PairedValue, SideValue, difference_side
from gradviz.viewer.presenter.presenter_code import PresenterCode
from gradviz.viewer.presenter.presenter_tensor import PresenterTensor
from gradviz.viewer.presenter.value_layout import CELLS, PartLook
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences
from gradviz.viewer.walkthrough.idea_page import IdeaView
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.scale_bar import ScaleBar

_ABOVE, _BELOW, _BETWEEN = 56, 44, 16
"""Shares of the height for the two runs and for the value, and space between the runs."""

_TITLE_PIXELS, _TEXT_PIXELS, _LEAST_PIXELS = 13, 12, 10
_LINES = 3.4
"""Height of the sentence in lines; the code below it stays in place."""


class SideColumn(QWidget):
    """Shows one run at a place of its own."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ViewerState(theme, self)
        self.title = FittedText(
            theme, pixels=_TITLE_PIXELS, least=_LEAST_PIXELS, lines=1, bold=True
        )
        self.sentence = FittedSentences(theme, pixels=_TEXT_PIXELS, least=_LEAST_PIXELS)
        self.code = PresenterCode(self._state)
        policy = QSizePolicy.Policy
        self.sentence.setSizePolicy(policy.Ignored, policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.title)
        column.addWidget(self.sentence)
        column.addWidget(self.code, 1)
        self.setSizePolicy(policy.Ignored, policy.Ignored)
        self._theme = theme
        self.update_theme()

    def show_run(self, reader: TraceReaderProtocol | None, index: TraceIndex | None) -> None:
        """Show another run, or none."""
        self._state.show(reader, index)

    def show_place(self, title: str, place: TracePosition | None) -> None:
        """Show a place of the run.

        Args:
            title: What the column is about.
            place: The place; None if only the other run has the step.
        """
        self.title.show_text(title)
        index = self._state.index
        if place is None or index is None:
            self.sentence.show_sentences((self.tr("Only the other run has this step."),))
            self.code.hide()
            return
        self.code.show()
        self._state.go_to_place(place)
        text = describe_step(index, index.trace.steps[place.step - 1]).splitlines()[0]
        number = format_count(place.step)
        self.sentence.show_sentences((self.tr("Step {0}: {1}").format(number, text),))

    def update_theme(self) -> None:
        """Repaint in another theme."""
        line = QFontMetricsF(self._theme.font(_TEXT_PIXELS)).height()
        self.sentence.setFixedHeight(round(_LINES * line))


_SIZES = (44, 40, 36, 33, 30, 26, 23, *CELLS)
"""Font sizes of the numbers, from the preferred one, before the theme's scale factor."""


class LargeValues(QWidget):
    """Shows left, right and difference side by side, on one color scale."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pair: PairedValue | None = None
        self._largest: tuple[int, ...] | None = None
        self.tensors: tuple[PresenterTensor, ...] = ()
        self.scale = ScaleBar(theme, self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Value in both runs"))

    def show_pair(self, pair: PairedValue | None, largest: tuple[int, ...] | None = None) -> None:
        """Show another value.

        Args:
            pair: The value; None hides this widget.
            largest: Index of the element that differs most, which gets a frame; None for none.
        """
        self._pair, self._largest = pair, largest
        self.setVisible(pair is not None)
        for each in self.tensors:
            each.setParent(None)
            each.deleteLater()
        self.tensors = ()
        if pair is not None:
            self.scale.set_limit(pair.limit)
            sides = [
                (self.tr("{0}, left").format(pair.name), pair.left),
                (self.tr("{0}, right").format(pair.name), pair.right),
            ]
            change = difference_side(pair)
            if change is not None:
                sides.append((self.tr("right − left"), change))
            self.tensors = tuple(self._tensor(name, side, pair.limit) for name, side in sides)
        self._place()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self.show_pair(self._pair, self._largest)

    def _tensor(self, name: str, side: SideValue, limit: float) -> PresenterTensor:
        shown = PresenterTensor(name, self._theme, self)
        if side.record is None:
            shown.show_text(side.text)
        else:
            shown.show_tensor(side.record, side.value, side.record.dtype, limit=limit)
            # A frame around the only element says nothing.
            if self._largest and side.value is not None:
                shown.frame_elements([ElementMark(tensor=side.record.id, element=self._largest)])
        shown.show()
        return shown

    def _place(self) -> None:
        """Give all tensors the same font size, and show the scale of cells without numbers."""
        if not self.tensors:
            return
        gap = self._theme.px(16)
        most = QSize((self.width() - 2 * gap) // 3, self.height())
        self._choose_font(most)
        is_colored = any(each.is_only_colored for each in self.tensors)
        self.scale.setVisible(is_colored)
        if is_colored:
            high = self.scale.sizeHint().height()
            self.scale.setGeometry(0, self.height() - high, self.width(), high)
            most.setHeight(max(1, most.height() - high))
            self._choose_font(most)
        left = 0
        for each in self.tensors:
            each.setGeometry(left, 0, most.width(), min(each.sizeHint().height(), most.height()))
            left += most.width() + gap

    def _choose_font(self, most: QSize) -> None:
        """Choose the largest font with which the tensors fit into a space."""
        for cell in _SIZES:
            for each in self.tensors:
                each.set_look(PartLook(cell=cell, most=most))
            heights = [each.sizeHint().height() for each in self.tensors]
            if max(heights) <= most.height() and all(each.has_numbers for each in self.tensors):
                break

    def resizeEvent(self, event: object) -> None:
        """Fit the tensors to the new size."""
        self._place()


class CompareWalkthroughView(IdeaView):
    """Shows both runs above and a value of both below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._above = QHBoxLayout()
        super().__init__(theme, parent)
        self.sides = (SideColumn(theme), SideColumn(theme))
        self.values = LargeValues(theme)
        for side in self.sides:
            self._above.addWidget(side, 1)
        self.evidence.addLayout(self._above, _ABOVE)
        self.evidence.addWidget(self.values, _BELOW)

    def update_theme(self) -> None:
        """Fit margins to the theme."""
        super().update_theme()
        self._above.setSpacing(self._theme.px(_BETWEEN))
