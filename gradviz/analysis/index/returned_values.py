"""What a line returned, with the members of a tuple that torch received."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inside import ExecutedLine, StageKind, StageRecord
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, NodeStep, Step


def returned_values(
    index: TraceIndex, number: int, part: StageRecord, line: ExecutedLine
) -> tuple[Item, ...]:
    """Return what a line returned; the members of a tuple if the step recorded them.

    Args:
        index: The trace.
        number: Number of the step.
        part: The stage that contains the line.
        line: The line; if it returned nothing, the result is empty.
    """
    if line.result is None:
        return ()
    if part.frames[line.frame].caller is None and line.result.kind == "object":
        items = _received_from(step_at(index, number), part.stage)
        if items and line.result.text == _as_tuple(items):
            return items
    return (line.result,)


def _received_from(step: Step | None, stage: StageKind) -> tuple[Item, ...]:
    """The values that torch received from a stage of a step."""
    if isinstance(step, NodeStep) and stage == "backward":
        return step.returned
    return step.outputs if isinstance(step, ForwardStep) and stage == "forward" else ()


def _as_tuple(items: Sequence[Item]) -> str:
    """The text of a tuple of items, formatted as the recorder does."""
    texts = {"tensor": "Tensor(...)", "none": "None"}
    members = ", ".join(texts.get(item.kind, item.text) for item in items)
    return f"({members},)" if len(items) == 1 else f"({members})"
