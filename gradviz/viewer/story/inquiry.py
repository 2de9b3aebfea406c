"""Background work of the Origin panel: finds origins and describes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from gradviz.model.birth_words import Stop, causes, growth_sentence, headline, stops
from gradviz.model.birthplace import Birth, Spotted, Tracer
from gradviz.model.carried import MOST_ELEMENTS, Source
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.index import Index
from gradviz.model.makings import Makings
from gradviz.model.not_finite import not_finite
from gradviz.model.patches import Patch, patch_of
from gradviz.model.places import Place
from gradviz.model.trouble import Trouble, trouble_of
from gradviz.viewer.sights import Suspect

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A follow-up question about an origin, such as the source of an Inf that became a NaN.

    Attributes:
        text: The question.
        suspect: The query that answers it.
    """

    text: str
    suspect: Suspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One origin, prepared for display.

    Attributes:
        sentence: What first appeared, and where.
        more: A further sentence; may be empty.
        patches: The elements around the origin, then those it was computed from.
        stops: The path of the value from there on.
        causes: Follow-up questions.
    """

    sentence: str
    more: str
    patches: tuple[Patch, ...]
    stops: tuple[Stop, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer to an origin query.

    Attributes:
        suspect: The query; None if the run contains no bad value.
        trouble: The kind of bad value; None if nothing is wrong.
        births: The origins, the earliest first.
        count: Number of elements with this bad value; 0 if a single element was asked about, or if
            the number is unknown.
        followed: Number of these elements that were traced back.
    """

    suspect: Suspect | None
    trouble: Trouble | None
    births: tuple[Told, ...]
    count: int = 0
    followed: int = 0


def first_suspect(
    index: Index, makings: Makings, trouble: Trouble | None, until: int, cancelled: Cancelled
) -> Suspect | None:
    """Return a query for the first bad value of a run, or None.

    Args:
        index: The trace.
        makings: The producers of its tensors.
        trouble: The kind of value to find; None for any non-finite one.
        until: Number of the last revealed step.
        cancelled: Checked from time to time.
    """
    if trouble is None:
        found = next(iter(not_finite(index, cancelled)), None)
        if found is None or found.step > until:
            return None
        return Suspect(tensor=found.tensor, name=found.name, step=found.step)
    for tensor, name, step in chain(makings.in_order(), makings.of_ops()):
        if cancelled():
            return None
        if step > until:
            continue
        known = index.tensor[tensor].statistics
        if known is not None and trouble.counted(known):
            return Suspect(tensor=tensor, name=name, step=step, kind=trouble.kind)
    return None


def investigate(
    index: Index, makings: Makings, suspect: Suspect, limit: float, cancelled: Cancelled
) -> Answer:
    """Find the origins of a bad value in a tensor.

    Args:
        index: The trace.
        makings: The producers of its tensors.
        suspect: The query.
        limit: Magnitude above which an element counts as large.
        cancelled: Checked from time to time.
    """
    tracer = Tracer(index, makings)
    trouble = _trouble(index, tracer, suspect, limit)
    if trouble is None or cancelled():
        return Answer(suspect=suspect, trouble=None, births=())
    seen = Spotted(
        place=Place(step=_last_look(tracer, suspect)),
        name=suspect.name,
        tensor=suspect.tensor,
        spot=suspect.index,
    )
    births = tracer.births(trouble, seen, cancelled)
    told = tuple([_told(index, tracer, birth, suspect) for birth in births])
    array = tracer.array(suspect.tensor) if suspect.index is None else None
    count = 0 if array is None else int(np.count_nonzero(trouble.mask(array)))
    return Answer(
        suspect=suspect,
        trouble=trouble,
        births=told,
        count=count,
        followed=min(count, MOST_ELEMENTS),
    )


def _last_look(tracer: Tracer, suspect: Suspect) -> int:
    """Return the step to start from, not before the tensor first exists."""
    return max(suspect.step, tracer.makings.first_step(suspect.tensor))


def _trouble(index: Index, tracer: Tracer, suspect: Suspect, limit: float) -> Trouble | None:
    array = tracer.array(suspect.tensor)
    if suspect.kind is not None:
        trouble = Trouble(kind=suspect.kind, limit=limit)
        troubled = tracer.anywhere(trouble, suspect.tensor)
        if suspect.index is not None and array is not None:
            troubled = trouble.has(array[suspect.index])
        return None if troubled is False else trouble
    if suspect.index is not None and array is not None:
        found = trouble_of(array[suspect.index])
        large = Trouble(kind="large", limit=limit)
        return found or (large if large.has(array[suspect.index]) else None)
    for kind in ("nan", "infinity"):
        trouble = Trouble(kind=kind)
        if tracer.anywhere(trouble, suspect.tensor):
            return trouble
    flags = index.finite.not_finite().get(suspect.tensor, 0)
    if flags:
        return Trouble(kind="nan" if flags & NANS or not flags & INFINITIES else "infinity")
    large = Trouble(kind="large", limit=limit)
    return large if tracer.anywhere(large, suspect.tensor) else None


def _told(index: Index, tracer: Tracer, birth: Birth, suspect: Suspect) -> Told:
    first = birth.first
    spots = () if first.spot is None else (first.spot,)
    own = Source(name=first.name, tensor=first.tensor, spots=spots, count=len(spots))
    patches = [_patch(tracer, source) for source in (own, *birth.sources)]
    return Told(
        sentence=headline(index, tracer, birth),
        more=growth_sentence(tracer, birth),
        patches=tuple([patch for patch in patches if patch is not None]),
        stops=stops(index, birth),
        causes=tuple(
            [
                Cause(
                    text=text,
                    suspect=replace(
                        suspect,
                        tensor=seen.tensor,
                        name=seen.name,
                        index=seen.spot,
                        step=seen.place.step,
                        kind=trouble.kind,
                    ),
                )
                for trouble, seen, text in causes(tracer, birth)
            ]
        ),
    )


def _patch(tracer: Tracer, source: Source) -> Patch | None:
    array = tracer.array(source.tensor)
    if array is None or source.spots is None:
        return None
    return patch_of(source.tensor, source.name, array, source.spots)
