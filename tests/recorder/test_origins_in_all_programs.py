"""Origins and histories of every tensor in programs written for other tests."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.memory.memory_regions import layout_of, overlaps
from gradviz.analysis.memory.memory_versions import version_history
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.provenance.value_problem import ValueProblem, ValueProblemKind
from gradviz.store.reader import open_trace
from gradviz.text.memory_versions import version_sentence
from gradviz.text.provenance import origin_sentence, stops
from tests.recorder.recorded_run import record_run
from tests.recorder.unusual_programs import ALL_PROGRAMS

NAMES = (
    *("views", "dirty", "hooks", "reduced_and_cast", "complex_and_scalars", "empty_and_strided"),
    *("sparse_gradient", "numpy_inside", "data_written_behind", "large_tensors", "many_dtypes"),
    *("retained_graph_and_leaf_twice", "batched_gradients", "subclass", "checkpoints"),
)


@pytest.fixture(params=NAMES)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> TraceIndex:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record_run(tmp_path, ALL_PROGRAMS[request.param], level="all", strict=False)
    with open_trace(tmp_path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        return index_trace(trace, values.get)


def test_each_element_of_the_path_has_the_same_problem(index: TraceIndex) -> None:
    tracer = OriginTracer(index)
    last = TracePosition(step=len(index.trace.steps))
    kinds: tuple[ValueProblemKind, ...] = ("zero", "large")
    for record in index.trace.tensors:
        for kind in kinds:
            problem = ValueProblem(kind=kind, limit=1.0)
            seen = ElementLocation(place=last, name="it", tensor=record.id, element=None)
            value_origins = tracer.value_origins(problem, seen)
            assert bool(value_origins) == bool(tracer.anywhere(problem, record.id))
            for value_origin in value_origins:
                assert value_origin.path[-1].tensor == record.id
                for each in value_origin.path:
                    array = tracer.array(each.tensor)
                    known = array is not None and each.element is not None
                    assert not known or problem.has(array[each.element])  # type: ignore[index]
                assert origin_sentence(index, tracer, value_origin)
                assert stops(index, value_origin)


def test_each_tensor_is_a_version_of_its_memory(index: TraceIndex) -> None:
    producers = Producers(index)
    for record in index.trace.tensors:
        history = version_history(index, record.id, producers)
        assert (history is None) == (record.storage is None)
        if history is None:
            continue
        assert history.of(record.id) is not None
        numbers = [number for version in history.versions for number in version.tensors]
        others = map(index.tensor.bare, producers.tensors_in_memory(history.storage))
        assert sorted(numbers) == [
            other.id
            for other in others
            if overlaps(record, other) or layout_of(record) == layout_of(other)
        ]
        assert all(version_sentence(index, version) for version in history.versions)
