"""Where in a run a NaN, an infinity, a zero or a large element came up first, and how it went on.

It goes back from where an element is seen: what made the tensor, which elements went into this
one, and whether one of them was in the same trouble already. Where none was, it was born there.
Nothing is guessed: what is not known of an op or was not kept is said to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.levels import Place
from gradviz.model.makings import Making, Makings, Moment, seen_at
from gradviz.model.reach import Asked, Given, Reach, Spot
from gradviz.model.reach_rules import reach_of
from gradviz.model.trouble import Trouble

Array = npt.NDArray[Any]

BirthKind = Literal["made", "given", "unknown", "far"]
"""Made from what was not in this trouble; there already when the run first had the tensor; made
from tensors of which not enough was kept to tell; or still further back than anybody would wait."""

_MOST_VISITED: Final = 100_000
_MOST_ELEMENTS: Final = 32
"""How many elements of one tensor are traced where no single one is asked for."""


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
class Source:
    """Elements of one tensor that went into an element.

    Attributes:
        name: What the tensor is called there.
        tensor: Its number.
        spots: The elements, at most a few; None where it is not known which.
        count: How many elements went in; None where that is not known.
    """

    name: str
    tensor: int
    spots: tuple[Spot, ...] | None
    count: int | None


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


SOURCES_SHOWN: Final = 64


class Tracer:
    """Traces elements of one run back. May be used from any thread, by one at a time."""

    def __init__(self, index: Index, makings: Makings | None = None) -> None:
        """Takes a trace, and what made its tensors, if that was asked already."""
        self.index = index
        self.makings = Makings(index) if makings is None else makings
        self._arrays: dict[int, Array | None] = {}

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

    def array(self, tensor: int) -> Array | None:
        """All elements of a tensor; None where they were not kept whole."""
        if tensor not in self._arrays:
            whole = self.index.tensor.bare(tensor).content == "whole"
            value = self.index.value(tensor) if whole else None
            self._arrays[tensor] = None if value is None else value.array()
        return self._arrays[tensor]

    def _spots(self, trouble: Trouble, seen: Spotted) -> list[Spot | None]:
        if seen.spot is not None:
            return [seen.spot]
        array = self.array(seen.tensor)
        if array is None:
            return [None] if self.anywhere(trouble, seen.tensor) else []
        return [*self._in_trouble(trouble, array)]

    def _in_trouble(self, trouble: Trouble, array: Array) -> Iterator[Spot]:
        for number in np.flatnonzero(trouble.mask(array))[:_MOST_ELEMENTS].tolist():
            yield tuple([int(each) for each in np.unravel_index(number, array.shape)])

    def anywhere(self, trouble: Trouble, tensor: int) -> bool | None:
        """Whether any element of a tensor is in trouble; None where nothing tells."""
        array = self.array(tensor)
        if array is not None:
            return bool(trouble.mask(array).any())
        known = self.index.tensor.bare(tensor).statistics
        return None if known is None else trouble.counted(known)

    def _trace(
        self,
        trouble: Trouble,
        start: Spotted,
        visited: set[tuple[int, Spot | None, Moment]],
        cancelled: Callable[[], bool],
    ) -> Iterator[Birth]:
        """Goes back along each tensor that was in trouble, and gives the ends of these ways."""
        ways: list[tuple[_Way, Moment]] = [(_Way(start, None), seen_at(start.place))]
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
            step = _Back(self, trouble, making, way.here)
            way = way.made(making, step.output)
            carried = step.carried()
            for item, spot, sure in carried:
                assert item.tensor is not None
                source = Spotted(
                    place=making.place, name=item.name, tensor=item.tensor, spot=spot, sure=sure
                )
                ways.append((_Way(source, way), making.begun))
            if not carried:
                yield _birth(trouble, "made" if step.is_known else "unknown", way, step)
            if len(visited) > _MOST_VISITED:
                return

    def first(self, trouble: Trouble, tensor: int) -> Spot | None:
        """The first element of a tensor that is in trouble; None where nothing tells."""
        array = self.array(tensor)
        return None if array is None else next(self._in_trouble(trouble, array), None)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way from an element to where it was seen; long ones share what they have in common."""

    here: Spotted
    on: _Way | None

    def made(self, making: Making, output: int | None) -> _Way:
        """The way from where the tensor was made."""
        name = "" if output is None else making.outputs[output].name
        here = replace(self.here, place=making.place, name=name or self.here.name)
        return _Way(here, self.on if here.place == self.here.place else self)

    def path(self) -> tuple[Spotted, ...]:
        """All that is passed, from here on."""
        found: list[Spotted] = []
        way: _Way | None = self
        while way is not None:
            found.append(way.here)
            way = way.on
        return tuple(found)


def _birth(trouble: Trouble, kind: BirthKind, way: _Way, step: _Back | None = None) -> Birth:
    return Birth(
        trouble=trouble,
        kind=kind,
        making=None if step is None else step.making,
        sources=() if step is None else step.sources,
        path=way.path(),
    )


