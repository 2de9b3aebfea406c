"""Builders of handwritten traces, so that readers are tested without torch.

`tests.inside_builder` has some that were recorded down to source lines and ops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from gradviz.model.console import ConsoleText
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import Edge, Node, SavedSlot
from gradviz.model.item import none_item, tensor_item
from gradviz.model.source import Location, SourceFile
from gradviz.model.statistics import statistics_of
from gradviz.model.step import (
    AccumulateStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassedGradient,
    PassEndStep,
    Root,
)
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Origin, Outcome, Trace
from gradviz.store.writer import TraceWriter

ORIGIN = Origin(
    title="LinearFunction, merged",
    subject="scene:linear",
    created="2026-01-02T03:04:05Z",
    gradviz="0.1.0",
    python="3.11.7",
    torch="2.13.0",
    numpy="2.4.6",
    platform="Linux",
    device="cpu",
    seed=0,
)


def error_step(number: int, exception: str, message: str, **changes: Any) -> ErrorStep:
    """An error in the backward of node 1 in the first pass, at no known line."""
    step = ErrorStep(
        number=number,
        started_ns=0,
        pass_id=1,
        node=1,
        call=None,
        stage="backward",
        exception=exception,
        message=message,
        location=None,
        traceback=(),
    )
    return replace(step, **changes)


def tensor(
    number: int, values: npt.ArrayLike, *, storage: int | None = None, requires_grad: bool = False
) -> tuple[TensorRecord, TensorValue]:
    """A whole float64 (or int64, bool) tensor with its elements."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        array = array.astype("<f8")
    array = np.ascontiguousarray(array).reshape(array.shape)
    strides = tuple(step // array.itemsize for step in array.strides)
    record = TensorRecord(
        id=number,
        dtype=array.dtype.name,
        shape=array.shape,
        strides=strides,
        device="cpu",
        layout="strided",
        requires_grad=requires_grad,
        storage=number if storage is None else storage,
        version=0,
        content="whole",
        kept_shape=array.shape,
        kept_steps=(1,) * array.ndim,
        note="",
        statistics=statistics_of(array),
    )
    return record, TensorValue(dtype=array.dtype.name, shape=array.shape, data=array.tobytes())


LINEAR_TENSORS = (
    tensor(1, [[0.0, 1.0], [2.0, 3.0]], requires_grad=True),
    tensor(2, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], requires_grad=True),
    tensor(3, [[3.0, 4.0, 5.0], [9.0, 14.0, 19.0]], requires_grad=True),
    tensor(4, 54.0, requires_grad=True),
    tensor(5, 1.0),
    tensor(6, np.ones((2, 3))),
    tensor(7, [[3.0, 12.0], [3.0, 12.0]]),
    tensor(8, [[2.0, 2.0, 2.0], [4.0, 4.0, 4.0]]),
)
"""input, weight, output, L, its gradient, grad_output, grad_input, grad_weight."""

_TEXT = """class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        return input.mm(weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        return grad_output.mm(weight.t()), input.t().mm(grad_output), None

output = LinearFunction.apply(input, weight)
"""


def _place(line: int, function: str) -> Location:
    return Location(source=1, path="linear.py", line=line, function=function)


def _node(number: int, name: str, kind: str, **more: object) -> Node:
    values: dict[str, object] = {
        "sequence_nr": number,
        "call": None,
        "variable": None,
        "variable_name": "",
        "made_by": None,
        "module_call": None,
    }
    return Node(id=number, name=name, kind=kind, **(values | more))  # type: ignore[arg-type]


def linear_trace() -> Trace:
    """The scene `linear` as its recording should be: 8 steps, four nodes, one call."""
    names = ("input", "weight", "bias")
    arguments = (tensor_item("input", 1), tensor_item("weight", 2), none_item("bias"))
    roles = (("input", 0), ("input", 1), ("none", None))
    saved = tuple(
        SavedSlot(id=number, node=1, item=item, role=role, role_index=index)  # type: ignore[arg-type]
        for number, (item, (role, index)) in enumerate(zip(arguments, roles, strict=True), 1)
    )
    call = FunctionCall(
        id=1,
        function="LinearFunction",
        style="combined",
        node=1,
        arguments=arguments,
        outputs=(tensor_item("output", 3),),
        attributes=(),
        needs_input_grad=(True, True, False),
        dirty=(),
        non_differentiable=(),
        materialize_grads=True,
        once_differentiable=False,
        forward=_place(3, "LinearFunction.forward"),
        setup_context=None,
        backward=_place(8, "LinearFunction.backward"),
    )
    nodes = (
        _node(1, "LinearFunctionBackward", "custom", call=1),
        _node(2, "SumBackward0", "builtin"),
        _node(3, "AccumulateGrad", "accumulate", variable=1, variable_name=names[0]),
        _node(4, "AccumulateGrad", "accumulate", variable=2, variable_name=names[1]),
    )
    edges = (
        Edge(id=1, source=2, slot=0, target=1, target_slot=0),
        Edge(id=2, source=1, slot=0, target=3, target_slot=0),
        Edge(id=3, source=1, slot=1, target=4, target_slot=0),
    )
    return Trace(
        origin=ORIGIN,
        nodes=nodes,
        edges=edges,
        saved=saved,
        calls=(call,),
        # One after the other.
        steps=tuple(
            replace(step, started_ns=1000 * step.number) for step in _linear_steps(arguments)
        ),
        tensors=tuple(record for record, _ in LINEAR_TENSORS),
        sources=(SourceFile(id=1, path="linear.py", text=_TEXT),),
        console=(
            ConsoleText(id=1, step=1, stream="stdout", activity="run", text="output 54\n"),
            ConsoleText(id=2, step=5, stream="stdout", activity="run", text="grad_output ones\n"),
        ),
        outcome=Outcome(kind="finished", message="", duration_ns=3_000_000),
    )


