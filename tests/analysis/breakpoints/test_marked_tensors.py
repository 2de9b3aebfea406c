"""Where a NaN appears, compared with a brute-force search over all positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.breakpoints.breakpoint import WhenNorm, WhenNotFinite
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, children, line_at, op_at, parent
from gradviz.model.inside import Inside, StageRecord, UserFrame
from gradviz.model.item import Item, tensor_item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.model.trace import Trace
from tests.analysis.breakpoints.find_hits import keys, look
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, tensor
from tests.inside_builder import INSIDE_TENSORS, at, inside_trace, line, op, part
from tests.sweeps import generated
from tests.viewer.traces import Pairs

NAN = float("nan")


# Generated runs of one stage in each step: ops and lines that take and leave any tensors.

MOST = 12


@st.composite
def parts(draw: st.DrawFn) -> StageRecord:
    numbers = st.integers(1, MOST)
    items = st.lists(numbers.map(lambda number: tensor_item(f"v{number % 3}", number)), max_size=3)
    count = draw(st.integers(0, 4))
    calls = count > 1 and draw(st.booleans())
    frames = [UserFrame(function=at(1, "f"), arguments=tuple(draw(items)), caller=None)]
    # The second function is called by the first line.
    frames += [UserFrame(function=at(5, "g"), arguments=tuple(draw(items)), caller=0)] * calls
    lines = [
        line(at(number + 1, "f"), *draw(items), frame=int(calls and 1 <= number <= 2))
        for number in range(count)
    ]
    where = st.sampled_from([None, *range(count)])
    ops = [
        op("aten::mul", draw(items), draw(items), draw(where))
        for _ in range(draw(st.integers(0, 4)))
    ]
    return part("forward", frames=frames if lines else (), lines=lines, ops=ops)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Trace, Pairs]:
    numbers = st.lists(st.integers(1, MOST), max_size=3)

    def items(name: str) -> tuple[Item, ...]:
        return tuple(tensor_item(f"{name} {at}", each) for at, each in enumerate(draw(numbers)))

    count = draw(st.integers(1, 4))
    first = linear_trace().steps[1]
    assert isinstance(first, ForwardStep)
    steps = tuple(
        replace(
            first, number=number, node=None, nodes=(), inputs=items("input"), outputs=items("out")
        )
        for number in range(1, count + 1)
    )
    insides = tuple(
        Inside(id=number, parts=(draw(parts()),))
        for number in range(1, count + 1)
        if draw(st.booleans())
    )
    odd = draw(st.sets(st.integers(1, MOST)))
    pairs = tuple(tensor(n, [NAN if n in odd else 1.0, 2.0]) for n in range(1, MOST + 1))
    return Trace(origin=ORIGIN, steps=steps, insides=insides), pairs


class Oracle:
    """Computes the inputs and outputs of each position independently, from ops upwards."""

    def __init__(self, index: TraceIndex, odd: set[int]) -> None:
        self.index, self.odd = index, odd
        self.hits: list[TracePosition] = []

    def run(self) -> list[TracePosition]:
        before: set[int] = set()
        for step in self.index.trace.steps:
            assert isinstance(step, ForwardStep)
            place = TracePosition(step=step.number)
            given = self._odd(step.inputs)
            fresh = given - before
            if fresh:
                self.hits.append(place)
            made_inside = set().union(*(self._visit(kid) for kid in children(self.index, place)))
            found = any(hit.step == step.number for hit in self.hits)
            if self._odd(step.outputs) and not given and not made_inside and not found:
                self.hits.append(place)
            before |= given | made_inside | self._odd(step.outputs)
        return sorted(self.hits, key=lambda each: each.key)

    def _odd(self, items: tuple[Item, ...]) -> set[int]:
        return {item.tensor for item in items if item.tensor in self.odd and item.tensor}

    def _visit(self, place: TracePosition) -> set[int]:
        """The problems that first appear at a position."""
        inside: set[int] = set()
        for kid in children(self.index, place):
            inside |= self._visit(kid)
        if place.op is not None:
            each = op_at(self.index, place)
            assert each is not None
            new = self._odd(each.outputs)
            if new and not self._odd(each.inputs):
                self.hits.append(place)
            return new
        if place.line is not None:
            statement = line_at(self.index, place)
            assert statement is not None
            new = self._odd(statement.changes)
            if new and not inside and not self._variables(place) & self.odd:
                self.hits.append(place)
            return new | inside
        return inside

    def _variables(self, place: TracePosition) -> set[int]:
        """The local variables before a line, recomputed from the start."""
        recorded = self.index.inside[place.step].parts[0]
        frame = recorded.lines[place.line or 0].frame
        names = {item.name: item.tensor for item in recorded.frames[frame].arguments}
        for number in range(place.line or 0):
            if recorded.lines[number].frame == frame:
                names |= {item.name: item.tensor for item in recorded.lines[number].changes}
        return {number for number in names.values() if number is not None}


@generated(runs(), few=100, many=300)
def test_a_nan_appears_where_nothing_that_went_in_had_one(run: tuple[Trace, Pairs]) -> None:
    trace, pairs = run
    finder = look(trace, pairs)
    # Every tensor has a memory of its own here, so none is a view of another.
    odd = {record.id for record, value in pairs if np.isnan(value.array()).any()}
    expected = Oracle(finder.index, odd).run()
    assert keys(finder.positions_of(WhenNotFinite(kind="nan")).places) == [
        each.key for each in expected
    ]


@generated(runs(), few=30, many=100)
def test_no_place_is_named_within_another_of_its_step(run: tuple[Trace, Pairs]) -> None:
    finder = look(*run)
    places = finder.positions_of(WhenNotFinite(kind="nan", appears=False)).places
    for place in places:
        outer = parent(finder.index, place)
        while outer is not None:
            assert outer not in places
            outer = parent(finder.index, outer)


def nan_in(number: int, pairs: Pairs) -> Pairs:
    return tuple(
        tensor(record.id, np.where(np.ones(record.shape, bool), NAN, 0.0))
        if record.id == number
        else (record, value)
        for record, value in pairs
    )


def test_it_appears_in_the_op_that_made_it() -> None:
    # Output 3 is what `input.mm(weight)` gives in line 14; `sum` carries it on.
    finder = look(inside_trace(), nan_in(4, nan_in(3, INSIDE_TENSORS)))
    assert keys(finder.positions_of(WhenNotFinite(kind="nan")).places) == [(1, 0, 1, 0)]


def test_it_appears_in_the_engine_where_a_cast_overflows() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    cast = replace(step.passed[0], item=tensor_item("input", 9), change="cast")
    step = replace(step, passed=(cast, step.passed[1]))
    trace = replace(trace, steps=(*trace.steps[:4], step, *trace.steps[5:]))
    pairs = (*LINEAR_TENSORS, tensor(9, [[np.inf, 1.0], [1.0, 1.0]]))
    found = look(trace, pairs).positions_of(WhenNotFinite(kind="inf"))
    assert found.places == (TracePosition(step=5, stage="engine"),)


def test_what_a_node_saved_goes_into_it() -> None:
    # The input has a NaN from the start, so the gradient that is made with it carries it.
    finder = look(linear_trace(), nan_in(8, nan_in(1, LINEAR_TENSORS)))
    found = finder.positions_of(WhenNotFinite(kind="nan"))
    assert found.places == (TracePosition(step=1),)


def test_a_sum_of_gradients_carries_what_a_summand_has() -> None:
    trace = linear_trace()
    arrive = trace.steps[4]
    assert isinstance(arrive, NodeStep)
    summed = replace(
        arrive, incoming=(tensor_item("grad_output", 9),), received=(tensor_item("grad_output", 9),)
    )
    trace = replace(trace, steps=(*trace.steps[:4], summed, *trace.steps[5:]))
    pairs = (*LINEAR_TENSORS, tensor(9, np.full((2, 3), NAN)))
    # The only summand is finite: the NaN came up on the way.
    assert look(trace, pairs).positions_of(WhenNotFinite(kind="nan")).places == (
        TracePosition(step=5),
    )
    both = look(trace, nan_in(6, pairs)).positions_of(WhenNotFinite(kind="nan"))
    assert both.places == (TracePosition(step=4),)


def test_a_total_carries_what_the_leaf_had() -> None:
    trace = linear_trace()
    one = trace.steps[5]
    assert isinstance(one, AccumulateStep)
    again = replace(
        one, number=9, contribution=tensor_item("input", 10), total=tensor_item("input.grad", 11)
    )
    trace = replace(trace, steps=(*trace.steps, again))
    more = (tensor(10, np.ones((2, 2))), tensor(11, np.full((2, 2), NAN)))
    # The first total is the contribution itself, number 7.
    carried = look(trace, (*nan_in(7, LINEAR_TENSORS), *more))
    assert carried.positions_of(WhenNotFinite(kind="nan")).places == (TracePosition(step=5),)
    new = look(trace, (*LINEAR_TENSORS, *more))
    assert new.positions_of(WhenNotFinite(kind="nan")).places == (TracePosition(step=9),)


def test_a_view_of_what_has_one_is_nothing_new() -> None:
    trace = linear_trace()
    second = trace.steps[1]
    assert isinstance(second, ForwardStep)
    viewed = replace(second, inputs=(tensor_item("input", 9),))
    trace = replace(trace, steps=(trace.steps[0], viewed, *trace.steps[2:]))
    pairs = (*nan_in(3, LINEAR_TENSORS), tensor(9, np.full((3, 2), NAN), storage=3))
    assert look(trace, pairs).positions_of(WhenNotFinite(kind="nan")).places == (
        TracePosition(step=1),
    )


def test_what_numpy_gives_back_carries_what_numpy_got() -> None:
    trace = inside_trace()
    # Line 25 takes `doubled` (10) to numpy, line 26 brings `grad_input` (7) back.
    lost = look(trace, nan_in(7, INSIDE_TENSORS)).positions_of(WhenNotFinite(kind="nan"))
    assert keys(lost.places) == [(5, 3, 5, 5)]
    kept = look(trace, nan_in(7, nan_in(10, INSIDE_TENSORS))).positions_of(
        WhenNotFinite(kind="nan")
    )
    assert keys(kept.places) == [(5, 3, 2, 1)]


@pytest.mark.parametrize("with_statistics", [True, False])
def test_a_norm_is_that_of_numpy(with_statistics: bool) -> None:
    pairs = tuple(
        (record if with_statistics else replace(record, statistics=None), value)
        for record, value in LINEAR_TENSORS
    )
    finder = look(linear_trace(), pairs)
    norms = {record.id: float(np.linalg.norm(value.array())) for record, value in pairs}
    # Gradients: 5 starts, 6 arrives at step 5, which makes 7 and 8.
    steps = {5: 3, 6: 4, 7: 5, 8: 5}
    for above in (0.5, 2.0, norms[7] - 1e-9, norms[7], 100.0):
        over = sorted({step for number, step in steps.items() if norms[number] > above})
        found = finder.positions_of(WhenNorm(above=above)).places
        # Once a gradient is so large, all that are made of it are: it appears only once.
        assert [place.step for place in found] == over[:1]
    everything = finder.positions_of(WhenNorm(above=0.5, appears=False, gradients=False)).places
    assert [place.step for place in everything] == [1, 2, 3, 4, 5, 6, 7]


def test_norms_leave_out_what_is_not_finite_and_integers() -> None:
    trace = linear_trace()
    first = trace.steps[0]
    assert isinstance(first, ForwardStep)
    trace = replace(trace, steps=(replace(first, inputs=(tensor_item("index", 9),)),))
    pairs = (tensor(3, [3.0, 4.0, np.inf, NAN]), tensor(9, np.array([5000, 5000])))
    finder = look(trace, pairs)
    assert finder.positions_of(WhenNorm(above=4.9, gradients=False)).places == (
        TracePosition(step=1),
    )
    assert finder.positions_of(WhenNorm(above=5.0, gradients=False)).places == ()


def test_tensors_that_were_not_kept_are_counted() -> None:
    pairs = tuple(
        (replace(record, statistics=None, content="metadata", note="too large"), value)
        if record.id in (3, 7)
        else (record, value)
        for record, value in LINEAR_TENSORS
    )
    found = look(linear_trace(), pairs).positions_of(WhenNotFinite(kind="nan"))
    assert (found.places, found.why, found.unexamined.tensors) == ((), "never", 2)
