"""Files that people have: one real trace of each format opens for ever."""

from pathlib import Path

import pytest

from gradviz.model.step import NodeStep
from gradviz.store.reader import open_trace
from gradviz.store.schema import FORMAT_VERSION

FOLDER = Path(__file__).parents[1] / "data" / "traces"


def test_there_is_a_file_of_each_format() -> None:
    names = {f"format-{number}.gradviz" for number in range(1, FORMAT_VERSION + 1)}
    assert {path.name for path in FOLDER.iterdir()} == names


@pytest.mark.parametrize("number", range(1, FORMAT_VERSION + 1))
def test_old_trace_says_what_it_always_said(number: int) -> None:
    with open_trace(FOLDER / f"format-{number}.gradviz") as reader:
        trace = reader.trace()
        names = {node.id: node.name for node in trace.nodes}
        (backward,) = (
            step
            for step in trace.steps
            if isinstance(step, NodeStep) and names[step.node] == "LinearFunctionBackward"
        )
        tensors = [item.tensor for item in backward.returned if item.tensor is not None]
        values = [reader.value(tensor) for tensor in tensors]
        (report,) = trace.reports
        matrix = reader.value(report.blocks[1].analytical)
    returned = [value.array().tolist() for value in values if value is not None]
    assert returned == [[[3, 12], [3, 12]], [[1, 1, 1], [5, 5, 5]]]
    assert trace.origin.subject == "scene:linear-wrong"
    assert (report.verdict, report.blocks[1].wrong) == ("mismatch", 6)
    assert matrix is not None
    assert matrix.array()[3].tolist() == [2, 0, 0, 3, 0, 0]
    assert len(trace.steps) == 8
    assert sum(text.activity == "run" for text in trace.console) > 0
