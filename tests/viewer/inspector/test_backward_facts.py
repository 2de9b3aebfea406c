"""What the inspector and the stage show for the steps of a backward pass."""

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.document.facts.backward_facts import accumulate_sections, returned_sections
from gradviz.document.facts.fact_rows import ChangeRow, ValueRow
from gradviz.model.finding import Finding
from gradviz.model.item import tensor_item
from gradviz.model.step import AccumulateStep, NodeStep, PassedGradient
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace

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
