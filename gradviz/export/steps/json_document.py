"""Every step of a trace as one JSON document, the counterpart of the window."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import pass_for, saved_memory
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import Level, TracePosition, children, stage_record_at
from gradviz.analysis.training.gradient_flow import gradient_flow
from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun, training_of
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.export.steps.item_encoder import ItemEncoder
from gradviz.export.steps.text import selected_steps
from gradviz.model.codec import as_object
from gradviz.model.function_call import FunctionCall
from gradviz.model.inside import ExecutedLine, Op, StageRecord, UserFrame
from gradviz.model.source import Location
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
from gradviz.text.narration import describe_position, describe_step

SCHEMA = 2


def steps_document(index: TraceIndex, level: Level = "node") -> dict[str, Any]:
    """Build the document of ``gradviz steps --format json``.

    Args:
        index: The trace.
        level: How far to look inside a step; ``pass`` gives phases and no steps.

    Returns:
        ``{schema, level, origin, outcome, scope, graph, phases, steps, console, findings,
        non_finite, training, last_pass}``, described by ``steps.schema.json`` among the tests.
    """
    members = steps_members(index, level)
    return members | {"steps": list(members["steps"])}


def steps_json_lines(
    index: TraceIndex, level: Level = "node", wanted: range | None = None
) -> Iterator[str]:
    """Yield a line of JSON for each step, with what an element of ``steps`` contains.

    Args:
        index: The trace.
        level: How far to look inside a step.
        wanted: The numbers of the steps; None for all.
    """
    for step in steps_members(index, level, wanted)["steps"]:
        yield json.dumps(step, allow_nan=False)


def steps_members(
    index: TraceIndex, level: Level = "node", wanted: range | None = None
) -> dict[str, Any]:
    """Build the same document, with steps as an iterator that builds each on demand.

    Args:
        index: The trace.
        level: How far to look inside a step; ``pass`` gives phases and no steps.
        wanted: The numbers of the steps; None for all.
    """
    trace = index.trace
    steps = () if level == "pass" else selected_steps(trace, wanted)
    return {
        "schema": SCHEMA,
        "level": level,
        "origin": as_object(trace.origin),
        "outcome": None if trace.outcome is None else as_object(trace.outcome),
        "scope": as_object(trace.scope) if trace.scope.is_limited else None,
        "graph": {
            "nodes": [_node(index, node.id) for node in trace.nodes],
            "edges": [as_object(edge) for edge in trace.edges],
            "modules": [as_object(module) for module in trace.modules],
        },
        "phases": [_phase(index, phase) for phase in index.phases],
        # A generator, so that the steps of a long trace are never all in memory as text.
        "steps": (_step(index, step, level) for step in steps),
        "console": {
            "texts": [as_object(text) for text in trace.console],
            "cuts": [as_object(cut) for cut in trace.cuts],
        },
        "findings": [
            as_object(finding) | {"page": finding_kind(finding.code).page or None}
            for finding in trace.findings
        ],
        "non_finite": [
            {
                "step": each.step,
                "name": each.name,
                "nans": each.nans,
                "infinities": each.infinities,
                "reaches": each.reaches,
            }
            for each in find_non_finite(index)
        ],
        "training": _training(training_of(index)),
        "last_pass": _last_pass(index),
    }


def _last_pass(index: TraceIndex) -> dict[str, Any] | None:
    """Gradients by layer in the last pass, and what was saved for it; None without a pass."""
    span = pass_for(index, len(index.trace.steps))
    if span is None:
        return None
    memory = saved_memory(index, span)
    nodes = () if memory is None else memory.nodes
    return {
        "pass": span.pass_id,
        "layers": [
            {
                "name": each.name,
                "step": each.step,
                "norm": each.norm if math.isfinite(each.norm) else None,
                "zeros": each.zeros if math.isfinite(each.zeros) else None,
            }
            for each in gradient_flow(index, span)
        ],
        "saved_bytes": sum(each.size for each in nodes),
        "saved": [
            {"node": each.node, "bytes": each.size, "freed": each.freed}
            for each in sorted(nodes, key=lambda each: -each.size)
        ],
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


def _step(index: TraceIndex, step: Step, level: Level) -> dict[str, Any]:
    encoder = ItemEncoder(index)
    data: dict[str, Any] = {
        "number": step.number,
        "kind": STEP_KINDS[type(step)],
        "sentence": describe_step(index, step),
        "pass": step.pass_id,
        # Not all kinds of steps have these two fields, but every step of the JSON does.
        "finished": getattr(step, "finished", True),
        "duration_ns": getattr(step, "duration_ns", None),
        **_details(index, step, encoder),
    }
    printed = index.printed.get(step.number, ())
    data["console"] = "".join(text.text for text in printed)
    if level != "node":
        data["stages"] = stages_json(index, step.number, encoder, level)
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


def _details(index: TraceIndex, step: Step, encoder: ItemEncoder) -> dict[str, Any]:
    match step:
        case ForwardStep():
            return _forward(index, step, encoder)
        case PassBeginStep():
            return _begin(step, encoder)
        case NodeStep():
            return _executed(index, step, encoder)
        case AccumulateStep():
            return {
                "node": step.node,
                "variable": index.node[step.node].variable_name,
                "contribution": encoder.item(step.contribution),
                "total": encoder.item(step.total),
                "leaf": None if step.leaf is None else encoder.item(step.leaf),
                "added": step.added,
            }
        case PassEndStep():
            totals = [
                {
                    "node": each.node,
                    "variable": index.node[each.node].variable_name,
                    "total": encoder.item(each.total),
                }
                for each in step.totals
            ]
            return {"results": encoder.items(step.results), "totals": totals}
        case ErrorStep():
            return _error(step)
        case DispatchStep():
            return _dispatch(step, encoder)
        case OptimizerStep():
            return _optimizer(step, encoder)
        case MissingStep():
            return {"name": step.name, "reason": step.reason}


def _forward(index: TraceIndex, step: ForwardStep, encoder: ItemEncoder) -> dict[str, Any]:
    saved = [
        {
            "node": node,
            "role": slot.role,
            "role_index": slot.role_index,
            **encoder.item(slot.item),
        }
        for node in (step.nodes or (() if step.node is None else (step.node,)))
        for slot in index.saved.get(node, ())
    ]
    call = None if step.call is None else index.call[step.call]
    return {
        "op": step.op,
        "node": step.node,
        "nodes": list(step.nodes),
        "inputs": encoder.items(step.inputs),
        "outputs": encoder.items(step.outputs),
        "saved": saved,
        "call": None if call is None else _call(call, encoder),
        "location": location_json(step.location),
        "rerun": step.rerun,
    }


def _call(call: FunctionCall, encoder: ItemEncoder) -> dict[str, Any]:
    return {
        "function": call.function,
        "style": call.style,
        "needs_input_grad": list(call.needs_input_grad),
        "dirty": list(call.dirty),
        "non_differentiable": list(call.non_differentiable),
        "materialize_grads": call.materialize_grads,
        "once_differentiable": call.once_differentiable,
        "attributes": encoder.items(call.attributes),
        "forward": location_json(call.forward),
        "setup_context": location_json(call.setup_context),
        "backward": location_json(call.backward),
    }


def _begin(step: PassBeginStep, encoder: ItemEncoder) -> dict[str, Any]:
    return {
        "roots": [
            {
                "node": root.node,
                "output_nr": root.output_nr,
                "value": encoder.item(root.value),
                "gradient": encoder.item(root.gradient),
            }
            for root in step.roots
        ],
        "parent": step.parent,
        "create_graph": step.create_graph,
        "keep_graph": step.keep_graph,
        "accumulate": step.accumulate,
        "location": location_json(step.location),
    }


def _executed(index: TraceIndex, step: NodeStep, encoder: ItemEncoder) -> dict[str, Any]:
    return {
        "node": step.node,
        "name": index.node[step.node].name,
        "incoming": encoder.items(step.incoming),
        "received": encoder.items(step.received),
        "returned": encoder.items(step.returned),
        "passed": [
            {
                "slot": passed.slot,
                "argument": passed.argument,
                "edge": passed.edge,
                "change": passed.change,
                **encoder.item(passed.item),
            }
            for passed in step.passed
        ],
    }


def _dispatch(step: DispatchStep, encoder: ItemEncoder) -> dict[str, Any]:
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
        "inputs": encoder.items(step.inputs),
        "outputs": encoder.items(step.outputs),
        "location": location_json(step.location),
        "error": step.error,
    }


def _optimizer(step: OptimizerStep, encoder: ItemEncoder) -> dict[str, Any]:
    return {
        "optimizer": step.optimizer,
        "settings": encoder.items(step.settings),
        "before": encoder.items(step.before),
        "gradients": encoder.items(step.gradients),
        "after": encoder.items(step.after),
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


def stages_json(
    index: TraceIndex, number: int, encoder: ItemEncoder, level: Level
) -> list[dict[str, Any]]:
    """Build the stages of a step.

    Calls, lines and ops are counted from 1, as in place paths; ``caller``, ``call`` and ``line``
    refer to others of the same stage by these numbers.

    Args:
        index: The trace.
        number: Number of the step.
        encoder: Encodes the items of the step.
        level: ``line`` and ``op`` include lines; ``op`` includes ops too.
    """
    stages = children(index, TracePosition(step=number))
    return [_StageJson(index, stage, encoder, level).document() for stage in stages]


def location_json(location: Location | None) -> dict[str, Any] | None:
    """Build ``{path, line, function}``."""
    if location is None:
        return None
    return {"path": location.path, "line": location.line, "function": location.function}


class _StageJson:
    def __init__(
        self, index: TraceIndex, place: TracePosition, encoder: ItemEncoder, level: Level
    ) -> None:
        self._index = index
        self._place = place
        self._encoder = encoder
        self._level = level

    def document(self) -> dict[str, Any]:
        part = stage_record_at(self._index, self._place)
        fields = {
            "place": position_path(self._place),
            "stage": self._place.stage,
            "sentence": describe_position(self._index, self._place),
        }
        return fields | (self._inside(part) if part is not None else {"recorded": False})

    def _inside(self, part: StageRecord) -> dict[str, Any]:
        data: dict[str, Any] = {
            "recorded": True,
            "finished": part.finished,
            "duration_ns": part.duration_ns,
            "thread": part.thread,
            "more_lines": part.more_lines,
            "more_ops": part.more_ops,
        }
        if self._level in ("line", "op"):
            data["calls"] = [self._frame(at, frame) for at, frame in enumerate(part.frames)]
            data["lines"] = [self._line(at, line) for at, line in enumerate(part.lines)]
        if self._level == "op":
            data["ops"] = [self._op(at, op) for at, op in enumerate(part.ops)]
        return data

    def _named(self, place: TracePosition) -> dict[str, str]:
        return {"place": position_path(place), "sentence": describe_position(self._index, place)}

    def _frame(self, at: int, frame: UserFrame) -> dict[str, Any]:
        return {
            "number": at + 1,
            "caller": None if frame.caller is None else frame.caller + 1,
            "function": location_json(frame.function),
            "arguments": self._encoder.items(frame.arguments),
        }

    def _line(self, at: int, line: ExecutedLine) -> dict[str, Any]:
        place = TracePosition(step=self._place.step, stage=self._place.stage, line=at)
        result = line.result
        return {
            "number": at + 1,
            **self._named(place),
            "call": line.frame + 1,
            "location": location_json(line.location),
            "last_line": line.last_line,
            "changes": self._encoder.items(line.changes),
            "removed": list(line.removed),
            "returned": None if result is None else self._encoder.item(result),
            "finished": line.finished,
            "duration_ns": line.duration_ns,
        }

    def _op(self, at: int, op: Op) -> dict[str, Any]:
        place = TracePosition(step=self._place.step, stage=self._place.stage, line=op.line, op=at)
        return {
            "number": at + 1,
            **self._named(place),
            "name": op.name,
            "overload": op.overload,
            "seen": op.seen,
            "line": None if op.line is None else op.line + 1,
            "location": location_json(op.location),
            "inputs": self._encoder.items(op.inputs),
            "outputs": self._encoder.items(op.outputs),
            "writes": [op.inputs[each].name for each in op.writes],
            "finished": op.finished,
            "duration_ns": op.duration_ns,
        }
