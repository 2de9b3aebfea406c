"""A violation of each invariant of a trace is detected."""

import pytest
from msgspec.structs import replace

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.finding import Finding
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.graph import ModuleCall
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from tests.builders import linear_trace
from tests.export.check_reports import REPORT

TRACE = linear_trace()
FAR_ITEM = Item(name="x", kind="tensor", tensor=99)
FORWARD, BEGIN, EXECUTED = TRACE.steps[0], TRACE.steps[2], TRACE.steps[4]


def with_step(position: int, **changes: object) -> Trace:
    steps = list(TRACE.steps)
    steps[position] = replace(steps[position], **changes)  # type: ignore[arg-type]
    return replace(TRACE, steps=tuple(steps))


def with_tensor(**changes: object) -> Trace:
    first = replace(TRACE.tensors[0], **changes)  # type: ignore[arg-type]
    return replace(TRACE, tensors=(first, *TRACE.tensors[1:]))


def with_module(node_in: int = 1, parent: int | None = None) -> Trace:
    module = ModuleCall(id=1, path="layer", class_name="Linear", parent=parent)
    first = replace(TRACE.nodes[0], module_call=node_in)
    return replace(TRACE, nodes=(first, *TRACE.nodes[1:]), modules=(module,))


def with_report(order: int = 1, *diagnoses: Diagnosis) -> Trace:
    report = replace(REPORT, blocks=(), order=order, diagnoses=diagnoses)
    return replace(TRACE, reports=(report,))


def with_samples(points: tuple[float, ...], at: int = 0) -> Trace:
    curve = FunctionCurve(
        output=0,
        input=0,
        row=0,
        column=0,
        at=at,
        points=points,
        values=(1.0,),
        numerical=(0.0,),
        analytical=(0.0,),
    )
    trace = with_report(1)
    return replace(trace, reports=(replace(trace.reports[0], function_curves=(curve,)),))


NOWHERE = Diagnosis(code="unknown", message="It differs.", output=0, input=0, part="")

FINDING = Finding(id=1, code="", severity="info", message="", step=1, node=1, argument=0)
FAR = Location(source=1, path="linear.py", line=99, function="")

BROKEN = [
    (replace(TRACE, findings=(replace(FINDING, step=99),)), "finding 1 belongs to a step"),
    (replace(TRACE, findings=(replace(FINDING, node=99),)), "finding 1 refers to a node"),
    (replace(TRACE, findings=(replace(FINDING, argument=-1),)), "finding 1 refers to a negative"),
    (replace(TRACE, findings=(replace(FINDING, location=FAR),)), "finding 1 is in line 99 of a"),
    (with_step(0, location=FAR), "step 1 is in line 99 of a source with"),
    (with_step(0, location=replace(FAR, source=9)), "step 1 is in source 9, which does not exist"),
    (with_step(2, parent=1), "pass 1 runs inside of one that did not begin before it"),
    (replace(TRACE, calls=(replace(TRACE.calls[0], backward=FAR),)), "call 1 is in line 99 of a"),
    (replace(TRACE, nodes=TRACE.nodes[::-1]), "ids of kind node are not ascending"),
    (replace(TRACE, steps=TRACE.steps[1:]), "not numbered"),
    (with_tensor(dtype="qint8"), "unknown dtype"),
    (with_tensor(kept_shape=(1, 1)), "kept elements have a different shape"),
    (with_tensor(content="preview", kept_shape=(2, 1), note="large"), "not a sample"),
    (with_tensor(note="large"), "note on why it is not"),
    (with_tensor(shape=(-2, 2), kept_shape=(-2, 2)), "negative size"),
    (with_tensor(strides=(4, 2, 1)), "where in its memory"),
    (with_tensor(kept_steps=()), "where in its memory"),
    (with_tensor(offset=1 << 62), "where in its memory"),
    (with_tensor(strides=(1 << 61, 1)), "where in its memory"),
    (replace(TRACE, edges=(replace(TRACE.edges[0], target=9),)), "edge 1 ends at a node"),
    (replace(TRACE, saved=(replace(TRACE.saved[0], node=9),)), "saved slot 1 belongs"),
    (replace(TRACE, saved=(replace(TRACE.saved[0], item=FAR_ITEM),)), "refers to tensor 99"),
    (replace(TRACE, calls=()), "created by a call that does not exist"),
    (
        replace(TRACE, calls=(replace(TRACE.calls[0], node=9),)),
        "call 1 created a node that does not exist",
    ),
    (with_module(node_in=2), "node 1 was created in a module call that does not exist"),
    (with_module(parent=1), "module call 1 is nested in one that did not begin before it"),
    (with_step(0, node=9), "step 1 refers to a node"),
    (with_step(0, nodes=(1, 1)), "step 1 creates a node twice"),
    (with_step(0, inputs=(FAR_ITEM,)), "step 1 refers to tensor 99"),
    (with_step(0, inputs=(replace(FAR_ITEM, kind="none"),)), "of kind none with tensor 99"),
    (with_step(0, call=9), "step 1 refers to a call"),
    (with_step(4, passed=(replace(EXECUTED.passed[0], edge=9),)), "step 5 refers to an edge"),  # type: ignore[union-attr]
    (with_step(2, pass_id=2), "belongs to pass 1, which is not open"),
    (with_step(7, pass_id=2), "pass 2 ends but is not open"),
    (replace(TRACE, steps=(*TRACE.steps, replace(BEGIN, number=9))), "pass 1 begins twice"),
    (replace(TRACE, console=(replace(TRACE.console[0], step=9),)), "belongs to step 9"),
    (with_report(3), "report 1 has order 3, but only 1 and 2 are possible"),
    (with_report(1, NOWHERE), "report 1 has a diagnosis for a pair that it does not contain"),
    (with_samples((0.0,)), "report 1 has a curve for a pair that it does not contain"),
    (with_samples((0.0, 1.0)), "has a function curve with unequal numbers of values"),
    (with_samples((0.0,), at=1), "has a function curve with unequal numbers of values"),
]


@pytest.mark.parametrize(("trace", "problem"), BROKEN)
def test_broken_invariant_is_named(trace: Trace, problem: str) -> None:
    assert any(problem in each for each in validate(trace)), validate(trace)


def test_nested_modules_are_valid() -> None:
    assert validate(with_module()) == []


def test_unfinished_step_is_valid() -> None:
    shorter = replace(TRACE, steps=TRACE.steps[:5], outcome=None)
    changed = replace(EXECUTED, finished=False, returned=(), passed=())  # type: ignore[arg-type]
    assert validate(replace(shorter, steps=(*TRACE.steps[:4], changed))) == []
