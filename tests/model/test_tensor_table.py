"""Statistics that a recorder left out are computed on request."""

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.tensor import TensorValue
from gradviz.text.narration import describe_step
from tests.builders import LINEAR_TENSORS, linear_trace

VALUES = {record.id: value for record, value in LINEAR_TENSORS}


def test_statistics_are_computed_when_asked_for() -> None:
    trace = linear_trace()
    bare = replace(trace, tensors=tuple(replace(each, statistics=None) for each in trace.tensors))
    asked: list[int] = []

    def read(number: int) -> TensorValue:
        asked.append(number)
        return VALUES[number]

    index = index_trace(bare, read)
    assert asked == []
    assert index.tensor[4].statistics == trace.tensors[3].statistics
    assert index.tensor[4].statistics is index.tensor[4].statistics
    assert asked == [4]
    assert "(all ones)" in describe_step(index, trace.steps[4])
    assert set(index.tensor) == set(range(1, 9))
    assert index_trace(bare).tensor[4].statistics is None
