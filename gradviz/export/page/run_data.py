"""What the script of a page reads: the steps of a run with their values, places and source."""

from __future__ import annotations

import json
import math
from itertools import islice
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.finding_positions import finding_position, grouped_findings
from gradviz.analysis.position.position_paths import position_path
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.page.places import place_members, places_of, whole_steps
from gradviz.export.steps.json_document import steps_members
from gradviz.export.steps.text import end_text, step_phase
from gradviz.model.tensor import TensorValue, TensorValues
from gradviz.text.repeated_findings import finding_text
from gradviz.text.scope import scope_sentences
from gradviz.text.titles import origin_title
from gradviz.text.what_if import changes_line

MOST_STEPS = 1_000
"""Steps that a page has at most."""

MOST_WHOLE = 1_024
"""Largest number of elements of a tensor that a page contains whole."""

MOST_ELEMENTS = 40_000
"""Largest number of elements in all tensors of a page together."""

_LINES = frozenset(("console", "message", "error"))
"""Members of the JSON whose text keeps its line breaks."""

_OF_ITEM = ("node", "role", "role_index", "slot", "argument", "edge", "change", "array")
"""Members of a tensor's JSON that belong to its place in the step, not to the tensor."""

_UNSHOWN = frozenset(("location", "traceback", "duration_ns", "thread"))


def run_data(index: TraceIndex, values: TensorValues) -> dict[str, Any]:
    """Build what the page shows of a run, except for graph and Jacobians.

    Args:
        index: The trace.
        values: Reads the elements of a tensor by id.

    Returns:
        ``{title, about, notes, end, total, tensors, steps, phases, places, orders, sources,
        findings}``. A step is that of ``gradviz steps --format json --level op`` without its
        locations, and with the position of each tensor in the list ``tensors``.
    """
    trace = index.trace
    numbers = range(1, min(len(trace.steps), MOST_STEPS) + 1)
    whole = whole_steps(index, numbers)
    kept = PageValues(index, values)
    pool = TensorPool()
    steps = [
        pool.pooled(step)
        for step in islice(steps_members(index, kept.read, "op")["steps"], len(numbers))
    ]
    for step in steps[whole:]:
        step["stages"] = []
    origin = trace.origin
    return {
        "title": visible_text(origin_title(origin)),
        "about": visible_text(f"{origin.subject}, {origin.device}"),
        "notes": [visible_text(each) for each in _notes(index, len(numbers), whole)],
        "end": [visible_text(each) for each in end_text(trace)],
        "total": len(trace.steps),
        "tensors": pool.tensors,
        "steps": steps,
        "phases": [step_phase(step) for step in islice(trace.steps, len(numbers))],
        **place_members(index, places_of(index, numbers, whole)),
        "findings": _findings(index, len(numbers)),
    }


def _notes(index: TraceIndex, count: int, whole: int) -> list[str]:
    """What the page leaves out, and how the recording was limited."""
    trace, total = index.trace, format_count(len(index.trace.steps))
    found = [*scope_sentences(trace.scope), *([changes_line(trace)] if trace.changes else [])]
    if count < len(trace.steps):
        found.append(say("page.first_steps", count=format_count(count), total=total))
    if whole < count:
        found.append(say("page.first_insides", count=format_count(whole)))
    return found


def _findings(index: TraceIndex, last: int) -> list[dict[str, Any]]:
    found = []
    for group in grouped_findings(index, index.trace.findings):
        finding = group[0]
        place = finding_position(index, finding)
        is_here = place is not None and place.step <= last
        found.append(
            {
                "severity": finding.severity,
                "message": visible_text(finding_text(group), lines=True),
                "place": position_path(place) if place is not None and is_here else None,
                "step": finding.step,
            }
        )
    return found


class PageValues:
    """Reads the elements that a page has room for."""

    def __init__(self, index: TraceIndex, values: TensorValues, most: int = MOST_ELEMENTS) -> None:
        """Set the trace, the reader of its elements, and how many the page has room for."""
        self._index = index
        self._values = values
        self._seen: set[int] = set()
        self._left = most

    def read(self, tensor: int) -> TensorValue | None:
        """The elements of a tensor; None if they were not stored, or are too many."""
        record = self._index.tensor.bare(tensor)
        if record.count > MOST_WHOLE or (tensor not in self._seen and record.count > self._left):
            return None
        if tensor not in self._seen:
            self._seen.add(tensor)
            self._left -= record.count
        return self._values(tensor)


class TensorPool:
    """Lists each tensor once, however many steps show it.

    Attributes:
        tensors: The tensors, without names.
    """

    def __init__(self) -> None:
        self.tensors: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}

    def pooled(self, node: Any, key: str = "") -> Any:
        """A part of the JSON with tensors as ``{name, tensor}``, no locations, and plain text."""
        match node:
            case str():
                return visible_text(node, lines=key in _LINES)
            case list():
                return [self.pooled(each, key) for each in node]
            case {"dtype": str(), "shape": list()}:
                return self._tensor(node)
            case dict():
                return {
                    name: self.pooled(each, name)
                    for name, each in node.items()
                    if name not in _UNSHOWN
                }
            case _:
                return node

    def _tensor(self, data: dict[str, Any]) -> dict[str, Any]:
        item = {key: data[key] for key in _OF_ITEM if key in data}
        rest = {
            key: visible_text(each) if isinstance(each, str) else each
            for key, each in data.items()
            if key not in item and key != "name"
        }
        if rest.get("note") == say("json.left_out"):
            rest["note"] = say_count("page.elements", math.prod(data["shape"]))
        number = self._numbers.setdefault(json.dumps(rest), len(self.tensors))
        if number == len(self.tensors):
            self.tensors.append(rest)
        return {"name": visible_text(data["name"]), "tensor": number, **item}
