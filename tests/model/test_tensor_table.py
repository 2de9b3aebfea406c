"""Statistics that a recorder left out are there when asked for."""

from dataclasses import replace

from gradviz.model.index import index_of
from gradviz.model.narrate import sentence
from gradviz.model.tensor import TensorValue
from tests.builders import LINEAR_TENSORS, linear_trace

VALUES = {record.id: value for record, value in LINEAR_TENSORS}


def test_statistics_are_computed_when_asked_for() -> None:
    trace = linear_trace()
    bare = replace(trace, tensors=tuple(replace(each, statistics=None) for each in trace.tensors))
    asked: list[int] = []

    def read(number: int) -> TensorValue:
        asked.append(number)
        return VALUES[number]

    index = index_of(bare, read)
    assert asked == []
    assert index.tensor[4].statistics == trace.tensors[3].statistics
    assert index.tensor[4].statistics is index.tensor[4].statistics
    assert asked == [4]
    assert "(all ones)" in sentence(index, trace.steps[4])
    assert set(index.tensor) == set(range(1, 9))
    assert index_of(bare).tensor[4].statistics is None
