"""The gradients that a line returns, under their names."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.fact_rows import ValueRow
from gradviz.document.facts.location_facts import line_sections
from gradviz.model.item import none_item, tensor_item
from gradviz.model.step import NodeStep
from tests.inside_builder import inside_trace


def test_returned_gradients_are_not_named_like_the_arguments() -> None:
    trace = inside_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    # As the recorder names them: each by the argument that it is for.
    returned = tensor_item("input", 7), tensor_item("weight", 8), none_item("bias")
    steps = (*trace.steps[:4], replace(step, returned=returned), *trace.steps[5:])
    index = index_trace(replace(trace, steps=steps))
    part = trace.insides[3].parts[0]
    at = len(part.lines) - 1
    place = TracePosition(step=5, stage="backward", line=at)
    (section,) = (
        each for each in line_sections(index, place, part, at) if each.key == "line-result"
    )
    names = [row.name for row in section.rows if isinstance(row, ValueRow)]
    assert names == ["grad_input", "grad_weight", "grad_bias"]
