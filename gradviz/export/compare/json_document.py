"""Two compared runs as one JSON document, the counterpart of the Compare tab."""

from __future__ import annotations

from typing import Any

from gradviz.analysis.compare.run_comparison import ComparedValue, Mismatch, RunComparison
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.codec import float_to_json
from gradviz.model.item import Item
from gradviz.text.compare import comparison_summary, verdict_text

SCHEMA = 1


def compare_document(found: RunComparison) -> dict[str, Any]:
    """Build the document of ``gradviz compare --format json``.

    Returns:
        ``{schema, left, right, outcome, summary, first, changes, steps, only_left, only_right}``,
        described by ``compare.schema.json`` among the tests. ``changes`` has the ops that only one
        run has at a place, or that it has in place of others. ``steps`` has each pair of steps
        with those of its values that are not bitwise equal.
    """
    verdicts = {(each.left, each.right): each.verdict for each in found.roundings}
    verdicts |= {(each.left, each.right): each.verdict for each in found.mismatches}
    return {
        "schema": SCHEMA,
        "left": _origin(found.left),
        "right": _origin(found.right),
        "outcome": found.outcome,
        "summary": comparison_summary(found),
        "first": None if found.first is None else _first(found, found.first),
        "changes": [
            {"left": list(change.left), "right": list(change.right)} for change in found.changes
        ],
        "steps": [
            {
                "left": left,
                "right": right,
                "verdict": verdicts.get((left, right), "equal"),
                "values": [
                    _value(found, value)
                    for value in found.values(left, right)
                    if value.difference.verdict != "equal"
                ],
            }
            for left, right in enumerate(found.pairs.right_of.tolist(), 1)
            if right
        ],
        "only_left": list(found.pairs.only_left),
        "only_right": list(found.pairs.only_right),
    }


def _origin(index: TraceIndex) -> dict[str, Any]:
    origin = index.trace.origin
    return {
        "subject": origin.subject,
        "title": origin.title,
        "device": origin.device,
        "torch": origin.torch,
        "steps": len(index.trace.steps),
        "iteration": index.iteration or None,
    }


def _first(found: RunComparison, first: Mismatch) -> dict[str, Any]:
    value = found.first_value
    return {
        "left": first.left,
        "right": first.right,
        "value": None if value is None else _value(found, value),
    }


def _value(found: RunComparison, value: ComparedValue) -> dict[str, Any]:
    pair, difference = value.pair, value.difference
    return {
        "role": pair.role,
        "name": pair.name,
        "left": _item(found.left, pair.left),
        "right": _item(found.right, pair.right),
        "verdict": difference.verdict,
        "differs": value.differs,
        "text": verdict_text(found, value),
        "whole": difference.whole,
        "differing": difference.differing,
        "count": difference.count,
        "largest": None if difference.largest is None else float_to_json(difference.largest),
        "relative": None if difference.relative is None else float_to_json(difference.relative),
        "where": None if difference.where is None else list(difference.where),
    }


def _item(index: TraceIndex, item: Item | None) -> dict[str, Any] | None:
    if item is None:
        return None
    if item.kind == "none":
        return {"name": item.name, "none": True}
    if item.tensor is None:
        return {"name": item.name, "object": item.text}
    record = index.tensor.bare(item.tensor)
    return {"name": item.name, "dtype": record.dtype, "shape": list(record.shape)}
