"""Whether the recorded code called backward itself."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.source import BACKWARD_FILE
from gradviz.model.step import PassBeginStep


def calls_backward_itself(index: TraceIndex) -> bool:
    """Whether a run has backward passes, none of which gradviz started from the output."""
    for span in reversed(index.passes):
        begin = index.trace.steps[span.first - 1]
        # Gradviz starts its own pass last; only passes nested in it can follow.
        if isinstance(begin, PassBeginStep) and begin.parent is None:
            return begin.location is None or begin.location.path != BACKWARD_FILE
    return False
