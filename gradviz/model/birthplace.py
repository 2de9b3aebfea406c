"""Where in a run a NaN, an infinity, a zero or a large element came up first, and how it went on.

It goes back from where an element is seen: what made the tensor, which elements went into this
one, and whether one of them was in the same trouble already. Where none was, it was born there.
Nothing is guessed: what is not known of an op or was not kept is said to be so.
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
"""Made from what was not in this trouble; there already when the run first had the tensor; made
from tensors of which not enough was kept to tell; or still further back than anybody would wait."""

_MOST_VISITED: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spotted:
    """One element of one tensor, at one place of the run.

    Attributes:
        place: Where.
        name: What the tensor is called there.
        tensor: Its number.
        spot: The element; None where it is not known which one.
        sure: False where the way from here onwards is likely but not known: the op is not one of
            those of which it is known which element goes where.
    """

    place: Place
    name: str
    tensor: int
    spot: Spot | None
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Where trouble came up.

    Attributes:
        trouble: What kind.
        kind: How sure that is.
        making: What made it; None where the tensor was there already.
        sources: What it was made from, of what its op is known to use.
        path: From here to where it was seen: first the element itself where it came up.
    """

    trouble: Trouble
    kind: BirthKind
    making: Making | None
    sources: tuple[Source, ...]
    path: tuple[Spotted, ...]

    @property
    def first(self) -> Spotted:
        """The element where it came up."""
        return self.path[0]


class Tracer(Elements):
    """Traces elements of one run back. May be used from any thread, by one at a time."""

    def __init__(self, index: Index, makings: Makings | None = None) -> None:
        """Takes a trace, and what made its tensors, if that was asked already."""
        super().__init__(index)
        self.makings = Makings(index) if makings is None else makings

    def births(
        self,
        trouble: Trouble,
        seen: Spotted,
        cancelled: Callable[[], bool] = bool,
    ) -> tuple[Birth, ...]:
        """Where the trouble of an element, or of all elements of a tensor, came up.

        Args:
            trouble: What is looked for.
            seen: Where it is seen; without a ``spot`` all elements of the tensor are meant.
            cancelled: Asked now and then; nothing is found if nobody waits.

        Returns:
            Each birth once, the earliest first; nothing where nothing is in this trouble.
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
        """Goes back along each tensor that was in trouble, and gives the ends of these ways."""
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
    """A way from an element to where it was seen; long ones share what they have in common."""

    here: Spotted
    on: _Way | None

    def made(self, making: Making, output: int | None) -> _Way:
        """The way from where the tensor was made."""
        name = "" if output is None else making.outputs[output].name
        here = replace(self.here, place=making.place, name=name or self.here.name)
        return _Way(here=here, on=self.on if here.place == self.here.place else self)

    def path(self) -> tuple[Spotted, ...]:
        """All that is passed, from here on."""
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
    """Which of its outputs a tensor is; None where it is none of them, but a view of its memory."""
    places = [at for at, item in enumerate(making.outputs) if item.tensor in twins]
    return places[0] if places else None
