"""Searches the trace in the background and moves between the matches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.search.hits import SearchHit, SearchResult, visible_result
from gradviz.analysis.search.query import Query, QueryError, read_query
from gradviz.analysis.search.search import search_trace
from gradviz.analysis.search.search_index import SearchIndex, build_search_index
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.state import ViewerState
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.view_requests import ViewRequests

LANE, INDEX_LANE = "search", "search index"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindResult:
    """Result for the typed text.

    Attributes:
        text: The typed text.
        found: The matches; None if unknown or if there is no query.
        problem: A sentence if the query is invalid or the trace cannot be read; may be empty.
    """

    text: str = ""
    found: SearchResult | None = None
    problem: str = ""

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The matches, the best first."""
        return () if self.found is None else self.found.hits


class TraceFinder(QObject):
    """The current query, its matches and the current match.

    Signals:
        answered: The new `FindResult`.
        progressed: Number of tensors searched, and their total.
        row_changed: Index of the current match, from 0; -1 for none.
    """

    answered = Signal(object)
    progressed = Signal(object, object)
    row_changed = Signal(object)

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._background = background
        self.search_index: SearchIndex | None = None
        self.index: TraceIndex | None = None
        self._query = Query(terms=())
        self.answer = FindResult()
        self._found: SearchResult | None = None
        self.row = -1
        self._moves = 0
        state.trace_changed.connect(self._on_state_trace_changed)
        state.revealed_changed.connect(self._on_state_revealed_changed)

    @property
    def busy(self) -> bool:
        """Whether the result for the typed text is still missing."""
        requested = bool(self._query.terms) and self._state.index is not None
        return requested and self.answer.found is None and not self.answer.problem

    def search(self, text: str) -> None:
        """Search for the typed text; an empty text ends the search."""
        self._background.cancel(LANE)
        self._moves = 0
        try:
            self._query = read_query(text)
        except QueryError as error:
            self._query = Query(terms=())
            self._show(FindResult(text=text, problem=str(error)))
            return
        self._show(FindResult(text=text))
        self._start()

    def move(self, by: int) -> None:
        """Move forward or back among the matches, wrapping around at the ends."""
        if self.busy:
            self._moves += by
        else:
            before_first = -1 if by > 0 else 0
            self.pick((self.row if self.row >= 0 else before_first) + by)

    def pick(self, row: int, *, to_step: bool = False) -> None:
        """Make a match the current one and show it.

        Args:
            row: Index of the match, from 0; wraps around.
            to_step: Whether to go to its step as well. Matches that are steps always do.
        """
        hits = self.answer.hits
        if not hits:
            return
        self.row = row % len(hits)
        self.row_changed.emit(self.row)
        hit = hits[self.row]
        requested = any(cause.why == "step" for cause in hit.causes)
        if hit.step and (to_step or requested or hit.node is None):
            self._state.go_to(hit.step)
        if hit.node is not None:
            self._requests.show_node(hit.node)
        else:
            # Otherwise the inspector would still show the node of the match before.
            self._state.select(None)

    def _start(self) -> None:
        index, reader = self._state.index, self._state.reader
        if index is None or reader is None or not self._query.terms:
            return
        if self.search_index is not None:
            self._background.start(
                _finding(index, self.search_index, self._query, reader),
                self._on_search_done,
                self._on_search_failed,
                self.progressed.emit,
                lane=LANE,
                expected=(TraceError,),
            )
        elif self.index is not index:
            # Built once per trace; the query waits for it.
            self.index = index
            self._background.start(
                lambda _: build_search_index(index),
                self._on_search_index_done,
                lane=INDEX_LANE,
                computes=True,
            )

    def _show(self, answer: FindResult) -> None:
        self.answer = answer
        self.row = -1
        nodes = (hit.node for hit in answer.hits)
        self._state.show_hits(frozenset(node for node in nodes if node is not None))
        self.answered.emit(answer)
        self.row_changed.emit(-1)

    def _revealed_result(self) -> SearchResult | None:
        """Return the matches that may be shown."""
        return None if self._found is None else visible_result(self._found, self._state.revealed)

    def _on_search_index_done(self, search_index: SearchIndex) -> None:
        self.search_index = search_index
        self._start()

    def _on_search_done(self, found: SearchResult) -> None:
        self._found = found
        self._show(FindResult(text=self.answer.text, found=self._revealed_result()))
        if self._moves:
            self.move(self._moves)
            self._moves = 0

    def _on_search_failed(self, error: Exception) -> None:
        self._show(FindResult(text=self.answer.text, problem=str(error)))

    def _on_state_revealed_changed(self, revealed: RevealedTrace) -> None:
        found = self._revealed_result()
        if self.answer.found is not None and found != self.answer.found:
            self._show(FindResult(text=self.answer.text, found=found))

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        for lane in (LANE, INDEX_LANE):
            self._background.cancel(lane)
        self._found = None
        self.search_index = self.index = None
        self._show(FindResult(text=self.answer.text, problem=self.answer.problem))
        self._start()


def _finding(
    index: TraceIndex, search_index: SearchIndex, query: Query, reader: TraceReaderProtocol
) -> Callable[[BackgroundJob], SearchResult]:
    return lambda job: search_trace(
        index,
        search_index,
        query,
        values=reader.value,
        cancelled=job.cancelled,
        report=job.report,
    )
