"""Every step of a trace as one JSON document, the counterpart of the window."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun, training_of
from gradviz.export.steps.stage_json import location_json, stages_json
from gradviz.export.tensor.json_value import item_json
from gradviz.model.codec import encode
from gradviz.model.function_call import FunctionCall
from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.tensor import TensorValue, TensorValues
from gradviz.text.narration import describe_position, describe_step


def json_pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text that ``json.dumps`` with ``indent=1`` would write.

    Args:
        document: An object with at least one member. A member that is an iterator is written as
            an array, one element after the other.
    """
    opening = "{\n"
    for key, value in document.items():
        yield f"{opening} {json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield from _array(value)
        else:
            yield _text(value, 1)
        opening = ",\n"
    yield "\n}"


def _array(values: Iterator[Any]) -> Iterator[str]:
    opening = "[\n  "
    for value in values:
        yield opening + _text(value, 2)
        opening = ",\n  "
    yield "[]" if opening.startswith("[") else "\n ]"


def _text(value: Any, depth: int) -> str:
    # NaN is not JSON; values are encoded as strings or null before, so one left here is an error.
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1)
    # Safe, because json.dumps escapes line ends inside strings.
    return text.replace("\n", "\n" + " " * depth)


SCHEMA = 2
_MOST_REPEATED = 1 << 20
"""Bytes of elements that one step may list once more."""


def steps_document(
    index: TraceIndex, values: TensorValues, level: Level = "node"
) -> dict[str, Any]:
    """Build the document of ``gradviz steps --json``.

    Args:
        index: The trace.
        values: Reads the elements of a tensor by id.
        level: How far to look inside a step; ``pass`` gives phases and no steps.

    Returns:
        ``{schema, level, origin, outcome, scope, graph, phases, steps, console, findings,
        training}``, described by ``steps.schema.json`` among the tests.
    """
    members = steps_members(index, values, level)
    return members | {"steps": list(members["steps"])}


def steps_members(index: TraceIndex, values: TensorValues, level: Level = "node") -> dict[str, Any]:
    """Build the same document, with steps as an iterator that builds each on demand."""
    trace = index.trace
    steps = () if level == "pass" else trace.steps
    return {
        "schema": SCHEMA,
        "level": level,
        "origin": encode(trace.origin),
        "outcome": None if trace.outcome is None else encode(trace.outcome),
        "scope": encode(trace.scope) if trace.scope.is_limited else None,
        "graph": {
            "nodes": [_node(index, node.id) for node in trace.nodes],
            "edges": [encode(edge) for edge in trace.edges],
            "modules": [encode(module) for module in trace.modules],
        },
        "phases": [_phase(index, phase) for phase in index.phases],
        # A generator, so that the steps of a long trace are never all in memory as text.
        "steps": (_step(index, step, values, level) for step in steps),
        "console": {
            "texts": [encode(text) for text in trace.console],
            "cuts": [encode(cut) for cut in trace.cuts],
        },
        "findings": [encode(finding) for finding in trace.findings],
        "training": _training(training_of(index)),
    }


def _training(training: TrainingRun | None) -> dict[str, Any] | None:
    """Curves of a training; None if nothing repeats."""
    if training is None:
        return None
    return {
        "rounds": training.rounds,
        "norm_of": training.norm_of,
        "loss": _series(training.loss),
        "other_losses": [_series(series) for series in training.other_losses],
        "norms": [_series(series) for series in training.norms],
    }


def _series(series: TrainingCurve) -> dict[str, Any]:
    points = [
        {
            "at": point.at,
            "step": point.step,
            "value": point.value if math.isfinite(point.value) else None,
        }
        for point in series.points
    ]
    return {"name": series.name, "points": points}


def _phase(index: TraceIndex, phase: RunPhase) -> dict[str, Any]:
    return {
        "kind": phase.kind,
        "pass": phase.pass_id,
        "order": None if phase.pass_id is None else index.orders.of_pass(phase.pass_id),
        "first": phase.first,
        "last": phase.last,
        "sentence": describe_position(index, TracePosition(step=phase.first), "pass"),
    }


def _node(index: TraceIndex, number: int) -> dict[str, Any]:
    node = index.node[number]
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.kind,
        "variable": node.variable_name,
        "module": module_path(index, number),
        "module_call": node.module_call,
        "made_by": node.made_by,
        "made_in": node.made_in,
        "order": index.orders.of_node(number),
    }


def _without_repeats(values: TensorValues) -> TensorValues:
    """Read elements, except for those that a step repeats until they are far too many.

    Otherwise a step of a damaged trace that lists one tensor thousands of times fills the memory.
    """
    seen: set[int] = set()
    left = _MOST_REPEATED

    def read(tensor: int) -> TensorValue | None:
        nonlocal left
        if tensor in seen and left <= 0:
            return None
        value = values(tensor)
        if value is not None and tensor in seen:
            left -= len(value.data)
        seen.add(tensor)
        return value

    return read


def _step(index: TraceIndex, step: Step, values: TensorValues, level: Level) -> dict[str, Any]:
    values = _without_repeats(values)
    data: dict[str, Any] = {
        "number": step.number,
        "kind": STEP_KINDS[type(step)],
        "sentence": describe_step(index, step),
        "pass": step.pass_id,
        # Not all kinds of steps have these two fields, but every step of the JSON does.
        "finished": getattr(step, "finished", True),
        "duration_ns": getattr(step, "duration_ns", None),
        **_details(index, step, values),
    }
    printed = index.printed.get(step.number, ())
    data["console"] = "".join(text.text for text in printed)
    if level != "node":
        data["stages"] = stages_json(index, step.number, values, level)
    return data


