"""Every value of every step of recorded programs is seen by each reader of traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import Struct, structs

from gradviz.analysis.breakpoints.breakpoint import WhenNotFinite
from gradviz.analysis.breakpoints.finder import BreakpointFinder
from gradviz.analysis.breakpoints.step_tensors import tensors_of_step
from gradviz.analysis.compare.item_pairs import items_of_step
from gradviz.analysis.index.step_queries import runs_within
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producer import moment_after
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.provenance.tensor_lineage import (
    TensorAppearance,
    TensorLineage,
    ValueKey,
    appearances_in,
)
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.search.search_index import build_search_index
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import sections_of_values, value_rows
from gradviz.export.run_tensors.table import uses_by_tensor
from gradviz.export.steps.json_document import steps_members
from gradviz.export.steps.text import origin_text
from gradviz.gallery.registry import SCENES
from gradviz.model.columns import NANS
from gradviz.model.item import Item
from gradviz.model.step import OptimizerStep
from gradviz.model.step_values import MADE, values_of
from gradviz.model.tensor import TensorValue
from gradviz.store.reader import open_trace
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.sweeps import thinned


def infinite_update(times: int = 2) -> None:
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=float("inf"))
    for _ in range(times):
        optimizer.zero_grad()
        (weight * torch.tensor([0.0, 1.0])).sum().backward()
        optimizer.step()


def changed_totals() -> None:
    """Gradients that change before a pass ends, and those that ``autograd.grad`` returns."""
    weight: Any = torch.tensor([1.0, 2.0], requires_grad=True)
    result = (weight * 3).exp()

    engine: Any = torch.autograd.Variable._execution_engine  # noqa: SLF001

    def change(gradient: torch.Tensor) -> None:
        # DistributedDataParallel averages gradients in such a callback, of C++.
        engine.queue_callback(lambda: weight.grad.mul_(0.5))

    torch.autograd.grad((result.sum(), (result * 2).sum()), weight, retain_graph=True)
    weight.register_hook(change)
    result.sum().backward()


PROGRAMS: dict[str, Callable[[], Any]] = {
    "optimizer": infinite_update,
    "results": changed_totals,
    **{each.id: partial(run_scene, each) for each in SCENES},
}


def recorded(folder: Path, program: Callable[[], Any]) -> TraceIndex:
    torch.manual_seed(0)
    record_run(folder, program)
    with open_trace(folder / "run.gradviz") as reader:
        trace = reader.trace()
        values = {record.id: reader.value(record.id) for record in trace.tensors}
    return index_trace(trace, values.get)


def tensors_of_any_field(value: Any) -> Iterator[int]:
    """The tensors of all items in a record, found without `values_of`."""
    if isinstance(value, Item):
        yield from () if value.tensor is None else (value.tensor,)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from tensors_of_any_field(getattr(value, name))
    elif isinstance(value, tuple):
        for each in value:
            yield from tensors_of_any_field(each)


def tensors_of_facts(index: TraceIndex, place: TracePosition) -> Iterator[int | None]:
    """The tensors that inspector, page, LaTeX and slides show."""
    facts = current_facts(RevealedTrace.of_all(index), place.step, place=place)
    assert facts is not None
    sections = sections_of_values(facts.sections)
    yield from (row.item.tensor for each in sections for row in value_rows(each.rows))


class Flagged:
    """Says that the given tensors are not finite, whatever they contain."""

    def __init__(self, flags: dict[int, int]) -> None:
        self._flags = flags

    def look(self, **_: Any) -> bool:
        return True

    def not_finite(self) -> dict[int, int]:
        return dict(self._flags)


@pytest.mark.parametrize("name", thinned(PROGRAMS))
def test_each_reader_sees_each_value(name: str, tmp_path: Path) -> None:
    index = recorded(tmp_path, PROGRAMS[name])
    expected = {step.number: set(tensors_of_any_field(step)) for step in index.trace.steps}
    tensors = set().union(*expected.values())
    first = {each: min(n for n in expected if each in expected[n]) for each in tensors}
    for step in index.trace.steps:
        place, wanted = TracePosition(step=step.number), expected[step.number]
        assert {item.tensor for _, item in values_of(step)} - {None} == wanted
        assert tensors_of_step(index, step).all == wanted
        assert {item.tensor for _, item in items_of_step(index, step)} >= wanted
        assert set(tensors_of_facts(index, place)) >= wanted
    firsts = [*TensorLineage(index).firsts()]
    assert {each.tensor: each.step for each in firsts} == first
    assert len(firsts) == len(first)
    uses = build_search_index(index).uses
    found = set(zip(uses.steps.tolist(), uses.tensors.tolist(), strict=True))
    assert {(n, each) for n, held in expected.items() for each in held} <= found
    exported = uses_by_tensor(index)
    places = {(use.place, tensor) for tensor, each in exported.items() for use in each}
    assert {(str(n), each) for n, held in expected.items() for each in held} <= places
    asked: list[int] = []

    def noted(tensor: int) -> TensorValue | None:
        asked.append(tensor)
        return index.value(tensor)

    for written in steps_members(structs.replace(index, value=noted))["steps"]:
        assert set(asked) >= expected[written["number"]]
        asked.clear()
    flags = dict.fromkeys(tensors, NANS)
    everything = structs.replace(index, finite=Flagged(flags))
    assert {each.tensor: each.step for each in find_non_finite(everything)} == first
    hits = BreakpointFinder(everything).positions_of(WhenNotFinite(kind="nan", appears=False))
    assert {place.step for place in hits.places} == {n for n in expected if expected[n]}


@pytest.mark.parametrize("name", thinned(PROGRAMS))
def test_the_lineage_is_that_of_a_walk_over_all_steps(name: str, tmp_path: Path) -> None:
    index = recorded(tmp_path, PROGRAMS[name])
    everything = [each for step in index.trace.steps for each in appearances_in(index, step)]
    lineage = TensorLineage(index)
    first: dict[int, TensorAppearance] = {}
    made: dict[int, int] = {}
    keys: dict[int, set[ValueKey | None]] = defaultdict(set)
    for node in index.trace.nodes:
        keys[node.variable or 0].add((node.id, 0))
    for each in everything:
        keys[each.tensor].add(each.key)
        if first.setdefault(each.tensor, each) is each:
            is_made = each.role in MADE
        else:
            is_returned = each.role in ("output", "returned", "passed")
            is_made = is_returned and runs_within(
                index, each.step, made.get(each.tensor, each.step)
            )
        if is_made:
            made[each.tensor] = each.step
    assert [*lineage.firsts()] == [*first.values()]
    for tensor in keys.keys() - {0}:
        assert lineage.first(tensor) == first.get(tensor)
        assert lineage.made_at(tensor) == made.get(tensor)
        assert lineage.keys(tensor) == keys[tensor] - {None}
    for key in {each.key for each in everything if each.key is not None}:
        assert [*lineage.of_value(key)] == [each for each in everything if each.key == key]


@pytest.mark.parametrize("name", thinned(PROGRAMS))
def test_what_a_step_makes_has_a_producer(name: str, tmp_path: Path) -> None:
    index = recorded(tmp_path, PROGRAMS[name])
    producers = Producers(index)
    for first in TensorLineage(index).firsts():
        if first.role in MADE:
            made = producers.of(first.tensor, moment_after(TracePosition(step=first.step)))
            assert made is not None, first


@pytest.mark.parametrize("times", [1, 2])
def test_the_origin_of_a_nan_is_the_update(times: int, tmp_path: Path) -> None:
    index = recorded(tmp_path, lambda: infinite_update(times))
    number = next(step.number for step in index.trace.steps if isinstance(step, OptimizerStep))
    assert next(origin_text(index, "nan")) == (
        "NaN first appears in SGD.step: weight[0] is nan. It is not known which elements of "
        "weight and weight.grad it was computed from."
    )
    hits = BreakpointFinder(index).positions_of(WhenNotFinite(kind="nan"))
    assert hits.places[0] == TracePosition(step=number)
