"""Traces for the viewer's tests, and a reader of them that needs no file."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.graph import SavedSlot
from gradviz.model.item import none_item, object_item, tensor_item
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep, PassedGradient
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.export import check_reports
from tests.export.check_reports import BLOCK, REPORT, WORST
from tests.inside_builder import INSIDE_TENSORS, inside_trace

Pairs = tuple[tuple[TensorRecord, TensorValue], ...]

NUMERICAL = np.round(check_reports.NUMERICAL) + 0.0
ANALYTICAL = check_reports.ANALYTICAL
_INPUT = np.kron(np.array([[0.0, 3.0], [1.0, 4.0]]), np.eye(2))


class MemoryReader:
    """A trace reader whose trace and tensors are in memory."""

    is_closed = False

    def __init__(self, trace: Trace, pairs: Pairs) -> None:
        self._values = {record.id: value for record, value in pairs}
        self._trace = replace(trace, tensors=tuple(record for record, _ in pairs))

    def trace(self) -> Trace:
        return self._trace

    def value(self, tensor_id: int) -> TensorValue | None:
        return self._values.get(tensor_id)


def linear_reader() -> MemoryReader:
    """The scene `linear`."""
    return MemoryReader(linear_trace(), LINEAR_TENSORS)


def wrong_reader() -> MemoryReader:
    """The scene `linear` after a check that found its weight's Jacobian wrong."""
    pairs = (
        *LINEAR_TENSORS,
        tensor(20, _INPUT),
        tensor(21, _INPUT),
        tensor(22, NUMERICAL),
        tensor(23, ANALYTICAL),
    )
    console = (
        *linear_trace().console,
        ConsoleText(
            id=3, step=5, stream="stderr", activity="run", text="a warning\nof two lines\n"
        ),
        ConsoleText(id=4, step=None, stream="stdout", activity="check", text="again\n" * 12),
    )
    cuts = (
        ConsoleCut(activity="run", characters=1200, lines=40),
        ConsoleCut(activity="check", characters=9, lines=1),
    )
    trace = replace(linear_trace(), reports=(wrong_report(),), console=console, cuts=cuts)
    return MemoryReader(trace, pairs)


def block(name: str, place: int, shape: tuple[int, ...], tensors: tuple[int, int]) -> JacobianBlock:
    pair = replace(BLOCK, input=place, input_name=name, input_shape=shape, wrong=0, worst=None)
    return replace(pair, numerical=tensors[0], analytical=tensors[1])


def wrong_report() -> JacobianReport:
    worst = replace(WORST, numerical=1 + 0j, excess=990.099)
    weight = replace(block("weight", 1, (2, 3), (22, 23)), wrong=6, worst=worst)
    given = replace(block("input", 0, (2, 2), (20, 21)), output_shape=(2, 2))
    return replace(REPORT, blocks=(given, weight), evaluations=60, duration_ns=12_000_000)


def changed_reader() -> MemoryReader:
    """The scene `linear`, but its backward step sums, casts and drops, and gets made-up zeros."""
    pairs = (*LINEAR_TENSORS, tensor(30, np.arange(24.0).reshape(4, 2, 3)), tensor(31, np.zeros(3)))
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    grad_input, raw = tensor_item("input", 7), tensor_item("weight", 30)
    changed = replace(
        step,
        incoming=(*step.incoming, none_item("grad_output 1")),
        received=(*step.received, tensor_item("grad_output 1", 31)),
        returned=(grad_input, raw, tensor_item("bias", 31)),
        passed=(
            step.passed[0],
            replace(step.passed[1], change="reduced"),
            PassedGradient(slot=2, argument=2, edge=None, item=none_item("bias"), change="dropped"),
        ),
    )
    call = replace(
        trace.calls[0],
        attributes=(object_item("constant", "2.5"),),
        dirty=(0,),
        materialize_grads=False,
    )
    middle = SavedSlot(
        id=9, node=1, item=tensor_item("middle", 3), role="intermediate", role_index=None
    )
    steps = (*trace.steps[:4], changed, *trace.steps[5:])
    return MemoryReader(
        replace(trace, steps=steps, calls=(call,), saved=(*trace.saved, middle)), pairs
    )


def summed_reader() -> MemoryReader:
    """The scene `linear`, whose weight had a gradient already: the total is twice what arrives."""
    trace = linear_trace()
    step = trace.steps[6]
    assert isinstance(step, AccumulateStep)
    summed = replace(step, total=tensor_item("weight", 32))
    pairs = (*LINEAR_TENSORS, tensor(32, [[4.0, 4.0, 4.0], [8.0, 8.0, 8.0]]))
    return MemoryReader(replace(trace, steps=(*trace.steps[:6], summed, *trace.steps[7:])), pairs)


def pooled_reader() -> MemoryReader:
    """The scene `linear`, whose second step also returns indices, as `max_pool2d` does."""
    trace = linear_trace()
    step = trace.steps[1]
    assert isinstance(step, ForwardStep)
    pooled = replace(step, outputs=(*step.outputs, tensor_item("indices", 33)))
    pairs = (*LINEAR_TENSORS, tensor(33, [[0, 1999], [4000, 2]]))
    return MemoryReader(replace(trace, steps=(trace.steps[0], pooled, *trace.steps[2:])), pairs)


def failed_reader() -> MemoryReader:
    """The scene `linear`, whose backward raised."""
    trace = linear_trace()
    place = Location(source=1, path="linear.py", line=10, function="LinearFunction.backward")
    error = ErrorStep(
        number=5,
        started_ns=0,
        pass_id=1,
        node=1,
        call=1,
        stage="backward",
        exception="RuntimeError",
        message="mat1 and mat2 <b>shapes</b> cannot be multiplied (2x3 and 2x3)",
        location=place,
        traceback=(replace(place, line=12, function="<module>"), place),
    )
    return MemoryReader(replace(trace, steps=(*trace.steps[:4], error)), LINEAR_TENSORS)


def inside_reader() -> MemoryReader:
    """`inside_trace`: the linear scene, recorded down to lines and ops."""
    return MemoryReader(inside_trace(), INSIDE_TENSORS)
