"""Origin of the first NaN or Inf of a run, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gradviz.model.birth_words import headline, stops
from gradviz.model.birthplace import Spotted, Tracer
from gradviz.model.index import Index
from gradviz.model.messages import say
from gradviz.model.not_finite import NotFinite, not_finite
from gradviz.model.places import Place
from gradviz.model.trouble import Trouble

Sought = Literal["nan", "inf"]


def origin_text(index: Index, sought: Sought) -> Iterator[str]:
    """Yield a sentence for each origin of the first such tensor, and the path from there.

    Args:
        index: The trace.
        sought: Whether to look for NaN or Inf.
    """
    trouble = Trouble(kind="nan" if sought == "nan" else "infinity")
    found = next((each for each in not_finite(index) if _has(each, sought)), None)
    if found is None:
        yield say(f"birth.nothing.{trouble.kind}")
        return
    tracer = Tracer(index)
    seen = Spotted(place=Place(step=found.step), name=found.name, tensor=found.tensor, spot=None)
    for birth in tracer.births(trouble, seen):
        yield headline(index, tracer, birth)
        for stop in stops(index, birth):
            yield say("path.line", step=stop.place.step, where=stop.title, note=stop.note)


def _has(found: NotFinite, sought: Sought) -> bool:
    return (found.nans if sought == "nan" else found.infinities) != 0
