"""Sentences and table rows that explain the origin of a NaN, Inf, zero or large element."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gradviz.model.birthplace import Birth, Spotted, Tracer
from gradviz.model.carried import Source
from gradviz.model.index import Index
from gradviz.model.messages import say, say_list
from gradviz.model.phrases import number_text
from gradviz.model.place_names import location_of, place_name, short_name
from gradviz.model.places import Place
from gradviz.model.reach import Spot
from gradviz.model.trouble import Trouble, trouble_of

_FEW: Final = 3
"""Up to this many source elements are listed individually."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One row of the path from the origin of a problem value to where it was seen.

    Attributes:
        place: Place in the run.
        line: Line number in the user's code; None if unknown.
        title: Display name of the place.
        what: Short name of the op, Function or node.
        note: Which element contributes to which one there.
        tensor: Number of the tensor as it left the place.
        name: Name of the tensor at that place.
        spot: Index of the element; None if unknown.
    """

    place: Place
    line: int | None
    title: str
    what: str
    note: str
    tensor: int
    name: str
    spot: Spot | None


def headline(index: Index, tracer: Tracer, birth: Birth) -> str:
    """One sentence on an origin: what appeared, where, in which element, and from what."""
    first = birth.first
    values: dict[str, object] = {
        "trouble": trouble_name(birth.trouble),
        "where": place_name(index, first.place),
        "element": element_name(first.name, first.spot),
        "name": first.name,
        "value": _value(tracer, first),
    }
    kind = "" if birth.making is None else birth.making.kind
    if birth.kind == "given":
        key = "birth.given" if first.spot is not None else "birth.given.unknown"
    elif birth.kind in ("unknown", "far"):
        key = f"birth.{birth.kind}"
    elif kind in ("start", "zeros", "unseen"):
        key = f"birth.{kind}"
        values["element"] = _named_value(tracer, first) if kind == "start" else values["element"]
    elif first.spot is None:
        key = "birth.made.unknown"
    else:
        key, more = _sources(tracer, birth)
        values |= more
    return say(key, **values)


def growth_sentence(tracer: Tracer, birth: Birth) -> str:
    """How many times larger a large element is than its inputs; empty for other values."""
    first = birth.first
    if birth.trouble.kind != "large" or first.spot is None:
        return ""
    array = tracer.array(first.tensor)
    largest = max((_largest(tracer, source) for source in birth.sources), default=0.0)
    if array is None or not 0 < largest < math.inf:
        return ""
    with np.errstate(all="ignore"):
        times = float(np.abs(array[first.spot])) / largest
    return say("birth.growth", times=number_text(times)) if math.isfinite(times) else ""


def _largest(tracer: Tracer, source: Source) -> float:
    array = tracer.array(source.tensor)
    if array is None or source.spots is None:
        return math.nan
    return max((float(np.abs(array[spot])) for spot in source.spots), default=0.0)


def trouble_name(trouble: Trouble) -> str:
    """The kind of problem value as the start of a sentence, such as ``NaN`` or ``A zero``."""
    return say(f"trouble.first.{trouble.kind}", limit=number_text(trouble.limit))


def element_name(name: str, spot: Spot | None) -> str:
    """Element text such as ``output[0, 2]``; just the name for a scalar or unknown index."""
    if not spot:
        return say("element.whole", name=name)
    return say("element.one", name=name, spot=", ".join(map(str, spot)))


def value_text(value: Any) -> str:
    """The value of an element with four significant digits."""
    if isinstance(value, complex | np.complexfloating):
        return f"{complex(value):.4g}"
    return number_text(float(value)) if math.isfinite(float(value)) else _odd(float(value))


def _odd(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Inf" if value > 0 else "-Inf"


def _value(tracer: Tracer, spotted: Spotted) -> str:
    array = tracer.array(spotted.tensor)
    if array is None or spotted.spot is None:
        return ""
    return value_text(array[spotted.spot])


def _named_value(tracer: Tracer, spotted: Spotted) -> str:
    value = _value(tracer, spotted)
    element = element_name(spotted.name, spotted.spot)
    return say("element.value", element=element, value=value) if value else element


def _sources(tracer: Tracer, birth: Birth) -> tuple[str, dict[str, object]]:
    sources = [source for source in birth.sources if source.count is None or source.count]
    if not sources:
        return "birth.made", {}
    names = say_list([source.name for source in sources])
    if any(source.spots is None for source in sources):
        return "birth.made.tensors", {"names": names}
    if any(tracer.array(source.tensor) is None for source in sources):
        return "birth.made", {}
    count = sum(source.count or 0 for source in sources)
    if count > _FEW:
        return "birth.made.many", {"names": names, "count": f"{count:,}"}
    told = [
        _named_value(
            tracer,
            Spotted(place=birth.first.place, name=source.name, tensor=source.tensor, spot=spot),
        )
        for source in sources
        for spot in source.spots or ()
    ]
    return "birth.made.from", {"sources": say_list(told)}


def causes(tracer: Tracer, birth: Birth) -> tuple[tuple[Trouble, Spotted, str], ...]:
    """Sources that explain a value: an Inf that led to a NaN, a zero that led to an Inf.

    Returns:
        For each input, its first such element and a question that asks for its origin.
    """
    asked = {"nan": ("infinity",), "infinity": ("zero",)}.get(birth.trouble.kind, ())
    found: list[tuple[Trouble, Spotted, str]] = []
    for source in birth.sources:
        array = tracer.array(source.tensor)
        for spot in source.spots or () if array is not None else ():
            assert array is not None
            trouble = trouble_of(array[spot])
            if trouble is not None and trouble.kind in asked:
                seen = Spotted(
                    place=birth.first.place, name=source.name, tensor=source.tensor, spot=spot
                )
                element = element_name(source.name, spot)
                found.append((trouble, seen, say(f"birth.cause.{trouble.kind}", element=element)))
                break
    return tuple(found)


def stops(index: Index, birth: Birth) -> tuple[Stop, ...]:
    """The path from the origin of a problem value to where it was seen, one row per place."""
    groups: list[list[Spotted]] = []
    for each in birth.path:
        if groups and groups[-1][-1].place == each.place:
            groups[-1].append(each)
        else:
            groups.append([each])
    return tuple([_stop(index, birth, group, number) for number, group in enumerate(groups)])


def _stop(index: Index, birth: Birth, group: list[Spotted], number: int) -> Stop:
    first, last = group[0], group[-1]
    after = element_name(last.name, last.spot)
    if number == 0:
        key = "path.seen" if birth.kind == "given" else "path.made"
        note = say(key, element=after)
    elif len(group) == 1:
        note = say("path.seen", element=after)
    else:
        key = "path.through" if all(each.sure for each in group) else "path.likely"
        note = say(key, before=element_name(first.name, first.spot), after=after)
    location = location_of(index, last.place)
    return Stop(
        place=last.place,
        line=None if location is None else location.line,
        title=place_name(index, last.place),
        what=short_name(index, last.place),
        note=note,
        tensor=last.tensor,
        name=last.name,
        spot=last.spot,
    )