class _Back:
    """One step back: from an element to what went into it."""

    def __init__(
        self,
        tracer: Tracer,
        trouble: Trouble,
        making: Making,
        here: Spotted,
    ) -> None:
        self._tracer = tracer
        self._trouble = trouble
        self.making = making
        self._here = here
        self._inputs = tuple(item for item in making.inputs if item.name != "out")
        self.is_known = True
        self.output = _output(making, tracer.makings.twins(here.tensor))
        self._reach = None if self.output is None else self._asked(self.output)

    def _asked(self, output: int) -> Reach | None:
        making, spot = self.making, self._here.spot
        if spot is None:
            return None
        index = self._tracer.index
        shapes = {
            at: index.tensor.bare(item.tensor).shape
            for at, item in enumerate(self._inputs)
            if item.tensor is not None
        }
        asked = Asked(
            inputs=self._inputs,
            shapes=shapes,
            output=output,
            shape=index.tensor.bare(self._here.tensor).shape,
            spot=spot,
            values=self._values,
        )
        names = {"accumulate": "add", "engine": "sum_to_size"}
        if making.kind == "sum":
            return _added(asked)
        if making.kind not in ("op", "call", "accumulate", "engine"):
            return None
        if making.kind == "engine" and making.name not in ("unchanged", "reduced", "cast"):
            return None
        return reach_of(names.get(making.kind, making.name), asked, aten=making.kind == "op")

    def _values(self, at: int) -> Array | None:
        tensor = self._inputs[at].tensor
        return None if tensor is None else self._tracer.array(tensor)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What went in, for whoever shows it."""
        if self._reach is None:
            return tuple(
                [
                    Source(name=item.name, tensor=item.tensor, spots=None, count=None)
                    for item in self._inputs
                    if item.tensor is not None
                ]
            )
        found: dict[int, list[Spot]] = {}
        for given in self._reach.given:
            found.setdefault(given.at, []).extend(given.spots)
        return tuple(
            [
                Source(
                    name=self._inputs[at].name,
                    tensor=tensor,
                    spots=tuple(spots[:SOURCES_SHOWN]),
                    count=len(spots),
                )
                for at, spots in sorted(found.items())
                if (tensor := self._inputs[at].tensor) is not None
            ]
        )

    def carried(self) -> list[tuple[Item, Spot | None, bool]]:
        """The inputs that brought the trouble with them, each with one such element."""
        if self._reach is None:
            return self._carried_somehow()
        if self._trouble.kind == "zero":
            return self._carried_zeros(self._reach)
        found: dict[int, Spot] = {}
        for given in self._reach.given:
            counts = given.role == "factor" or (
                given.role == "divisor" and self._trouble.kind == "nan"
            )
            spots = self._spots_in_trouble(given.at, given.spots) if counts else []
            if spots:
                found.setdefault(given.at, spots[0])
        return [(self._inputs[at], spot, True) for at, spot in sorted(found.items())]

    def _carried_somehow(self) -> list[tuple[Item, Spot | None, bool]]:
        """Where it is not known which elements went in: any of any tensor."""
        found: list[tuple[Item, Spot | None, bool]] = []
        # Tensors in a list may have been recorded as text only.
        self.is_known = not any("Tensor(" in item.text for item in self._inputs)
        for item in self._inputs:
            if item.tensor is None or any(each.tensor == item.tensor for each, _, _ in found):
                continue
            troubled = self._tracer.anywhere(self._trouble, item.tensor)
            if troubled is None:
                self.is_known = False
            elif troubled:
                found.append((item, self._tracer.first(self._trouble, item.tensor), False))
        return found

    def _carried_zeros(self, reach: Reach) -> list[tuple[Item, Spot | None, bool]]:
        """A zero was brought where a zero was in each summand; else it came up in the sum."""
        found: dict[int, Spot] = {}
        for product in reach.sums:
            factors = [given for given in product if given.role == "factor"]
            for at in range(max((len(given.spots) for given in factors), default=0)):
                zero = next(
                    (
                        (given.at, given.spots[at])
                        for given in factors
                        if self._spots_in_trouble(given.at, given.spots[at : at + 1])
                    ),
                    None,
                )
                if zero is not None:
                    found.setdefault(*zero)
                elif not reach.chooses:
                    return []
        return [(self._inputs[at], spot, True) for at, spot in sorted(found.items())]

    def _spots_in_trouble(self, at: int, spots: tuple[Spot, ...]) -> list[Spot]:
        array = self._values(at)
        if array is None:
            self.is_known = False
            return []
        return [spot for spot in spots if self._trouble.has(array[spot])]


def _added(asked: Asked) -> Reach:
    """The engine adds gradients of one shape."""
    parts = [(Given(at=at, spots=(asked.spot,)),) for at in asked.shapes]
    return Reach(sums=tuple(parts))


def _output(making: Making, twins: tuple[int, ...]) -> int | None:
    """Which of its outputs a tensor is; None where it is none of them, but a view of its memory."""
    places = [at for at, item in enumerate(making.outputs) if item.tensor in twins]
    return places[0] if places else None
