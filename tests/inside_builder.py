"""Builders of handwritten traces with stages, calls, source lines and ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from gradviz.model.inside import ExecutedLine, Inside, Op, StageKind, StageRecord, UserFrame
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.model.source import Location, SourceFile
from gradviz.model.step import NodeStep
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor

TEXT = """\
import torch
from torch.autograd import Function


def scaled(tensor, factor):
    tensor.mul_(factor)
    return tensor


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight)
        if bias is not None:
            output += bias
        for turn in range(2):
            print(turn)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        doubled = scaled(grad_output.clone(), 2.0)
        array = doubled.numpy()
        grad_input = torch.from_numpy(
            array @ weight.t().numpy(),
        )
        grad_weight = input.t().mm(doubled)
        del array
        return grad_input, grad_weight, None


LinearFunction.apply(input, weight).sum().backward()
"""

INSIDE_TENSORS = (
    *LINEAR_TENSORS[:6],
    tensor(7, [[6.0, 24.0], [6.0, 24.0]]),
    tensor(8, [[4.0, 4.0, 4.0], [8.0, 8.0, 8.0]]),
    tensor(9, np.ones((2, 3))),
    (replace(tensor(10, np.full((2, 3), 2.0))[0], storage=9, version=1),
     tensor(10, np.full((2, 3), 2.0))[1]),
    tensor(11, [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]], storage=2),
    tensor(12, [[0.0, 2.0], [1.0, 3.0]], storage=1),
)  # fmt: skip
"""As in `LINEAR_TENSORS`, with gradients twice as large; the clone, the same doubled in place, the
transposed weight and the transposed input."""

_FILE = "linear.py"


def at(number: int, function: str) -> Location:
    """A line of `TEXT`."""
    return Location(source=1, path=_FILE, line=number, function=function)


def op(
    name: str,
    inputs: Sequence[Item],
    outputs: Sequence[Item],
    line: int | None = None,
    location: Location | None = None,
    **more: Any,
) -> Op:
    """An op that took 5 µs; an unseen one has no overload."""
    values: dict[str, Any] = {
        "overload": "default" if more.get("seen", True) else "",
        "seen": True,
        "writes": (),
        "started_ns": 0,
        "duration_ns": 5000,
        "finished": True,
    } | more
    return Op(
        name=name,
        line=line,
        location=location,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        **values,
    )


def line(location: Location, *changes: Item, frame: int = 0, **more: Any) -> ExecutedLine:
    """A statement of one line that took 10 µs."""
    values: dict[str, Any] = {
        "last_line": location.line,
        "removed": (),
        "result": None,
        "started_ns": 0,
        "duration_ns": 10_000,
        "finished": True,
    } | more
    return ExecutedLine(frame=frame, location=location, changes=changes, **values)


def part(
    stage: StageKind,
    *,
    frames: Sequence[UserFrame] = (),
    lines: Sequence[ExecutedLine] = (),
    ops: Sequence[Op] = (),
    **more: Any,
) -> StageRecord:
    """A stage that took 100 µs in the main thread; its lines and ops begin 1 µs apart."""
    lines, ops = _timed(lines, ops)
    values: dict[str, Any] = {
        "started_ns": 0,
        "duration_ns": 100_000,
        "finished": True,
        "thread": "",
    } | more
    return StageRecord(
        stage=stage, frames=tuple(frames), lines=tuple(lines), ops=tuple(ops), **values
    )


def _timed(lines: Sequence[ExecutedLine], ops: Sequence[Op]) -> tuple[list[ExecutedLine], list[Op]]:
    """Each line begins after those before it, and its ops after it."""
    timed_lines: list[ExecutedLine] = []
    timed_ops: list[Op] = []
    for position, each in enumerate([*ops, None]):
        last = len(lines) - 1 if each is None else -1 if each.line is None else each.line
        while len(timed_lines) <= last:
            now = 1000 * (len(timed_lines) + position + 1)
            timed_lines.append(replace(lines[len(timed_lines)], started_ns=now))
        if each is not None:
            now = 1000 * (len(timed_lines) + position + 1)
            timed_ops.append(replace(each, started_ns=now))
    return timed_lines, timed_ops


def inside_trace() -> Trace:
    """The steps of `linear_trace`, recorded down to lines; its backward doubles by mistake.

    Step 1 has a loop of two turns and a branch that is not taken; step 5 a call of another
    function, which changes a tensor in place, a statement of three lines, ops that autograd cannot
    see, and a deleted variable.
    """
    trace = linear_trace()
    call = replace(
        trace.calls[0],
        forward=at(12, "LinearFunction.forward"),
        backward=at(22, "LinearFunction.backward"),
    )
    return replace(
        trace,
        origin=replace(trace.origin, level="all"),
        calls=(call,),
        tensors=tuple(record for record, _ in INSIDE_TENSORS),
        sources=(SourceFile(id=1, path=_FILE, text=TEXT),),
        insides=(
            Inside(id=1, parts=(_forward(),)),
            Inside(id=2, parts=(_sum(),)),
            Inside(id=4, parts=(_sum_backward(),)),
            Inside(id=5, parts=(backward_part(), part("engine", duration_ns=2000))),
            Inside(id=6, parts=(_accumulate(7),)),
            Inside(id=7, parts=(_accumulate(8),)),
        ),
    )


def dying_trace() -> Trace:
    """The same run, whose process died in the multiplication of line 29."""
    trace = inside_trace()
    whole = backward_part()
    dying = replace(
        whole,
        finished=False,
        duration_ns=0,
        lines=(
            *whole.lines[:6],
            replace(whole.lines[6], finished=False, changes=(), duration_ns=0),
        ),
        ops=(*whole.ops[:-1], replace(whole.ops[-1], finished=False, outputs=(), duration_ns=None)),
    )
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    step = replace(step, finished=False, duration_ns=0, returned=(), passed=())
    return replace(
        trace,
        steps=(*trace.steps[:4], step),
        insides=(*trace.insides[:3], Inside(id=5, parts=(dying,))),
        console=trace.console[:1],
        outcome=None,
    )


def raising_trace() -> Trace:
    """The same, whose line 29 raised."""
    trace = dying_trace()
    dying = trace.insides[3].parts[0]
    raised = replace(
        dying,
        duration_ns=90_000,
        lines=(*dying.lines[:-1], replace(dying.lines[-1], duration_ns=10_000)),
        ops=(*dying.ops[:-1], replace(dying.ops[-1], duration_ns=5000)),
    )
    place = at(29, "LinearFunction.backward")
    error = error_step(
        6,
        "RuntimeError",
        "mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)\nmore of it",
        location=place,
        traceback=(at(34, "<module>"), place),
    )
    return replace(
        trace,
        steps=(*trace.steps, error),
        insides=(*trace.insides[:3], Inside(id=5, parts=(raised,))),
        outcome=linear_trace().outcome,
    )


def _forward() -> StageRecord:
    def here(number: int) -> Location:
        return at(number, "LinearFunction.forward")

    input_, weight, bias = tensor_item("input", 1), tensor_item("weight", 2), none_item("bias")
    output = tensor_item("output", 3)
    operands = (tensor_item("self", 1), tensor_item("mat2", 2))
    return part(
        "forward",
        frames=(
            UserFrame(
                function=here(12),
                arguments=(object_item("ctx", "<LinearFunctionBackward>"), input_, weight, bias),
                caller=None,
            ),
        ),
        lines=(
            line(here(13)),
            line(here(14), output),
            line(here(15)),
            line(here(17), object_item("turn", "0")),
            line(here(18)),
            line(here(17), object_item("turn", "1")),
            line(here(18)),
            line(here(17)),
            line(here(19), result=tensor_item("output", 3)),
        ),
        ops=(op("aten::mm", operands, (output,), 1, here(14)),),
    )


def _sum() -> StageRecord:
    place = at(34, "<module>")
    return part(
        "forward",
        ops=(
            op(
                "aten::sum",
                (tensor_item("self", 3),),
                (tensor_item("output", 4),),
                location=place,
            ),
        ),
    )


def _sum_backward() -> StageRecord:
    inputs = (tensor_item("self", 5), object_item("size", "[2, 3]"))
    return part("backward", ops=(op("aten::expand", inputs, (tensor_item("output", 6),)),))


def backward_part() -> StageRecord:
    """The stage `LinearFunction.backward` of `inside_trace`."""

    def here(number: int) -> Location:
        return at(number, "LinearFunction.backward")

    def there(number: int) -> Location:
        return at(number, "scaled")

    context = object_item("ctx", "<LinearFunctionBackward>")
    input_, weight, bias = tensor_item("input", 1), tensor_item("weight", 2), none_item("bias")
    factor = object_item("factor", "2.0")
    return part(
        "backward",
        frames=(
            UserFrame(
                function=here(22), arguments=(context, tensor_item("grad_output", 6)), caller=None
            ),
            UserFrame(function=there(5), arguments=(tensor_item("tensor", 9), factor), caller=1),
        ),
        lines=(
            line(here(23), input_, weight, bias),
            line(here(24), tensor_item("doubled", 10)),
            line(there(6), tensor_item("tensor", 10), frame=1),
            line(there(7), frame=1, result=tensor_item("tensor", 10)),
            line(here(25), object_item("array", "array([[2., 2., 2.], [2., 2., 2.]])")),
            line(here(26), tensor_item("grad_input", 7), last_line=28),
            line(here(29), tensor_item("grad_weight", 8)),
            line(here(30), removed=("array",)),
            line(here(31), result=object_item("returned", "(Tensor(...), Tensor(...), None)")),
        ),
        ops=_backward_ops(here, there),
    )


def _backward_ops(here: Any, there: Any) -> tuple[Op, ...]:
    def self_(number: int) -> Item:
        return tensor_item("self", number)

    def out(number: int) -> Item:
        return tensor_item("output", number)

    doubled = {"overload": "Tensor", "writes": (0,)}
    other = object_item("other", "2.0")
    array = object_item("array", "array([[6., 24.], [6., 24.]])")
    ndarray = object_item("output", "array([[2., 2., 2.], [2., 2., 2.]])")
    return (
        op("aten::clone", (self_(6),), (out(9),), 1, here(24)),
        op("aten::mul_", (self_(9), other), (out(10),), 2, there(6), **doubled),
        op("Tensor.numpy", (self_(10),), (ndarray,), 4, here(25), seen=False),
        op("aten::t", (self_(2),), (out(11),), 5, here(26)),
        op("Tensor.numpy", (self_(11),), (ndarray,), 5, here(26), seen=False),
        op("torch.from_numpy", (array,), (out(7),), 5, here(26), seen=False),
        op("aten::t", (self_(1),), (out(12),), 6, here(29)),
        op("aten::mm", (self_(12), tensor_item("mat2", 10)), (out(8),), 6, here(29)),
    )  # fmt: skip


def _accumulate(gradient: int) -> StageRecord:
    inputs, outputs = (tensor_item("self", gradient),), (tensor_item("output", gradient),)
    return part("accumulate", ops=(op("aten::detach", inputs, outputs),))
