"""The values of two steps that Compare shows, and their names."""

from __future__ import annotations

import pytest

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.viewer.compare.value_pairs import PairedValue, value_pairs_of
from tests.builders import LINEAR_TENSORS, linear_trace, tensor


def shown_at(number: int) -> list[PairedValue]:
    """The rows for a step of the linear trace and of one with another gradient."""
    kept = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    other = kept | {8: tensor(8, [[1, 1, 1], [5, 5, 6]])}
    left, right = (
        index_trace(linear_trace(), lambda asked, values=values: values[asked][1])
        for values in (kept, other)
    )
    return value_pairs_of(compare_runs(left, right), number, number)


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (
            5,
            [
                ("grad_weight", "returned"),
                ("grad_weight", "passed on"),
            ],
        ),
        (7, [("grad_weight", "incoming"), ("weight.grad", "accumulated")]),
        # The end of the pass sums up what the leaves received; what differs comes first.
        (8, [("weight.grad", "accumulated"), ("input.grad", "accumulated")]),
    ],
)
def test_gradients_of_leaves_have_their_names(number: int, names: list[tuple[str, str]]) -> None:
    rows = shown_at(number)
    assert [(row.name, row.role) for row in rows[: len(names)]] == names
    assert not rows[0].agrees
    assert rows[0].limit == rows[1].limit
