"""Stages, calls, lines and ops inside a step, as JSON."""

from __future__ import annotations

from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import Level, TracePosition, children, stage_record_at
from gradviz.export.steps.item_encoder import ItemEncoder
from gradviz.model.inside import ExecutedLine, Op, StageRecord, UserFrame
from gradviz.model.source import Location
from gradviz.text.narration import describe_position


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
