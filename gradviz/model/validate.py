"""Every invariant of a trace, in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.tensor import ITEM_SIZES, TensorRecord
from gradviz.model.trace import Trace

Problems = Iterator[str]


def validate(trace: Trace) -> list[str]:
    """Lists what is wrong with a trace, one sentence each; empty for a valid one."""
    return [problem for rule in RULES for problem in rule(trace)]


def _ids_ascend(trace: Trace) -> Problems:
    """Ids of each kind are unique and ascend; steps count from 1 without a gap."""
    kinds: dict[str, Sequence[Any]] = {
        "node": trace.nodes,
        "edge": trace.edges,
        "saved slot": trace.saved,
        "module call": trace.modules,
        "call": trace.calls,
        "tensor": trace.tensors,
        "source": trace.sources,
        "console text": trace.console,
        "finding": trace.findings,
        "report": trace.reports,
    }
    for kind, records in kinds.items():
        ids = [record.id for record in records]
        if any(first >= second for first, second in pairwise(ids)):
            yield f"ids of kind {kind} do not ascend"
    numbers = [step.number for step in trace.steps]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "steps are not numbered 1, 2, 3 ..."


def _tensors_are_whole(trace: Trace) -> Problems:
    """Kept elements fit the tensor: known dtype, no shape larger than the tensor's."""
    for tensor in trace.tensors:
        yield from _tensor_problems(tensor)


def _tensor_problems(tensor: TensorRecord) -> Problems:
    name = f"tensor {tensor.id}"
    if any(size < 0 for size in (*tensor.shape, *tensor.kept_shape)):
        yield f"{name} has a negative size"
    kept = tensor.content in ("whole", "preview")
    if kept and tensor.dtype not in ITEM_SIZES:
        yield f"{name} keeps values of unknown dtype {tensor.dtype!r:.40}"
    if tensor.content == "whole" and tensor.kept_shape != tensor.shape:
        yield f"{name} is whole but keeps another shape"
    if tensor.content == "preview" and not _is_sample(tensor):
        yield f"{name} has a preview that is no sample of it"
    if tensor.content == "whole" and tensor.note:
        yield f"{name} is whole but has a note why not"


