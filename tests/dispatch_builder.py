"""A handwritten trace with calls that types override, one for each kind of result."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.model.inside import ExecutedLine, Inside, StageRecord, UserFrame
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.model.source import Location, SourceFile
from gradviz.model.step import AnswerKind, DispatchAnswer, DispatchStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from tests.builders import linear_trace, tensor

_TEXT = """class Diagonal:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return HANDLED[func](*args)

@implements(torch.add)
def add(input, other):
    return input.plus(other)

total = torch.add(one, other)
"""

_ONE = "Diagonal(N=2, value=2)"


def _place(line: int, function: str) -> Location:
    return Location(source=1, path="diagonal.py", line=line, function=function)


HANDLER = _place(6, "add")
PROTOCOL = _place(2, "Diagonal.__torch_function__")

_SUM = tensor(1, [[3.0, 1.0], [1.0, 3.0]])
DISPATCH_TENSORS: tuple[tuple[TensorRecord, TensorValue], ...] = (
    _SUM,
    (replace(tensor(2, 14.0)[0], subclass="Logged"), tensor(2, 14.0)[1]),
    tensor(3, [1.0, 2.0]),
)


def answer(kind: str, how: AnswerKind, by: str = "", error: str = "") -> DispatchAnswer:
    """The results of a type."""
    where = HANDLER if by else PROTOCOL
    return DispatchAnswer(type=kind, how=how, by=by, location=where, error=error)


def dispatch_step(
    number: int, function: str, *answers: DispatchAnswer, **more: object
) -> DispatchStep:
    """A call with one argument, of the types that answer."""
    facts: dict[str, object] = {
        "number": number,
        "finished": "error" not in more,
        "started_ns": 10 * number,
        "duration_ns": 5,
        "pass_id": None,
        "function": function,
        "types": tuple(each.type for each in answers),
        "answers": answers,
        "inputs": (object_item("one", _ONE),),
        "outputs": () if "error" in more else (object_item("output", "0.4"),),
        "location": _place(10, ""),
    }
    return DispatchStep(**{**facts, **more})  # type: ignore[arg-type]


def _steps() -> tuple[DispatchStep, ...]:
    held: tuple[Item, ...] = (
        *(object_item("one", "Unit(value=tensor [2])"), tensor_item("one.value", 3)),
        none_item("out"),
    )
    refused = "TypeError: Multiple dispatch failed for 'torch.mul'"
    wrong = "ValueError: Shape mismatch: N=2 and N=3"
    asked = answer("Diagonal", "not_implemented"), answer("Other", "not_implemented")
    return (
        dispatch_step(1, "torch.mean", answer("Diagonal", "handler", "mean")),
        dispatch_step(
            2,
            "torch.add",
            answer("Diagonal", "handler", "add"),
            types=("Diagonal", "Other"),
            outputs=(tensor_item("output", 1),),
        ),
        dispatch_step(3, "torch.add", answer("Diagonal", "raised", "add", wrong), error=wrong),
        dispatch_step(4, "torch.mul", *asked, error=refused),
        dispatch_step(5, "torch.mul", answer("Unit", "fallback"), inputs=held),
        dispatch_step(
            6, "torch.Tensor.sum", answer("Logged", "default"), outputs=(tensor_item("output", 2),)
        ),
        dispatch_step(7, "torch.exp", answer("Diagonal", "handler"), inputs=()),
        dispatch_step(8, "torch.exp", answer("Diagonal", "unseen"), inputs=()),
    )


def _inside() -> Inside:
    """The lines of step 2."""
    lines = [
        ExecutedLine(
            frame=frame,
            location=where,
            last_line=where.line,
            changes=(),
            removed=(),
            result=tensor_item("return", 1),
            started_ns=20,
            duration_ns=2,
            finished=True,
        )
        for frame, where in ((0, _place(4, PROTOCOL.function)), (1, _place(8, "add")))
    ]
    frames = (
        UserFrame(function=PROTOCOL, arguments=(), caller=None),
        UserFrame(function=HANDLER, arguments=(object_item("input", _ONE),), caller=0),
    )
    part = StageRecord(
        stage="forward",
        started_ns=20,
        duration_ns=4,
        finished=True,
        thread="",
        frames=frames,
        lines=tuple(lines),
    )
    return Inside(id=2, parts=(part,))


def dispatch_trace() -> Trace:
    """Seven calls, and no graph."""
    linear = linear_trace()
    return replace(
        linear,
        origin=replace(linear.origin, level="all"),
        calls=(),
        edges=(),
        nodes=(),
        saved=(),
        findings=(),
        console=(),
        steps=_steps(),
        sources=(SourceFile(id=1, path="diagonal.py", text=_TEXT),),
        tensors=tuple(record for record, _ in DISPATCH_TENSORS),
        insides=(_inside(),),
    )


def graph_and_dispatch_trace() -> Trace:
    """The linear trace, and one call after it."""
    linear = linear_trace()
    number = len(linear.steps) + 1
    step = dispatch_step(number, "torch.mean", answer("Diagonal", "handler", "mean"))
    return replace(linear, steps=(*linear.steps, step))
