"""What made the tensors of the trace on show, found out once for all questions about it."""

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
    """Keeps the makings of one trace; for jobs that run one after the other."""

    def __init__(self) -> None:
        self._kept: tuple[Index, Makings] | None = None

    def makings(self, index: Index, lineage: Lineage | None) -> Makings:
        """The makings of a trace, made if they are not those of the last one."""
        if self._kept is None or self._kept[0] is not index:
            self._kept = (index, Makings(index, lineage))
        return self._kept[1]

    def clear(self) -> None:
        """Lets go of the trace."""
        self._kept = None


def look(
    background: Background | None,
    work: Callable[[Job | None], T],
    on_done: Callable[[T], None],
    on_failed: Callable[[Exception], None],
    lane: str,
) -> None:
    """Answers a question about a trace in the background; at once where there is none."""
    if background is None:
        on_done(work(None))
        return
    background.start(work, on_done, on_failed, lane=lane, expected=(TraceError,), computes=True)
