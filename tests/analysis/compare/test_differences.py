"""Differences of runs: their lines, their phases and their numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.compare.common_subsequence import match_sequences
from gradviz.analysis.compare.exact_differences import align_runs, compare_exactly, detail_of
from gradviz.analysis.compare.item_pairs import matching_position, pairs_at_position
from gradviz.analysis.compare.step_pairing import PhaseAlignment
from gradviz.analysis.compare.what_if_targets import (
    Changeable,
    candidate_for,
    candidates_at,
    candidates_of,
    candidates_of_node,
)
from gradviz.analysis.index.phases import run_phases
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import none_item
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from gradviz.model.what_if import GradientTarget, InputTarget, SavedTarget
from tests.builders import LINEAR_TENSORS, linear_trace, tensor

# Comparing two runs: which steps correspond, what differs, by how much and where.


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
        pair.name: found.judge.verdict(pair)
        for pair in pairs
        if pair.right and pair.right.tensor == 7
    }
    assert set(verdicts.values()) == {"differs"}
    others = [found.judge.verdict(pair) for pair in pairs if pair.right and pair.right.tensor != 7]
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


# Longest common subsequences: ordered, matched by key, maximal and symmetric.


KEYS = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9)


def longest(left: list[str | None], right: list[str | None]) -> int:
    """The length of the longest common subsequence, by its definition."""

    @cache
    def rest(one: int, other: int) -> int:
        if one == len(left) or other == len(right):
            return 0
        best = max(rest(one + 1, other), rest(one, other + 1))
        if left[one] is not None and left[one] == right[other]:
            best = max(best, 1 + rest(one + 1, other + 1))
        return best

    return rest(0, 0)


@given(KEYS, KEYS)
def test_it_is_a_longest_common_subsequence(
    left: list[str | None], right: list[str | None]
) -> None:
    found = match_sequences(left, right)
    assert found == sorted(found)
    assert len({one for one, _ in found}) == len({other for _, other in found}) == len(found)
    assert [other for _, other in found] == sorted(other for _, other in found)
    assert all(left[one] is not None and left[one] == right[other] for one, other in found)
    assert len(found) == longest(left, right)


@given(KEYS, KEYS)
def test_swapping_the_sides_swaps_the_pairs(
    left: list[str | None], right: list[str | None]
) -> None:
    assert match_sequences(right, left) == [
        (other, one) for one, other in match_sequences(left, right)
    ]


def test_long_sequences_are_paired_in_order_too() -> None:
    left: list[str | None] = [f"op {number % 700}" for number in range(20_000)]
    right = [key for at, key in enumerate(left) if at % 997]
    right.insert(5_000, "another")
    found = match_sequences(left, right)
    assert found == sorted(found)
    assert [other for _, other in found] == sorted(other for _, other in found)
    assert all(left[one] == right[other] for one, other in found)
    assert len(found) > 19_000


# Steps of runs with the same phases correspond to each other.


NO_UPDATES = np.zeros(20, dtype=np.bool_)


def phases(*passes: int) -> tuple[object, ...]:
    return run_phases(np.array(passes), NO_UPDATES[: len(passes)])


def test_equal_runs_correspond_step_by_step() -> None:
    run = phases(0, 0, 1, 1, 1, 0, 2, 2)
    alignment = PhaseAlignment(run, run)
    assert [alignment.step_of(number) for number in range(1, 9)] == list(range(1, 9))


def test_phases_of_another_length_correspond_from_their_first_steps() -> None:
    longer = PhaseAlignment(phases(0, 1, 1), phases(0, 0, 1, 1, 1))
    assert [longer.step_of(number) for number in (1, 2, 3)] == [1, 3, 4]
    shorter = PhaseAlignment(phases(0, 0, 1, 1, 1), phases(0, 1, 1))
    assert [shorter.step_of(number) for number in range(1, 6)] == [1, 1, 2, 3, 3]


def test_a_phase_of_one_run_only_has_a_nearest_step() -> None:
    # The other run has ended before its second pass.
    alignment = PhaseAlignment(phases(0, 1, 1, 0, 2, 2), phases(0, 1, 1, 0))
    assert [alignment.step_of(number) for number in (4, 5, 6)] == [4, None, None]
    assert alignment.nearest(6) == 4
    assert PhaseAlignment(phases(0), ()).nearest(1) == 1


# What can be changed at a step, at a node and for a tensor.


INDEX = index_trace(linear_trace())
BEFORE = Changeable(arguments=("input", "weight", "bias"))


def step_of(kind: type, node: int) -> int:
    steps = INDEX.trace.steps
    return next(step.number for step in steps if isinstance(step, kind) and step.node == node)


def test_of_a_forward_step_arguments_and_what_it_saves() -> None:
    found = candidates_at(INDEX, 1, BEFORE)
    targets = [each.target for each in found]
    inputs = [each for each in targets if isinstance(each, InputTarget)]
    assert inputs == [InputTarget(position=0, name="input"), InputTarget(position=1, name="weight")]
    saved = [each for each in targets if isinstance(each, SavedTarget)]
    assert [each.saved for each in saved] == [
        slot.id for slot in INDEX.trace.saved if slot.item.tensor is not None and slot.node == 1
    ]
    assert len(targets) == len(inputs) + len(saved)


def test_of_a_node_its_gradients_and_what_it_saves() -> None:
    node = next(each for each in INDEX.trace.nodes if each.kind == "custom")
    number = step_of(NodeStep, node.id)
    found = candidates_at(INDEX, number, BEFORE)
    edges = [each.target.edge for each in found if isinstance(each.target, GradientTarget)]
    arriving = [edge.id for edge in INDEX.arriving[node.id]]
    leaving = [
        each.edge
        for each in INDEX.trace.steps[number - 1].passed
        if each.edge is not None and each.item.tensor is not None
    ]
    assert edges == [*arriving, *leaving]
    of_node = {each.target for each in candidates_of_node(INDEX, node.id, BEFORE)}
    assert of_node == {
        each.target for each in found if getattr(each.target, "edge", None) not in arriving
    }


def test_of_a_leaf_the_argument_and_what_reaches_it() -> None:
    leaf = next(each for each in INDEX.trace.nodes if each.variable_name == "weight")
    found = candidates_at(INDEX, step_of(AccumulateStep, leaf.id), BEFORE)
    assert [type(each.target) for each in found] == [GradientTarget, InputTarget]
    assert found[1].tensor == leaf.variable


def test_behind_a_tensor() -> None:
    weight = next(each.variable for each in INDEX.trace.nodes if each.variable_name == "weight")
    assert weight is not None
    last = len(INDEX.trace.steps)
    kinds = {type(each.target) for each in candidates_of(INDEX, weight, last, BEFORE)}
    assert kinds == {InputTarget, SavedTarget}
    assert candidates_of(INDEX, weight, last, Changeable()) != ()
    assert candidates_of(INDEX, 99, last, BEFORE) == ()
    assert candidates_at(INDEX, 99, BEFORE) == ()


def test_again_in_another_run() -> None:
    steps = range(1, len(INDEX.trace.steps) + 1)
    found = {each.target: each for number in steps for each in candidates_at(INDEX, number, BEFORE)}
    assert len(found) > 4
    assert all(candidate_for(INDEX, target, BEFORE) == each for target, each in found.items())
    assert candidate_for(INDEX, InputTarget(position=0, name="other"), BEFORE) is None
