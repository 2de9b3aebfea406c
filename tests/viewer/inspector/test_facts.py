"""Facts of the steps of a backward pass and of single lines, without widgets."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.backward_facts import accumulate_sections, returned_sections
from gradviz.document.facts.fact_rows import ChangeRow, ValueRow
from gradviz.document.facts.location_facts import line_sections
from gradviz.model.finding import Finding
from gradviz.model.item import none_item, tensor_item
from gradviz.model.source import source_lines
from gradviz.model.step import AccumulateStep, NodeStep, PassedGradient
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.inside_builder import inside_trace

HOOKED = Finding(
    id=1, code="gradient_hooked", severity="info", message="A hook.", step=7, node=None
)


def index_of(trace: Trace) -> TraceIndex:
    values = {record.id: value for record, value in LINEAR_TENSORS}
    return index_trace(trace, values.get)


def test_a_gradient_is_shown_before_and_after_a_hook() -> None:
    trace = linear_trace()
    step = trace.steps[6]
    assert isinstance(step, AccumulateStep)
    step = replace(step, contribution=tensor_item("weight", 6))
    trace = replace(trace, steps=(*trace.steps[:6], step, *trace.steps[7:]))
    (row,) = accumulate_sections(index_of(trace), step)[0].rows
    assert isinstance(row, ValueRow), "no hook is known"
    index = index_of(replace(trace, findings=(HOOKED,)))
    (row,) = accumulate_sections(index, step)[0].rows
    assert isinstance(row, ChangeRow)
    assert (row.before.item.tensor, row.after.item.tensor) == (8, 6)
    assert row.before.name == "grad_weight"
    # A hook that only looks changes nothing.
    same = replace(step, contribution=tensor_item("weight", 8))
    (row,) = accumulate_sections(index, same)[0].rows
    assert isinstance(row, ValueRow)


def test_gradients_are_named_after_the_formula_if_it_has_one_for_each() -> None:
    trace = linear_trace()
    step = trace.steps[3]
    assert isinstance(step, NodeStep)
    nodes = [
        replace(each, name="MulBackward0") if each.id == step.node else each for each in trace.nodes
    ]
    index = index_of(replace(trace, nodes=tuple(nodes)))

    def names(count: int) -> list[str]:
        passed = tuple(
            PassedGradient(
                slot=slot,
                argument=None,
                edge=None,
                item=tensor_item(f"gradient {slot}", 6),
                change="unchanged",
            )
            for slot in range(count)
        )
        (section,) = returned_sections(index, replace(step, passed=passed))
        return [row.name for row in section.rows if isinstance(row, ValueRow)]

    assert names(2) == ["grad_self", "grad_other"]
    assert names(1) == ["gradient 0"]


@pytest.mark.parametrize("count", [300, 3_100, 100_000])
def test_a_line_of_many_signs_has_its_facts(count: int) -> None:
    trace = inside_trace()
    line = f"    x = {'-' * count}1\n"
    texts = (replace(each, text=line * len(source_lines(each.text))) for each in trace.sources)
    changed = replace(trace, sources=tuple(texts))
    index, known = index_trace(changed), index_trace(trace)
    shown = 0
    for inside in trace.insides:
        for part in inside.parts:
            for at in range(len(part.lines)):
                place = TracePosition(step=inside.id, stage=part.stage, line=at)
                keys = [each.key for each in line_sections(known, place, part, at)]
                assert keys
                shown += bool(line_sections(index, place, part, at))
    assert shown > 3


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
