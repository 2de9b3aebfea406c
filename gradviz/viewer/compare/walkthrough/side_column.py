"""One run in a comparison: its title, the sentence of its step, and the code of that step."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.text.narration import describe_step
from gradviz.viewer.presenter.presenter_code import PresenterCode
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences
from gradviz.viewer.widgets.fitted_text import FittedText

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