def _is_sample(tensor: TensorRecord) -> bool:
    if not len(tensor.shape) == len(tensor.kept_shape) == len(tensor.kept_steps):
        return False
    sizes = zip(tensor.shape, tensor.kept_shape, tensor.kept_steps, strict=True)
    return all(step > 0 and kept == -(-size // step) for size, kept, step in sizes)


def _edges_are_closed(trace: Trace) -> Problems:
    """Edges and saved slots refer to nodes and tensors that are there."""
    nodes = {node.id for node in trace.nodes}
    tensors = {tensor.id for tensor in trace.tensors}
    for edge in trace.edges:
        if edge.source not in nodes or edge.target not in nodes:
            yield f"edge {edge.id} ends at a node that is not there"
    for saved in trace.saved:
        if saved.node not in nodes:
            yield f"saved slot {saved.id} belongs to a node that is not there"
        yield from _item_problems(f"saved slot {saved.id}", (saved.item,), tensors)


def _nodes_are_closed(trace: Trace) -> Problems:
    """Nodes refer to calls, modules, nodes and tensors that are there."""
    nodes = {node.id for node in trace.nodes}
    modules = {module.id for module in trace.modules}
    tensors = {tensor.id for tensor in trace.tensors}
    calls = {call.id for call in trace.calls}
    for node in trace.nodes:
        if node.call is not None and node.call not in calls:
            yield f"node {node.id} was made by a call that is not there"
        if node.module_call is not None and node.module_call not in modules:
            yield f"node {node.id} was made in a call of a module that is not there"
        if node.made_by is not None and node.made_by not in nodes:
            yield f"node {node.id} was made by a node that is not there"
        if node.variable is not None and node.variable not in tensors:
            yield f"node {node.id} belongs to a tensor that is not there"


def _modules_nest(trace: Trace) -> Problems:
    """Calls of modules lie in calls that began before them."""
    begun: set[int] = set()
    for module in trace.modules:
        if module.parent is not None and module.parent not in begun:
            yield f"module call {module.id} lies in one that did not begin before it"
        begun.add(module.id)


def _calls_are_closed(trace: Trace) -> Problems:
    """Calls refer to nodes and tensors that are there."""
    nodes = {node.id for node in trace.nodes}
    tensors = {tensor.id for tensor in trace.tensors}
    for call in trace.calls:
        if call.node is not None and call.node not in nodes:
            yield f"call {call.id} made a node that is not there"
        items = (*call.arguments, *call.outputs, *call.attributes)
        yield from _item_problems(f"call {call.id}", items, tensors)


def _item_problems(place: str, items: Sequence[Item], tensors: set[int]) -> Problems:
    for item in items:
        if (item.kind == "tensor") != (item.tensor is not None):
            yield f"{place} has an item of kind {item.kind} with tensor {item.tensor}"
        elif item.tensor is not None and item.tensor not in tensors:
            yield f"{place} refers to tensor {item.tensor}, which is not there"


def items_of(step: Step) -> tuple[Item, ...]:
    """All items of a step, in the order in which they are shown."""
    match step:
        case ForwardStep():
            return (*step.inputs, *step.outputs)
        case PassBeginStep():
            return tuple(item for root in step.roots for item in (root.value, root.gradient))
        case NodeStep():
            passed = tuple(each.item for each in step.passed)
            return (*step.incoming, *step.received, *step.returned, *passed)
        case AccumulateStep():
            return (step.contribution, step.total)
        case PassEndStep():
            return step.results
        case ErrorStep():
            return ()


def _nodes_of(step: Step) -> tuple[int, ...]:
    match step:
        case ForwardStep():
            own = () if step.node is None else (step.node,)
            return (*own, *step.nodes)
        case PassBeginStep():
            return tuple(root.node for root in step.roots)
        case NodeStep() | AccumulateStep():
            return (step.node,)
        case ErrorStep():
            return () if step.node is None else (step.node,)
        case PassEndStep():
            return ()


def _steps_are_closed(trace: Trace) -> Problems:
    """Steps refer to nodes, edges, calls, tensors and sources that are there."""
    nodes = {node.id for node in trace.nodes}
    edges = {edge.id for edge in trace.edges}
    calls = {call.id for call in trace.calls}
    tensors = {tensor.id for tensor in trace.tensors}
    for step in trace.steps:
        place = f"step {step.number}"
        yield from _item_problems(place, items_of(step), tensors)
        if any(node not in nodes for node in _nodes_of(step)):
            yield f"{place} refers to a node that is not there"
        call = step.call if isinstance(step, ForwardStep | ErrorStep) else None
        if call is not None and call not in calls:
            yield f"{place} refers to a call that is not there"
        passed = step.passed if isinstance(step, NodeStep) else ()
        if not {each.edge for each in passed if each.edge is not None} <= edges:
            yield f"{place} refers to an edge that is not there"


def _passes_nest(trace: Trace) -> Problems:
    """A pass begins once, before anything happens in it, and ends at most once."""
    open_passes: set[int] = set()
    begun: set[int] = set()
    for step in trace.steps:
        match step:
            case PassBeginStep(pass_id=number):
                if number in begun:
                    yield f"pass {number} begins twice"
                begun.add(number)
                open_passes.add(number)
            case PassEndStep(pass_id=number):
                if number not in open_passes:
                    yield f"pass {number} ends without being open"
                open_passes.discard(number)
            case NodeStep(pass_id=number) | AccumulateStep(pass_id=number):
                if number not in open_passes:
                    yield f"step {step.number} belongs to pass {number}, which is not open"


def _console_fits(trace: Trace) -> Problems:
    """Prints belong to steps that are there."""
    count = len(trace.steps)
    for text in trace.console:
        if text.step is not None and not 1 <= text.step <= count:
            yield f"console text {text.id} belongs to step {text.step}, which is not there"


def _reports_are_closed(trace: Trace) -> Problems:
    """Matrices of a Jacobian report are there and have the block's shape."""
    shapes = {tensor.id: tensor.shape for tensor in trace.tensors}
    for report in trace.reports:
        for block in report.blocks:
            for matrix in (block.numerical, block.analytical):
                shape = shapes.get(matrix)
                if shape is None or len(shape) != 2 or shape[0] * shape[1] != block.count:
                    yield f"report {report.id} has a matrix that does not fit its block"


RULES: tuple[Callable[[Trace], Problems], ...] = (
    _ids_ascend,
    _tensors_are_whole,
    _edges_are_closed,
    _nodes_are_closed,
    _modules_nest,
    _calls_are_closed,
    _steps_are_closed,
    _passes_nest,
    _console_fits,
    _reports_are_closed,
)