STEP_KINDS: dict[type, str] = {
    ForwardStep: "forward",
    PassBeginStep: "pass_begin",
    NodeStep: "node",
    AccumulateStep: "accumulate",
    PassEndStep: "pass_end",
    ErrorStep: "error",
    DispatchStep: "dispatch",
    OptimizerStep: "optimizer",
    MissingStep: "missing",
}


def _details(index: TraceIndex, step: Step, values: TensorValues) -> dict[str, Any]:
    match step:
        case ForwardStep():
            return _forward(index, step, values)
        case PassBeginStep():
            return _begin(index, step, values)
        case NodeStep():
            return _executed(index, step, values)
        case AccumulateStep():
            return {
                "node": step.node,
                "variable": index.node[step.node].variable_name,
                "contribution": item_json(index, step.contribution, values),
                "total": item_json(index, step.total, values),
            }
        case PassEndStep():
            totals = [
                {
                    "node": each.node,
                    "variable": index.node[each.node].variable_name,
                    "total": item_json(index, each.total, values),
                }
                for each in step.totals
            ]
            return {"results": _items(index, step.results, values), "totals": totals}
        case ErrorStep():
            return _error(step)
        case DispatchStep():
            return _dispatch(index, step, values)
        case OptimizerStep():
            return _optimizer(index, step, values)
        case MissingStep():
            return {"name": step.name, "reason": step.reason}


def _items(index: TraceIndex, items: Sequence[Item], values: TensorValues) -> list[dict[str, Any]]:
    return [item_json(index, item, values) for item in items]


def _forward(index: TraceIndex, step: ForwardStep, values: TensorValues) -> dict[str, Any]:
    saved = [
        {"role": slot.role, "role_index": slot.role_index, **item_json(index, slot.item, values)}
        for node in (step.nodes or (() if step.node is None else (step.node,)))
        for slot in index.saved.get(node, ())
    ]
    call = None if step.call is None else index.call[step.call]
    return {
        "op": step.op,
        "node": step.node,
        "nodes": list(step.nodes),
        "inputs": _items(index, step.inputs, values),
        "outputs": _items(index, step.outputs, values),
        "saved": saved,
        "call": None if call is None else _call(index, call, values),
        "location": location_json(step.location),
        "rerun": step.rerun,
    }


def _call(index: TraceIndex, call: FunctionCall, values: TensorValues) -> dict[str, Any]:
    return {
        "function": call.function,
        "style": call.style,
        "needs_input_grad": list(call.needs_input_grad),
        "dirty": list(call.dirty),
        "non_differentiable": list(call.non_differentiable),
        "materialize_grads": call.materialize_grads,
        "once_differentiable": call.once_differentiable,
        "attributes": _items(index, call.attributes, values),
        "forward": location_json(call.forward),
        "setup_context": location_json(call.setup_context),
        "backward": location_json(call.backward),
    }


def _begin(index: TraceIndex, step: PassBeginStep, values: TensorValues) -> dict[str, Any]:
    return {
        "roots": [
            {
                "node": root.node,
                "output_nr": root.output_nr,
                "value": item_json(index, root.value, values),
                "gradient": item_json(index, root.gradient, values),
            }
            for root in step.roots
        ],
        "parent": step.parent,
        "create_graph": step.create_graph,
        "keep_graph": step.keep_graph,
        "accumulate": step.accumulate,
        "location": location_json(step.location),
    }


def _executed(index: TraceIndex, step: NodeStep, values: TensorValues) -> dict[str, Any]:
    return {
        "node": step.node,
        "name": index.node[step.node].name,
        "incoming": _items(index, step.incoming, values),
        "received": _items(index, step.received, values),
        "returned": _items(index, step.returned, values),
        "passed": [
            {
                "slot": passed.slot,
                "argument": passed.argument,
                "edge": passed.edge,
                "change": passed.change,
                **item_json(index, passed.item, values),
            }
            for passed in step.passed
        ],
    }


def _dispatch(index: TraceIndex, step: DispatchStep, values: TensorValues) -> dict[str, Any]:
    return {
        "function": step.function,
        "types": list(step.types),
        "answers": [
            {
                "type": answer.type,
                "how": answer.how,
                "by": answer.by,
                "location": location_json(answer.location),
                "error": answer.error,
            }
            for answer in step.answers
        ],
        "inputs": _items(index, step.inputs, values),
        "outputs": _items(index, step.outputs, values),
        "location": location_json(step.location),
        "error": step.error,
    }


def _optimizer(index: TraceIndex, step: OptimizerStep, values: TensorValues) -> dict[str, Any]:
    return {
        "optimizer": step.optimizer,
        "settings": _items(index, step.settings, values),
        "before": _items(index, step.before, values),
        "gradients": _items(index, step.gradients, values),
        "after": _items(index, step.after, values),
        "location": location_json(step.location),
    }


def _error(step: ErrorStep) -> dict[str, Any]:
    return {
        "node": step.node,
        "stage": step.stage,
        "exception": step.exception,
        "message": step.message,
        "location": location_json(step.location),
        "traceback": [location_json(frame) for frame in step.traceback],
    }
