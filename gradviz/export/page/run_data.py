"""What the script of a page reads: the steps of a run with their values, places and source."""

from __future__ import annotations

from itertools import islice
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.finding_positions import finding_position, grouped_findings
from gradviz.analysis.position.position_paths import position_path
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.page.page_tensors import PageTensors
from gradviz.export.page.page_values import PageValues
from gradviz.export.page.places import place_members, places_of, whole_steps
from gradviz.export.steps.text import end_text, step_phase
from gradviz.model.tensor import TensorValues
from gradviz.text.repeated_findings import finding_text
from gradviz.text.scope import scope_sentences
from gradviz.text.titles import origin_title
from gradviz.text.what_if import changes_line

MOST_STEPS = 1_000
"""Steps that a page has at most."""


def run_data(index: TraceIndex, values: TensorValues) -> dict[str, Any]:
    """Build what the page shows of a run, except for graph and Jacobians.

    Args:
        index: The trace.
        values: Reads the elements of a tensor by id.

    Returns:
        ``{title, about, notes, end, total, count, phases, places, orders, sources, findings, quiz,
        sections, tensors}``. A place has the sentence of ``gradviz steps`` and the sections of the
        window's inspector, as positions in the list ``sections``, whose rows have the positions of
        their tensors.
    """
    trace = index.trace
    numbers = range(1, min(len(trace.steps), MOST_STEPS) + 1)
    whole = whole_steps(index, numbers)
    places = places_of(index, numbers, whole)
    tensors = PageTensors(index, values)
    shown = PageValues(index, tensors, {position_path(place) for place in places})
    members = place_members(index, places)
    for place, member in zip(places, members["places"], strict=True):
        member |= shown.at(place)
    origin = trace.origin
    return {
        "title": visible_text(origin_title(origin)),
        "about": visible_text(f"{origin.subject}, {origin.device}"),
        "notes": [visible_text(each) for each in _notes(index, len(numbers), whole)],
        "end": [visible_text(each) for each in end_text(trace)],
        "total": len(trace.steps),
        "count": len(numbers),
        "phases": [step_phase(step) for step in islice(trace.steps, len(numbers))],
        **members,
        "findings": _findings(index, len(numbers)),
        "quiz": shown.questions(numbers) or None,
        "sections": shown.sections,
        "tensors": tensors.tensors,
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
        finding, location = group[0], group[0].location
        place = finding_position(index, finding)
        is_here = place is not None and place.step <= last
        found.append(
            {
                "severity": finding.severity,
                "message": visible_text(finding_text(group), lines=True),
                "place": position_path(place) if place is not None and is_here else None,
                "step": finding.step,
                "line": None if location is None else [location.source, location.line],
            }
        )
    return found
