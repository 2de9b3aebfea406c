"""Pages on the backward pass of the current step: gradients by layer, and saved memory."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.analysis.memory.saved_memory import SavedMemory, pass_for, saved_memory
from gradviz.analysis.training.gradient_flow import LayerFlow, gradient_flow
from gradviz.catalogue.messages import say
from gradviz.document.document import Document
from gradviz.document.pass_pages import flow_document, memory_document
from gradviz.store.errors import TraceError
from gradviz.text.gradient_flow import flow_words
from gradviz.text.saved_memory import memory_rules, memory_words
from gradviz.viewer.background import Background
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip

_WIDTHS = (
    ColumnWidth(150, grows=1, most=280),
    ColumnWidth(90, most=130),
    ColumnWidth(90, most=130),
)

LANE = "training-pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PassFacts:
    """What is known of a pass; without one, of the whole run."""

    span: PassSpan | None
    layers: tuple[LayerFlow, ...]
    memory: SavedMemory | None


class PassPages(QObject):
    """Shows the pass of the current step, the next one, or the last one.

    Attributes:
        flow_page: A sentence about the gradients above those of each layer.
        memory_page: Sentences about the saved memory above the modules.
    """

    def __init__(self, state: ViewerState, background: Background | None) -> None:
        super().__init__()
        self._state, self._background = state, background
        self._facts: _PassFacts | None = None
        self._asked: tuple[TraceIndex, PassSpan | None] | None = None
        self._flow_words, self._memory_words = ElidedLabel(keeps=True), ElidedLabel(keeps=True)
        self.flow = RowsView(state.theme, _WIDTHS)
        self.flow.setAccessibleName(self.tr("Gradients by layer"))
        self.flow.chosen.connect(self._on_flow_chosen)
        self.memory = RowsView(state.theme, _WIDTHS)
        self.memory.setAccessibleName(self.tr("Saved memory by module"))
        self.memory.chosen.connect(self._on_memory_chosen)
        self.flow_page, self.memory_page = QWidget(), QWidget()
        lay_out(QVBoxLayout(self.flow_page), self._flow_words, (self.flow, 1), gap=2)
        lay_out(QVBoxLayout(self.memory_page), self._memory_words, (self.memory, 1), gap=2)

    @property
    def flow_words(self) -> tuple[str, str]:
        """A sentence about the gradients, and what they are; empty while they are unknown."""
        facts, index = self._facts, self._state.index
        layers = () if facts is None else self._known(facts)
        if facts is None or facts.span is None or index is None or not layers:
            return "", ""
        return flow_words(index, facts.span, layers), say("flow.rules")

    @property
    def memory_words(self) -> tuple[str, str]:
        """Sentences about the saved memory, and what counts; empty while it is unknown."""
        memory = None if self._facts is None else self._facts.memory
        if memory is None or self._state.index is None:
            return "", ""
        return memory_words(self._state.index, memory), memory_rules(memory)

    def collect(self) -> None:
        """Read the pass of the current step, unless it is shown already."""
        index = self._state.index
        asked = None if index is None else (index, pass_for(index, self._state.number))
        if asked == self._asked:
            return
        self._asked = asked
        self._take(None)
        if asked is None:
            return
        if self._background is None:
            self._take(_read(*asked))
            return
        self._background.start(
            lambda _job: _read(*asked), self._take, lane=LANE, expected=(TraceError,), computes=True
        )

    def _take(self, facts: _PassFacts | None) -> None:
        self._facts = facts
        self.show()

    def show(self) -> None:
        """Show what is known and may be revealed."""
        facts, index = self._facts, self._state.index
        flow = memory = Document()
        if facts is not None and index is not None:
            flow = flow_document(self._known(facts))
            if facts.memory is not None:
                memory = memory_document(index, facts.memory)
        self.flow.show_document(flow)
        self.memory.show_document(memory)
        told = (self._flow_words, self.flow_words), (self._memory_words, self.memory_words)
        for label, (words, rules) in told:
            label.setText(words)
            label.setToolTip(plain_tooltip(rules))
            label.setAccessibleDescription(rules)

    def _known(self, facts: _PassFacts) -> tuple[LayerFlow, ...]:
        until = self._state.revealed.until
        return facts.layers if facts.span is None or facts.span.last <= until else ()

    def _on_flow_chosen(self, key: Hashable, column: int) -> None:
        if isinstance(key, int):
            self._state.go_to(key)

    def _on_memory_chosen(self, key: Hashable, column: int) -> None:
        if isinstance(key, int):
            self._state.select(key)
        else:
            self.memory.toggle(key)


def _read(index: TraceIndex, span: PassSpan | None) -> _PassFacts:
    layers = () if span is None else gradient_flow(index, span)
    return _PassFacts(span=span, layers=layers, memory=saved_memory(index, span))
