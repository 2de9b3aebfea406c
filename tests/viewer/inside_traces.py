"""A handwritten trace with stages, lines and ops."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from gradviz.model.inside import ExecutedLine, Inside, Op, RecordingLevel, StageRecord, UserFrame
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.model.source import Location, SourceFile
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader

TEXT = """class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        return input.mm(weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_output.mm(weight.t())
        grad_input.mul_(1)
        size = norm(grad_input)
        return (
            grad_input,
            input.t().mm(grad_output),
            None,
        )


def norm(x):
    return np.linalg.norm(x.numpy())
"""

DEEP_TENSORS = (
    *LINEAR_TENSORS,
    tensor(9, [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]], storage=2),
    tensor(10, [[3.0, 12.0], [3.0, 12.0]], storage=7),
    tensor(11, [[0.0, 2.0], [1.0, 3.0]], storage=1),
    tensor(12, np.array([[2, 3]])),
)
"""weight.t(), grad_input before it is changed in place, input.t(), and a tensor of integers."""


def at(line: int, function: str = "LinearFunction.backward") -> Location:
    return Location(source=1, path="linear.py", line=line, function=function)


def op(name: str, inputs: tuple[Item, ...], outputs: tuple[Item, ...], **more: object) -> Op:
    values: dict[str, object] = {
        "overload": "default",
        "seen": True,
        "line": None,
        "location": None,
        "writes": (),
        "started_ns": 0,
        "duration_ns": 4_200,
        "finished": True,
    }
    values |= more
    return Op(name=name, inputs=inputs, outputs=outputs, **values)  # type: ignore[arg-type]


def line(
    number: int, *changes: Item, frame: int = 0, last: int | None = None, started: int = 0,
    result: Item | None = None, function: str = "LinearFunction.backward",
) -> ExecutedLine:  # fmt: skip
    return ExecutedLine(
        frame=frame,
        location=at(number, function),
        last_line=last or number,
        changes=changes,
        removed=(),
        result=result,
        started_ns=started,
        duration_ns=900,
        finished=True,
    )


def part(stage: str, **more: object) -> StageRecord:
    values: dict[str, object] = {
        "started_ns": 0,
        "duration_ns": 100_000,
        "finished": True,
        "thread": "",
    }
    return StageRecord(stage=stage, **(values | more))  # type: ignore[arg-type]


_GRAD, _X, _W = tensor_item("grad_output", 6), tensor_item("input", 1), tensor_item("weight", 2)

FORWARD = part(
    "forward",
    frames=(UserFrame(function=at(3, "LinearFunction.forward"), arguments=(_X, _W), caller=None),),
    lines=(
        line(4, started=1, function="LinearFunction.forward"),
        line(5, started=2, result=tensor_item("return", 3), function="LinearFunction.forward"),
    ),
    ops=(
        op(
            "aten::mm",
            (tensor_item("self", 1), tensor_item("mat2", 2)),
            (tensor_item("output", 3),),
            line=1,
            location=at(5, "LinearFunction.forward"),
            started_ns=3,
            duration_ns=480_150,
        ),
    ),
)

BACKWARD = part(
    "backward",
    frames=(
        UserFrame(function=at(8), arguments=(_GRAD,), caller=None),
        UserFrame(function=at(20, "norm"), arguments=(tensor_item("x", 7),), caller=3),
    ),
    lines=(
        line(9, _X, _W, none_item("bias"), started=1),
        line(10, tensor_item("grad_input", 10), started=10),
        line(11, tensor_item("grad_input", 7), started=20),
        line(12, object_item("size", "17.49"), started=30),
        line(21, frame=1, started=31, result=object_item("return", "17.49"), function="norm"),
        line(13, started=40, last=17, result=object_item("return", "(tensor(…), …, None)")),
    ),
    ops=(
        op("aten::t", (tensor_item("self", 2),), (tensor_item("output", 9),),
           line=1, location=at(10), started_ns=11, duration_ns=870),
        op("aten::mm", (tensor_item("self", 6), tensor_item("mat2", 9)),
           (tensor_item("output", 10),), line=1, location=at(10), started_ns=12,
           duration_ns=36_400),
        op("aten::mul_", (tensor_item("self", 10), object_item("other", "1")),
           (tensor_item("output", 7),), line=2, location=at(11), started_ns=21, writes=(0,),
           overload="Scalar"),
        op("Tensor.numpy", (tensor_item("self", 7),), (), line=4, location=at(21, "norm"),
           started_ns=32, overload="", seen=False),
        op("aten::t", (tensor_item("self", 1),), (tensor_item("output", 11),), line=5,
           location=at(13), started_ns=41),
        op("aten::mm", (tensor_item("self", 11), tensor_item("mat2", 6)),
           (tensor_item("output", 8),), line=5, location=at(13), started_ns=42),
    ),
)  # fmt: skip

_EXPAND = op(
    "aten::expand",
    (tensor_item("self", 5), tensor_item("like", 12), object_item("size", "[2, 3]")),
    (tensor_item("output", 6),),
)


def deep_trace(level: RecordingLevel = "all") -> Trace:
    """`linear_trace`, recorded down to lines; or down to ops, whose lines are known by number."""
    parts = {1: (FORWARD,), 4: (part("backward", ops=(_EXPAND,)),), 5: (BACKWARD,)}
    if level == "ops":
        parts = {number: tuple(map(_without_lines, each)) for number, each in parts.items()}
    if level == "nodes":
        parts = {}
    insides = tuple(Inside(id=number, parts=each) for number, each in parts.items())
    trace = linear_trace()
    return replace(
        trace,
        origin=replace(trace.origin, level=level),
        sources=(SourceFile(id=1, path="linear.py", text=TEXT),),
        insides=insides,
    )


def deep_reader(level: RecordingLevel = "all") -> MemoryReader:
    """A reader of `deep_trace`."""
    return MemoryReader(deep_trace(level), DEEP_TENSORS)


def many_ops(count: int) -> MemoryReader:
    """A step that called very many ops, some of which were not kept."""
    ops = tuple(replace(BACKWARD.ops[1], line=None, started_ns=each) for each in range(count))
    inside = Inside(id=5, parts=(part("backward", ops=ops, more_ops=1234),))
    return MemoryReader(replace(deep_trace("ops"), insides=(inside,)), DEEP_TENSORS)


def _without_lines(whole: StageRecord) -> StageRecord:
    ops = tuple(replace(each, line=None) for each in whole.ops)
    return replace(whole, frames=(), lines=(), ops=ops)
