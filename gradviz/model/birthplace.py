"""Find where a NaN, Inf, zero or large element first appeared in a run, and its path.

The search starts at the place where an element is seen and goes backward: what produced the
tensor, which elements contributed to this one, and whether one of them already had the problem.
If none had, the problem appeared here. Nothing is guessed: the result says if an op is not
understood or if values were not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from gradviz.model.carried import Elements, Source, StepBack
from gradviz.model.index import Index
from gradviz.model.making import Making, Moment, seen_at
from gradviz.model.makings import Makings
from gradviz.model.places import Place
from gradviz.model.reach import Spot
from gradviz.model.trouble import Trouble

BirthKind = Literal["made", "given", "unknown", "far"]
"""``made``: from inputs without the problem; ``given``: already there when the run first had the
tensor; ``unknown``: too little is stored of the inputs to decide; ``far``: the search gave up.
"""

_MOST_VISITED: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spotted:
    """One element of a tensor at one place of the run.

    Attributes:
        place: Place in the run.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        spot: Index of the element; None if unknown.
        sure: False if the path from here onwards is likely but not certain, because it is not known
            which input elements of the op contribute to which output elements.
    """

    place: Place
    name: str
    tensor: int
    spot: Spot | None
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Where a problem first appeared.

    Attributes:
        trouble: Kind of problem.
        kind: How the search ended: ``made``, ``given``, ``unknown`` or ``far``.
        making: What produced the tensor; None if it was already there or the search gave up.
        sources: Inputs that it was computed from, as far as the op is known.
        path: Elements from the origin to where the problem was seen, the origin first.
    """

    trouble: Trouble
    kind: BirthKind
    making: Making | None
    sources: tuple[Source, ...]
    path: tuple[Spotted, ...]

    @property
    def first(self) -> Spotted:
        """The element in which the problem first appeared."""
        return self.path[0]


class Tracer(Elements):
    """Traces elements of one run back to their origin.

    It can be used from any thread, but from only one at a time.
    """

    def __init__(self, index: Index, makings: Makings | None = None) -> None:
        """Use the given producers of the trace's tensors, or find them."""
        super().__init__(index)
        self.makings = Makings(index) if makings is None else makings

    def births(
        self,
        trouble: Trouble,
        seen: Spotted,
        cancelled: Callable[[], bool] = bool,
    ) -> tuple[Birth, ...]:
        """Find the origins of the problem in an element, or in all elements of a tensor.

        Args:
            trouble: Kind of problem to look for.
            seen: Where it was seen; without a ``spot``, all elements of the tensor are traced.
            cancelled: Called from time to time; if it returns True, nothing is returned.

        Returns:
            Each origin once, earliest first; empty if no element has the problem.
        """
        found: dict[object, Birth] = {}
        visited: set[tuple[int, Spot | None, Moment]] = set()
        for spot in self._spots(trouble, seen):
            start = Spotted(place=seen.place, name=seen.name, tensor=seen.tensor, spot=spot)
            for birth in self._trace(trouble, start, visited, cancelled):
                found.setdefault((birth.first.place, birth.first.tensor), birth)
            if cancelled():
                return ()
        return tuple(sorted(found.values(), key=lambda birth: birth.first.place.key))

    def _spots(self, trouble: Trouble, seen: Spotted) -> list[Spot | None]:
        if seen.spot is not None:
            return [seen.spot]
        array = self.array(seen.tensor)
        if array is None:
            return [None] if self.anywhere(trouble, seen.tensor) else []
        return [*self.in_trouble(trouble, array)]

    def _trace(
        self,
        trouble: Trouble,
        start: Spotted,
        visited: set[tuple[int, Spot | None, Moment]],
        cancelled: Callable[[], bool],
    ) -> Iterator[Birth]:
        """Follow every tensor that has the problem back to its origin, and yield the origins."""
        ways: list[tuple[_Way, Moment]] = [(_Way(here=start, on=None), seen_at(start.place))]
        while ways:
            way, before = ways.pop()
            key = (way.here.tensor, way.here.spot, before)
            if key in visited or cancelled():
                continue
            visited.add(key)
            making = self.makings.of(way.here.tensor, before)
            if making is None or len(visited) > _MOST_VISITED:
                kind: BirthKind = "given" if making is None else "far"
                yield _birth(trouble, kind, way)
                continue
            here = way.here
            output = _output(making, self.makings.twins(here.tensor))
            step = StepBack(self, trouble, making, output, here.tensor, here.spot)
            way = way.made(making, output)
            carried = step.carried()
            for item, spot, sure in carried:
                assert item.tensor is not None
                source = Spotted(
                    place=making.place, name=item.name, tensor=item.tensor, spot=spot, sure=sure
                )
                ways.append((_Way(here=source, on=way), making.begun))
            if not carried:
                yield _birth(trouble, "made" if step.is_known else "unknown", way, step)
            if len(visited) > _MOST_VISITED:
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """Path from an element to where it was seen, as a linked list that paths share."""

    here: Spotted
    on: _Way | None

    def made(self, making: Making, output: int | None) -> _Way:
        """The same path, starting at the place where the tensor was produced."""
        name = "" if output is None else making.outputs[output].name
        here = replace(self.here, place=making.place, name=name or self.here.name)
        return _Way(here=here, on=self.on if here.place == self.here.place else self)

    def path(self) -> tuple[Spotted, ...]:
        """All elements on the path, starting with this one."""
        found: list[Spotted] = []
        way: _Way | None = self
        while way is not None:
            found.append(way.here)
            way = way.on
        return tuple(found)


def _birth(trouble: Trouble, kind: BirthKind, way: _Way, step: StepBack | None = None) -> Birth:
    return Birth(
        trouble=trouble,
        kind=kind,
        making=None if step is None else step.making,
        sources=() if step is None else step.sources,
        path=way.path(),
    )


def _output(making: Making, twins: tuple[int, ...]) -> int | None:
    """Position of a tensor among the outputs; None if it is only a view of their memory."""
    places = [at for at, item in enumerate(making.outputs) if item.tensor in twins]
    return places[0] if places else None
