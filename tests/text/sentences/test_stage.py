"""Sentences of the stages of a step."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import SavedSlot
from gradviz.model.inside import Inside, StageKind, StageRecord, UserFrame
from gradviz.model.item import none_item, object_item, tensor_item
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Trace
from gradviz.text.narration import describe_position
from tests.inside_builder import (
    INSIDE_TENSORS,
    at,
    dying_trace,
    inside_trace,
    op,
    part,
    raising_trace,
)
from tests.text.sentences.stage_traces import ran, step_of, with_step

BACKWARD = (
    "LinearFunction.backward receives grad_output 2×3 (all ones) and "
    "returns gradients for input 2×2 and weight 2×3, and None for bias."
)


def sentence_of(trace: Trace, number: int, stage: StageKind, **records: Any) -> str:
    values = {record.id: value for record, value in INSIDE_TENSORS}
    known = tuple(_changed(record, records) for record in trace.tensors)
    index = index_trace(replace(trace, tensors=known), values.get)
    return describe_position(index, TracePosition(step=number, stage=stage))


def _changed(record: TensorRecord, changes: dict[str, Any]) -> TensorRecord:
    """``dtype_7="int64"`` is another dtype for tensor 7."""
    suffix = f"_{record.id}"
    more = {key.removesuffix(suffix): v for key, v in changes.items() if key.endswith(suffix)}
    return replace(record, **more)


def with_parts(trace: Trace, number: int, *parts: StageRecord) -> Trace:
    others = [inside for inside in trace.insides if inside.id != number]
    insides = [*others, Inside(id=number, parts=parts)] if parts else others
    return replace(trace, insides=tuple(sorted(insides, key=lambda each: each.id)))


def with_call(trace: Trace, **more: Any) -> Trace:
    call: FunctionCall = replace(trace.calls[0], **more)
    return replace(trace, calls=(call,))


def with_forward(trace: Trace, number: int, **more: Any) -> Trace:
    step = trace.steps[number - 1]
    assert isinstance(step, ForwardStep)
    steps = [*trace.steps]
    steps[number - 1] = replace(step, **more)
    return replace(trace, steps=tuple(steps))


def counted(lines: int, ops: int, **more: Any) -> StageRecord:
    frame = UserFrame(function=at(12, "LinearFunction.forward"), arguments=(), caller=None)
    unseen = more.pop("unseen", 0)
    return part(
        "forward",
        frames=[frame],
        lines=[ran(13)] * lines,
        ops=[op("aten::mm", [], [], seen=number >= unseen) for number in range(ops)],
        **more,
    )


FORWARD = (
    "LinearFunction.forward takes input 2×2, weight 2×3 and None for bias and returns output 2×3."
)


@pytest.mark.parametrize(
    ("told", "end"),
    [
        (counted(0, 0), ""),
        (counted(1, 0), " 1 line ran in this stage."),
        (counted(0, 1), " 1 op ran in this stage."),
        (counted(2, 1), " 2 lines and 1 op ran in this stage."),
        (
            counted(1, 3, unseen=1),
            " 1 line and 3 ops ran in this stage. 1 of the ops is not visible to autograd.",
        ),
        (
            counted(0, 3, unseen=2),
            " 3 ops ran in this stage. 2 of the ops are not visible to autograd.",
        ),
        (
            counted(1, 1, more_lines=1),
            " 2 lines and 1 op ran in this stage. 1 more line ran in this stage but was not kept.",
        ),
        (
            counted(1, 1, more_lines=1999, more_ops=1),
            " 2,000 lines and 2 ops ran in this stage. 1,999 more lines and 1 more op ran in "
                "this stage but were not kept.",
        ),
        (
            counted(0, 1, more_ops=2),
            " 3 ops ran in this stage. 2 more ops ran in this stage but were not kept.",
        ),
        (counted(1, 0, thread="Dummy-1"), " 1 line ran in this stage. It ran in thread Dummy-1."),
    ],
)  # fmt: skip
def test_forward_and_how_much_ran_in_it(told: StageRecord, end: str) -> None:
    assert sentence_of(with_parts(inside_trace(), 1, told), 1, "forward") == FORWARD + end


def test_forward_that_was_not_looked_into_has_its_sentence_all_the_same() -> None:
    assert sentence_of(with_parts(inside_trace(), 1), 1, "forward") == FORWARD


def test_forward_that_died_and_one_that_raised() -> None:
    trace = replace(with_forward(with_parts(inside_trace(), 1), 1, finished=False), outcome=None)
    trace = replace(trace, steps=trace.steps[:1])
    text = (
        "LinearFunction.forward was called with input 2×2, weight 2×3 and None for bias "
        "but did not finish."
    )
    assert sentence_of(trace, 1, "forward") == text
    error = raising_trace().steps[-1]
    assert isinstance(error, ErrorStep)
    error = replace(error, number=2, pass_id=None, node=None, call=1, stage="forward", message="")
    raised = replace(trace, steps=(*trace.steps, error), outcome=inside_trace().outcome)
    assert sentence_of(raised, 1, "forward") == f"{text} It raised RuntimeError."
    other = replace(raised, steps=(trace.steps[0], replace(error, call=None)))
    assert sentence_of(other, 1, "forward") == text


def test_setup_context() -> None:
    trace = with_call(inside_trace(), style="setup_context")
    text = "LinearFunction.setup_context receives the inputs and the output of forward."
    assert sentence_of(trace, 1, "setup_context") == text
    kept = (object_item("alpha", "2.0"), none_item("bias"))
    trace = with_call(trace, attributes=kept)
    assert (
        sentence_of(trace, 1, "setup_context")
        == f"{text} It stores alpha = 2.0 and None for bias on ctx."
    )


def test_setup_context_that_raised_leaves_forward_finished() -> None:
    trace = with_call(inside_trace(), style="setup_context")
    parts = part("forward"), part("setup_context", finished=False)
    trace = with_parts(with_forward(trace, 1, finished=False, outputs=()), 1, *parts)
    assert sentence_of(trace, 1, "forward") == (
        "LinearFunction.forward was called with input 2×2, weight 2×3 and None for bias "
        "and finished."
    )
    text = "LinearFunction.setup_context did not finish."
    assert sentence_of(trace, 1, "setup_context") == text


def slots(*told: tuple[str, Any]) -> tuple[SavedSlot, ...]:
    return tuple(
        SavedSlot(id=number, node=1, item=item, role=role, role_index=None)  # type: ignore[arg-type]
        for number, (role, item) in enumerate(told, 1)
    )


SAVED: list[tuple[tuple[SavedSlot, ...], dict[str, Any], str]] = [
    ((), {}, "LinearFunctionBackward saves no tensors for backward."),
    (
        slots(("none", none_item("input"))),
        {},
        "LinearFunctionBackward saves no tensors for backward.",
    ),
    (
        slots(("input", tensor_item("input", 1)), ("output", tensor_item("output", 3))),
        {"version_3": 2},
        "LinearFunctionBackward saves input 2×2 (argument, version 0) and output 2×3 "
            "(output, version 2) for backward.",
    ),
    (
        slots(("view_of_input", tensor_item("row", 1)), ("none", none_item("bias"))),
        {"version_1": None},
        "LinearFunctionBackward saves row 2×2 (view of an argument) and None "
            "for bias for backward.",
    ),
    (
        slots(("input", tensor_item("x", 1)), ("output", tensor_item("y", 3))),
        {"version_1": None, "version_3": None},
        "LinearFunctionBackward saves x 2×2 (argument) and y 2×3 (output) for backward.",
    ),
    (
        slots(("view_of_input", tensor_item("row", 1)), ("intermediate", tensor_item("d", 7))),
        {"version_1": 3, "version_7": None},
        "LinearFunctionBackward saves row 2×2 (view of an argument, version 3) and d 2×2 (neither "
            "argument nor output) for backward. d is neither an "
            "input nor an output, so a second derivative treats it as a constant.",
    ),
    (
        slots(("intermediate", tensor_item("dx", 4))),
        {},
        "LinearFunctionBackward saves dx = 54 (neither argument nor "
            "output, version 0) for backward. dx is neither an input nor an output, so a second "
            "derivative treats it as a constant.",
    ),
    (
        slots(("attribute", tensor_item("self", 6)), ("attribute", object_item("dim", "(1,)"))),
        {},
        "LinearFunctionBackward saves self 2×3 (version 0) and dim = (1,) for backward.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("saved", "records", "sentence"), SAVED)
def test_save(saved: tuple[SavedSlot, ...], records: dict[str, Any], sentence: str) -> None:
    assert sentence_of(replace(inside_trace(), saved=saved), 1, "save", **records) == sentence


def test_save_of_an_op_that_made_several_nodes() -> None:
    trace = inside_trace()
    kept = tuple(
        SavedSlot(id=number, node=number, item=object_item("dim", "1"), role="attribute",
                  role_index=None)
        for number in range(1, 6)
    )  # fmt: skip
    nodes = [replace(trace.nodes[1], id=number) for number in (2, 5)]
    trace = replace(trace, saved=kept, nodes=(trace.nodes[0], nodes[0], *trace.nodes[2:], nodes[1]))
    told = sentence_of(with_forward(trace, 2, nodes=(2, 5)), 2, "save")
    assert told == " ".join(["SumBackward0 saves dim = 1 for backward."] * 2)
    told = sentence_of(with_forward(trace, 2, nodes=(1, 2, 3, 4)), 2, "save")
    assert told.endswith("saves dim = 1 for backward. 1 more node saves values for backward.")
    told = sentence_of(with_forward(trace, 2, nodes=(1, 2, 3, 4, 5)), 2, "save")
    assert told.endswith("saves dim = 1 for backward. 2 more nodes save values for backward.")


def test_builtin_forward_and_backward_with_its_formula() -> None:
    trace = inside_trace()
    assert sentence_of(trace, 2, "forward") == (
        "sum takes input 2×3 and returns output = 54; autograd adds SumBackward0 to the graph. 1 op"
        " ran in this stage."
    )
    text = (
        "SumBackward0 receives grad_output = 1 and passes on a 2×3 gradient to"
        " LinearFunctionBackward."
    )
    formula = " It computes `grad_self = expand(grad, self.shape)`."
    assert sentence_of(trace, 4, "backward") == f"{text}{formula} 1 op ran in this stage."
    # The formulas are those for real numbers.
    assert sentence_of(trace, 4, "backward", dtype_5="complex128") == (
        text.replace(" = 1", " (a scalar)") + " 1 op ran in this stage."
    )
    unknown = replace(trace.nodes[1], name="StrangeBackward0")
    trace = replace(trace, nodes=(trace.nodes[0], unknown, *trace.nodes[2:]))
    assert "computes" not in sentence_of(trace, 4, "backward")


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("MulBackward0", " It computes `grad_self = grad * other`. 1 op ran in this stage."),
        (
            "TanhBackward0",
            " Its formula is `grad_self = grad * (1 - result²)`. 1 op ran in this stage.",
        ),
    ],
)
def test_a_formula_for_which_no_gradient_goes_on_is_left_out(name: str, end: str) -> None:
    """``x * 2.0``: the number has its own slot without an edge."""
    trace = inside_trace()
    node = replace(trace.nodes[1], name=name)
    trace = replace(trace, nodes=(trace.nodes[0], node, *trace.nodes[2:]))
    step = trace.steps[3]
    assert isinstance(step, NodeStep)
    (first,) = step.passed
    nowhere = replace(first, slot=1, edge=None, item=none_item("gradient 1"), change="none")
    step = replace(step, passed=(first, nowhere))
    trace = replace(trace, steps=(*trace.steps[:3], step, *trace.steps[4:]))
    assert sentence_of(trace, 4, "backward").endswith(end)


def test_backward_does_not_describe_the_engine() -> None:
    trace = inside_trace()
    passed = step_of(trace).passed
    trace = with_step(trace, passed=(replace(passed[0], change="cast"), passed[1]))
    ran_in_it = " 9 lines and 8 ops ran in this stage. 3 of the ops are not visible to autograd."
    assert sentence_of(trace, 5, "backward") == BACKWARD + ran_in_it


def test_backward_that_died_and_one_that_raised() -> None:
    text = "LinearFunction.backward receives grad_output 2×3 (all ones) but does not finish."
    assert sentence_of(with_parts(dying_trace(), 5), 5, "backward") == text
    assert sentence_of(with_parts(raising_trace(), 5), 5, "backward") == (
        f"{text} It raised RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)."
    )


def engine(changes: Sequence[str], **records: Any) -> str:
    trace = inside_trace()
    passed = [
        replace(each, change=change)
        for each, change in zip(step_of(trace).passed, changes, strict=True)
    ]
    return sentence_of(with_step(trace, passed=tuple(passed)), 5, "engine", **records)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (("unchanged", "unchanged"), "The engine checks 2 gradients and changes nothing."),
        (("unchanged", "none"), "The engine checks 1 gradient and changes nothing."),
        (("none", "none"), "The engine has no gradient to check."),
        (
            ("unchanged", "dropped"),
            "The gradient for weight is discarded because weight does not need one. The "
            "engine leaves 1 other gradient unchanged.",
        ),
        (
            ("none", "dropped"),
            "The gradient for weight is discarded because weight does not need one.",
        ),
        (
            ("reduced", "cast"),
            "The engine sums the gradient for input from 2×2 to 2×2."
            " The engine casts the gradient for weight from float64 to float64.",
        ),
        (
            ("reduced_and_cast", "none"),
            "The engine sums and casts the gradient for input from 2×2 float64 to 2×2 float64.",
        ),
    ],
)
def test_engine(changes: Sequence[str], sentence: str) -> None:
    assert engine(changes) == sentence


def test_engine_that_leaves_several_as_they_are() -> None:
    trace = inside_trace()
    passed = step_of(trace).passed
    more = (*passed, replace(passed[0], change="reduced"))
    assert sentence_of(with_step(trace, passed=more), 5, "engine") == (
        "The engine sums the gradient for input from 2×2 to 2×2. The engine leaves 2 "
        "other gradients unchanged."
    )


def test_a_refusing_engine_gives_the_reason_and_backward_its_result() -> None:
    trace = with_parts(with_step(inside_trace(), finished=False, passed=()), 5)
    error = raising_trace().steps[-1]
    assert isinstance(error, ErrorStep)
    error = replace(error, stage="engine", message="got [1] but expected [2]", location=None)
    refused = replace(trace, steps=(*trace.steps[:5], error))
    assert sentence_of(refused, 5, "engine") == (
        "The engine rejects what LinearFunction.backward returned: got [1] but expected [2]."
    )
    assert sentence_of(refused, 5, "backward") == BACKWARD
    untold = replace(trace, steps=trace.steps[:5])
    assert sentence_of(untold, 5, "engine") == "The engine stops here."


def test_accumulate() -> None:
    trace = inside_trace()
    assert (
        sentence_of(trace, 6, "accumulate")
        == "input.grad is set to the 2×2 gradient. 1 op ran in this stage."
    )
    step = trace.steps[5]
    assert isinstance(step, AccumulateStep)
    nothing = replace(step, contribution=none_item("input"), total=none_item("input.grad"))
    trace = replace(trace, steps=(*trace.steps[:5], nothing, *trace.steps[6:]))
    assert sentence_of(with_parts(trace, 6), 6, "accumulate") == "No gradient arrives for input."
