"""Cache for the producers of the trace's tensors, shared by all queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gradviz.model.index import Index
from gradviz.model.lineage import Lineage
from gradviz.model.makings import Makings
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, Job

T = TypeVar("T")


class Shelf:
    """Producers of the tensors of one trace; used only by jobs that run one at a time."""

    def __init__(self) -> None:
        self._kept: tuple[Index, Makings] | None = None

    def makings(self, index: Index, lineage: Lineage | None) -> Makings:
        """Return the producers for a trace, computed only if the trace has changed."""
        if self._kept is None or self._kept[0] is not index:
            self._kept = (index, Makings(index, lineage))
        return self._kept[1]

    def clear(self) -> None:
        """Release the trace."""
        self._kept = None


def look(
    background: Background | None,
    work: Callable[[Job | None], T],
    on_done: Callable[[T], None],
    on_failed: Callable[[Exception], None],
    lane: str,
) -> None:
    """Answer a query in the background, or directly if no background is given."""
    if background is None:
        on_done(work(None))
        return
    background.start(work, on_done, on_failed, lane=lane, expected=(TraceError,), computes=True)
