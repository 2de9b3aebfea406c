"""How many nodes of a group are done at each step, by the status of each node."""

from __future__ import annotations

import pytest
from msgspec import structs

from gradviz.analysis.index.step_queries import node_status
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.graph_progress import GroupProgress
from gradviz.model.step import PassBeginStep
from tests.drawing.graphs import layered, recurrent, with_backward


@pytest.mark.parametrize("index", [with_backward(layered(3)), with_backward(recurrent(6))])
def test_it_counts_the_nodes_that_are_done(index: TraceIndex) -> None:
    nodes = list(index.node)[3:12]
    group_progress = GroupProgress(index, nodes)
    for number in range(1, len(index.trace.steps) + 1):
        done = sum(node_status(index, node, number) in ("made", "done") for node in nodes)
        assert group_progress.at(number) == (done, len(nodes))


def test_a_pass_that_does_not_get_there_has_nothing_to_count() -> None:
    trace = with_backward(layered(3)).trace
    begun = next(at for at, step in enumerate(trace.steps) if isinstance(step, PassBeginStep))
    index = index_trace(structs.replace(trace, steps=trace.steps[: begun + 2]))
    group_progress = GroupProgress(index, [1, 2, 3])
    assert group_progress.text(begun) == "3 of 3 created"
    assert group_progress.text(begun + 2) == ""


def test_its_text_has_commas() -> None:
    index = with_backward(recurrent(300))
    group_progress = GroupProgress(index, index.node)
    assert group_progress.text(len(index.trace.steps)) == "1,503 of 1,503 done"
