"""Sentences and table rows that explain the origin of a NaN, Inf, zero or large element."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from gradviz.analysis.dependence.element_dependence import ElementIndex
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import (
    ContributingElements,
    ElementLocation,
    OriginTracer,
    ValueOrigin,
)
from gradviz.analysis.provenance.value_problem import ValueProblem, problem_of_value
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.numbers import number_text
from gradviz.text.position_names import position_location, position_name, short_position_name
from gradviz.text.sentences.values import some_of_list

_FEW: Final = 3
"""Up to this many source elements are listed individually."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginStep:
    """One row of the path from the origin of a problem value to where it was seen.

    Attributes:
        place: Place in the run.
        line: Line number in the user's code; None if unknown.
        title: Display name of the place.
        what: Short name of the op, Function or node.
        note: Which element contributes to which one there.
        tensor: Number of the tensor as it left the place.
        name: Name of the tensor at that place.
        element: Index of the element; None if unknown.
    """

    place: TracePosition
    line: int | None
    title: str
    what: str
    note: str
    tensor: int
    name: str
    element: ElementIndex | None


def origin_sentence(index: TraceIndex, tracer: OriginTracer, value_origin: ValueOrigin) -> str:
    """One sentence on an origin: what appeared, where, in which element, and from what."""
    first = value_origin.first
    values: dict[str, object] = {
        "problem": problem_name(value_origin.problem),
        "where": position_name(index, first.place),
        "element": element_name(first.name, first.element),
        "name": first.name,
        "value": _value(tracer, first),
    }
    kind = "" if value_origin.producer is None else value_origin.producer.kind
    if value_origin.kind == "given":
        key = "origin.given" if first.element is not None else "origin.given.unknown"
    elif value_origin.kind in ("unknown", "far"):
        key = f"origin.{value_origin.kind}"
    elif kind in ("start", "zeros", "unseen"):
        key = f"origin.{kind}"
        values["element"] = _named_value(tracer, first) if kind == "start" else values["element"]
    elif first.element is None:
        key = "origin.made.unknown"
    else:
        key, more = _sources(tracer, value_origin)
        values |= more
    return say(key, **values)


def growth_sentence(tracer: OriginTracer, value_origin: ValueOrigin) -> str:
    """How many times larger a large element is than its inputs; empty for other values."""
    first = value_origin.first
    if value_origin.problem.kind != "large" or first.element is None:
        return ""
    array = tracer.array(first.tensor)
    largest = max((_largest(tracer, source) for source in value_origin.sources), default=0.0)
    if array is None or not 0 < largest < math.inf:
        return ""
    with np.errstate(all="ignore"):
        times = float(np.abs(array[first.element])) / largest
    return say("origin.growth", times=number_text(times)) if math.isfinite(times) else ""


def _largest(tracer: OriginTracer, source: ContributingElements) -> float:
    array = tracer.array(source.tensor)
    if array is None or source.elements is None:
        return math.nan
    return max((float(np.abs(array[element])) for element in source.elements), default=0.0)


def problem_name(problem: ValueProblem) -> str:
    """The kind of problem value as the start of a sentence, such as ``NaN`` or ``A zero``."""
    return say(f"value_problem.{problem.kind}", limit=number_text(problem.limit))


def element_name(name: str, element: ElementIndex | None) -> str:
    """Element text such as ``output[0, 2]``; just the name for a scalar or unknown index."""
    if not element:
        return say("element.whole", name=name)
    return say("element.one", name=name, element=", ".join(map(str, element)))


def _value(tracer: OriginTracer, spotted: ElementLocation) -> str:
    array = tracer.array(spotted.tensor)
    if array is None or spotted.element is None:
        return ""
    return number_text(array[spotted.element])


def _named_value(tracer: OriginTracer, spotted: ElementLocation) -> str:
    value = _value(tracer, spotted)
    element = element_name(spotted.name, spotted.element)
    return say("element.value", element=element, value=value) if value else element


def _sources(tracer: OriginTracer, value_origin: ValueOrigin) -> tuple[str, dict[str, object]]:
    sources = [source for source in value_origin.sources if source.count is None or source.count]
    if not sources:
        return "origin.made", {}
    names = some_of_list([source.name for source in sources])
    if any(source.elements is None for source in sources):
        return "origin.made.tensors", {"names": names}
    if any(tracer.array(source.tensor) is None for source in sources):
        return "origin.made", {}
    count = sum(source.count or 0 for source in sources)
    if count > _FEW:
        return "origin.made.many", {"names": names, "count": format_count(count)}
    named_sources = [
        _named_value(
            tracer,
            ElementLocation(
                place=value_origin.first.place,
                name=source.name,
                tensor=source.tensor,
                element=element,
            ),
        )
        for source in sources
        for element in source.elements or ()
    ]
    return "origin.made.from", {"sources": say_list(named_sources)}


def causes(
    tracer: OriginTracer, value_origin: ValueOrigin
) -> tuple[tuple[ValueProblem, ElementLocation, str], ...]:
    """Sources that explain a value: an Inf that led to a NaN, a zero that led to an Inf.

    Returns:
        For each input, its first such element and a question that asks for its origin.
    """
    cause_kinds = {"nan": ("infinity",), "infinity": ("zero",)}.get(value_origin.problem.kind, ())
    found: list[tuple[ValueProblem, ElementLocation, str]] = []
    for source in value_origin.sources:
        array = tracer.array(source.tensor)
        for element in source.elements or () if array is not None else ():
            assert array is not None
            problem = problem_of_value(array[element])
            if problem is not None and problem.kind in cause_kinds:
                seen = ElementLocation(
                    place=value_origin.first.place,
                    name=source.name,
                    tensor=source.tensor,
                    element=element,
                )
                name = element_name(source.name, element)
                found.append((problem, seen, say(f"origin.cause.{problem.kind}", element=name)))
                break
    return tuple(found)


def stops(index: TraceIndex, value_origin: ValueOrigin) -> tuple[OriginStep, ...]:
    """The path from the origin of a problem value to where it was seen, one row per place."""
    groups: list[list[ElementLocation]] = []
    for each in value_origin.path:
        if groups and groups[-1][-1].place == each.place:
            groups[-1].append(each)
        else:
            groups.append([each])
    return tuple([_stop(index, value_origin, group, number) for number, group in enumerate(groups)])


def _stop(
    index: TraceIndex, value_origin: ValueOrigin, group: list[ElementLocation], number: int
) -> OriginStep:
    first, last = group[0], group[-1]
    after = element_name(last.name, last.element)
    if number == 0:
        key = "path.seen" if value_origin.kind == "given" else "path.made"
        note = say(key, element=after)
    elif len(group) == 1:
        note = say("path.seen", element=after)
    else:
        key = "path.through" if all(each.sure for each in group) else "path.likely"
        note = say(key, before=element_name(first.name, first.element), after=after)
    location = position_location(index, last.place)
    return OriginStep(
        place=last.place,
        line=None if location is None else location.line,
        title=position_name(index, last.place),
        what=short_position_name(index, last.place),
        note=note,
        tensor=last.tensor,
        name=last.name,
        element=last.element,
    )