def _linear_steps(arguments: tuple[object, ...]) -> tuple[object, ...]:
    timing = {"finished": True, "started_ns": 0, "duration_ns": 1000}
    grad_input, grad_weight = tensor_item("input", 7), tensor_item("weight", 8)
    forward = {"pass_id": None, "inputs": (), **timing}
    return (
        ForwardStep(
            number=1,
            op="LinearFunction",
            node=1,
            nodes=(1,),
            call=1,
            outputs=(tensor_item("output", 3),),
            location=_place(12, "<module>"),
            **(forward | {"inputs": arguments}),  # type: ignore[arg-type]
        ),
        ForwardStep(
            number=2,
            op="sum",
            node=2,
            nodes=(2,),
            call=None,
            outputs=(tensor_item("output", 4),),
            location=None,
            **(forward | {"inputs": (tensor_item("input", 3),)}),  # type: ignore[arg-type]
        ),
        PassBeginStep(
            number=3,
            started_ns=0,
            pass_id=1,
            parent=None,
            roots=(
                Root(
                    node=2,
                    output_nr=0,
                    value=tensor_item("L", 4),
                    gradient=tensor_item("grad_output", 5),
                ),
            ),
            create_graph=False,
            keep_graph=False,
            accumulate=True,
            location=None,
        ),
        NodeStep(
            number=4,
            pass_id=1,
            node=2,
            incoming=(tensor_item("grad_output", 5),),
            received=(),
            returned=(),
            passed=(_passed(0, None, 1, tensor_item("self", 6)),),
            thread="",
            **timing,  # type: ignore[arg-type]
        ),
        NodeStep(
            number=5,
            pass_id=1,
            node=1,
            incoming=(tensor_item("grad_output", 6),),
            received=(tensor_item("grad_output", 6),),
            returned=(grad_input, grad_weight, none_item("bias")),
            passed=(_passed(0, 0, 2, grad_input), _passed(1, 1, 3, grad_weight)),
            thread="",
            **timing,  # type: ignore[arg-type]
        ),
        _accumulate(6, 3, "input", 1, 7),
        _accumulate(7, 4, "weight", 2, 8),
        PassEndStep(number=8, started_ns=0, pass_id=1, results=()),
    )


def _passed(slot: int, argument: int | None, edge: int, item: object) -> PassedGradient:
    return PassedGradient(slot=slot, argument=argument, edge=edge, item=item, change="unchanged")  # type: ignore[arg-type]


def _accumulate(number: int, node: int, name: str, leaf: int, gradient: int) -> AccumulateStep:
    return AccumulateStep(
        number=number,
        finished=True,
        started_ns=0,
        duration_ns=1000,
        pass_id=1,
        node=node,
        contribution=tensor_item(name, gradient),
        total=tensor_item(f"{name}.grad", gradient),
        leaf=tensor_item("leaf", leaf),
        added=False,
    )


def write_trace(
    path: Path, trace: Trace, values: tuple[tuple[TensorRecord, TensorValue], ...] = LINEAR_TENSORS
) -> Path:
    """Writes a trace to a file through the real writer and returns the path."""
    writer = TraceWriter(path, trace.origin)
    write_records(writer, trace, values)
    writer.close()
    return path


def write_records(
    writer: TraceWriter,
    trace: Trace,
    values: tuple[tuple[TensorRecord, TensorValue], ...] = LINEAR_TENSORS,
) -> None:
    """Writes a trace into a file that stays open."""
    for record, value in values:
        writer.put_tensor(record, value.data)
    groups = (
        trace.nodes, trace.edges, trace.saved, trace.modules, trace.calls, trace.steps,
        trace.insides, trace.sources, trace.console, trace.cuts, trace.findings, trace.reports,
        trace.changes, trace.writes,
    )  # fmt: skip
    for group in groups:
        for record in group:  # type: ignore[attr-defined]
            writer.put(record)
    if trace.outcome is not None:
        writer.put_outcome(trace.outcome)
