"""Lines above the graph that show a `__torch_function__` call: types, answers, result."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.columns import DISPATCH
from gradviz.model.step import DispatchStep
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCards, cards_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.layouts import lay_out

_TEXTS: dict[CardRole, PaletteRole] = {
    "call": "text",
    "answer": "custom_text",
    "passed": "text_muted",
    "waiting": "text_muted",
    "result": "output_text",
    "failed": "failing_text",
}


class DispatchBand(QWidget):
    """Follows the current step; visible in all steps of a run with such calls.

    The constant height keeps the graph from jumping.
    """

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.words = FittedText(state.theme)
        lay_out(QHBoxLayout(self), self.words, margins=(12, 2, 12, 2))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._show)
        self._on_state_trace_changed()

    def _on_state_trace_changed(self) -> None:
        index = self._state.index
        graph = index is not None and bool(index.trace.nodes)
        asks = index is not None and bool((index.steps.kinds == DISPATCH).any())
        self.setVisible(graph and asks)
        self._show()

    def _show(self) -> None:
        index = self._state.index
        step = None if index is None else step_at(index, self._state.number)
        words = []
        if index is not None and isinstance(step, DispatchStep):
            words = _texts(cards_of(index, step))
        self.words.show_parts(words)


def _texts(cards: DispatchCards) -> list[tuple[str, PaletteRole]]:
    words: list[tuple[str, PaletteRole]] = [(cards.call.title, "text")]
    for card in (*cards.types, cards.result):
        words.append(("  \N{RIGHTWARDS ARROW}  ", "text_muted"))
        words.append((card.title, _TEXTS[card.look]))
        answer = card.lines[0].text if card.lines and card.look != "result" else ""
        if answer:
            words.append((f"  {answer}", "text_muted"))
    return words
