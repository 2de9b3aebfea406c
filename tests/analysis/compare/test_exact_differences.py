"""Comparing two runs: which steps correspond, what differs, by how much and where."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.compare.exact_differences import compare_exactly, detail_of
from gradviz.analysis.compare.item_pairs import matching_position, pairs_at_position
from gradviz.analysis.compare.run_alignment import align_runs
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import none_item
from gradviz.model.step import NodeStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace, tensor

Kept = tuple[TensorRecord, TensorValue]


def index_with(trace: Trace, *kept: Kept) -> TraceIndex:
    """The index of a trace in which some tensors have other elements."""
    values = {record.id: (record, value) for record, value in (*LINEAR_TENSORS, *kept)}
    records = tuple(record for record, _ in values.values())
    return index_trace(replace(trace, tensors=records), lambda number: values[number][1])


def test_the_same_run_differs_nowhere() -> None:
    old, new = index_with(linear_trace()), index_with(linear_trace())
    found = compare_exactly(old, new)
    assert found.steps == ()
    assert found.alignment.diverged is None
    assert found.alignment.old_of.tolist() == list(range(1, len(new.trace.steps) + 1))
    assert not found.uncertain


def test_one_element_differs_where_its_tensor_is_reported() -> None:
    other = tensor(7, [[3.0, 12.0], [3.0, np.nextafter(12.0, 13.0)]])
    old, new = index_with(linear_trace()), index_with(linear_trace(), other)
    found = compare_exactly(old, new)
    told = [
        number
        for number, step in enumerate(new.trace.steps, 1)
        if "tensor=7," in repr(step).replace(" ", "")
    ]
    assert list(found.steps) == told != []
    place = TracePosition(step=told[0])
    pairs = pairs_at_position(old, new, place, place)
    verdicts = {
        pair.name: found.verdict(pair) for pair in pairs if pair.right and pair.right.tensor == 7
    }
    assert set(verdicts.values()) == {"differs"}
    others = [found.verdict(pair) for pair in pairs if pair.right and pair.right.tensor != 7]
    assert set(others) <= {"equal"}


def test_zero_of_the_other_sign_and_another_nan_differ() -> None:
    one = tensor(6, [[0.0, np.nan]])[1]
    other = tensor(6, [[-0.0, -np.nan]])[1]
    found = detail_of(one, other, whole=True)
    assert (found.differing, found.count) == (2, 2)
    assert found.largest == 0.0
    assert found.where == (0, 0)
    assert found.relative is None


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<f2", "<i4", "<c16"])
def test_how_much_and_where_equals_numpy(dtype: str) -> None:
    rng = np.random.default_rng(0)
    old = (rng.normal(size=(3, 4, 2)) * 10).astype(dtype)
    new = old.copy()
    new[1, 2, 0] += 3
    new[2, 3, 1] -= 5
    values = [
        TensorValue(dtype=each.dtype.name, shape=each.shape, data=each.tobytes())
        for each in (old, new)
    ]
    found = detail_of(values[0], values[1], whole=False)
    apart = np.abs(new.astype("c16") - old.astype("c16"))
    assert found.differing == int((old != new).sum()) == 2
    assert found.largest == apart.max()
    assert found.where == np.unravel_index(apart.argmax(), apart.shape)
    assert found.relative == pytest.approx(apart.max() / abs(old[found.where]))


def test_nothing_finite_apart() -> None:
    one, other = tensor(1, [1.0, 2.0])[1], tensor(1, [np.inf, 2.0])[1]
    found = detail_of(one, other, whole=True)
    assert (found.differing, found.largest) == (1, 0.0)
    flags = tensor(1, [True, False])[1], tensor(1, [False, False])[1]
    assert detail_of(*flags, whole=True).largest is None
    empty = tensor(1, np.zeros((0, 2)))[1]
    assert detail_of(empty, empty, whole=True).differing == 0


def test_steps_are_found_again_after_another_way() -> None:
    old = index_with(linear_trace())
    steps = list(linear_trace().steps)
    gone = next(at for at, step in enumerate(steps) if isinstance(step, NodeStep))
    del steps[gone]
    steps = [replace(step, number=number) for number, step in enumerate(steps, 1)]
    new = index_with(replace(linear_trace(), steps=tuple(steps)))
    found = align_runs(old, new)
    assert found.diverged == gone + 1
    assert found.old(gone) == gone
    assert found.old(gone + 1) == gone + 2
    assert found.new(gone + 1) is None
    assert found.old(99) is None


def test_a_step_that_only_one_run_has_differs() -> None:
    whole, short = linear_trace(), linear_trace()
    short = replace(short, steps=tuple(short.steps[:-1]))
    found = compare_exactly(index_with(short), index_with(whole))
    assert found.steps == (len(whole.steps),)
    assert found.alignment.diverged == len(whole.steps)


def test_what_was_not_kept_is_not_called_equal() -> None:
    def large(number: int, total: float) -> Kept:
        record, value = LINEAR_TENSORS[number - 1]
        assert record.statistics is not None
        known = replace(record.statistics, mean=total)
        kept = replace(record, content="statistics", kept_shape=(), kept_steps=(), note="large",
                       statistics=known)  # fmt: skip
        return kept, value

    def index(total: float) -> TraceIndex:
        record, _ = large(6, total)
        records = [record if each.id == 6 else each for each, _ in LINEAR_TENSORS]
        values = {each.id: value for each, value in LINEAR_TENSORS if each.id != 6}
        return index_trace(replace(linear_trace(), tensors=tuple(records)), values.get)

    alike = compare_exactly(index(1.0), index(1.0))
    assert alike.uncertain
    assert alike.steps == ()
    assert compare_exactly(index(1.0), index(2.0)).steps != ()


def test_none_and_a_tensor_differ() -> None:
    steps = list(linear_trace().steps)
    at = next(at for at, step in enumerate(steps) if isinstance(step, NodeStep))
    node = steps[at]
    assert isinstance(node, NodeStep)
    steps[at] = replace(node, incoming=(none_item(node.incoming[0].name),))
    new = index_with(replace(linear_trace(), steps=tuple(steps)))
    assert compare_exactly(index_with(linear_trace()), new).steps == (at + 1,)


def test_the_same_place_inside_a_step() -> None:
    old, new = index_with(linear_trace()), index_with(linear_trace())
    assert matching_position(old, new, TracePosition(step=1), 1) == TracePosition(step=1)
    assert matching_position(old, new, TracePosition(step=1), None) is None
    assert matching_position(old, new, TracePosition(step=1, stage="forward", line=0), 1) is None
