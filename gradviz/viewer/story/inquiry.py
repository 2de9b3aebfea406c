"""The work behind the panel: finds births in the background, and puts them into words there."""

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
    """A question that a birth leads to: where the Inf came from that a NaN was made of.

    Attributes:
        text: The question.
        suspect: What it is about.
    """

    text: str
    suspect: Suspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One birth, ready to be shown.

    Attributes:
        sentence: What came up where.
        more: A further sentence; may be empty.
        patches: The elements around it, then those that it was made from.
        stops: The way that it took, from there on.
        causes: What may be asked next.
    """

    sentence: str
    more: str
    patches: tuple[Patch, ...]
    stops: tuple[Stop, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found out.

    Attributes:
        suspect: What was asked; None where nothing in the run is in trouble.
        trouble: What was looked for; None where nothing is wrong.
        births: The earliest first.
        count: How many elements are in this trouble; 0 where one was asked about, or it is unknown.
        followed: Of how many of them the way was followed back.
    """

    suspect: Suspect | None
    trouble: Trouble | None
    births: tuple[Told, ...]
    count: int = 0
    followed: int = 0


def first_suspect(
    index: Index, makings: Makings, trouble: Trouble | None, until: int, cancelled: Cancelled
) -> Suspect | None:
    """The first tensor of a run that is in trouble.

    Args:
        index: The trace.
        makings: What made its tensors.
        trouble: What is looked for; None for whatever is not finite.
        until: Number of the last step that may be told of.
        cancelled: Asked now and then.
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
    """Finds where the trouble of a tensor came from.

    Args:
        index: The trace.
        makings: What made its tensors.
        suspect: What is asked about.
        limit: Beyond it an element counts as large, where that is asked.
        cancelled: Asked now and then.
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
    """The step at which it is seen: not before the one that has it first."""
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
