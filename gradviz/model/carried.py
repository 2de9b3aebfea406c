"""One step back on the way of trouble: from an element to what went into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.making import Making
from gradviz.model.reach import Asked, Given, Reach, Spot
from gradviz.model.reach_rules import reach_of
from gradviz.model.trouble import Trouble

Array = npt.NDArray[Any]

SOURCES_SHOWN: Final = 64
"""So many elements of one input are told one by one."""

MOST_ELEMENTS: Final = 32
"""How many elements of one tensor are traced where no single one is asked for."""

_MOST_ARRAYS: Final = 2_000


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


class Elements:
    """What is known of the elements of a trace's tensors. May be used by one thread at a time."""

    def __init__(self, index: Index) -> None:
        """Takes the trace."""
        self.index = index
        self._arrays: dict[int, Array | None] = {}

    def array(self, tensor: int) -> Array | None:
        """All elements of a tensor; None where they were not kept whole."""
        if tensor not in self._arrays:
            if len(self._arrays) > _MOST_ARRAYS:
                self._arrays.clear()
            whole = self.index.tensor.bare(tensor).content == "whole"
            value = self.index.value(tensor) if whole else None
            self._arrays[tensor] = None if value is None else value.array()
        return self._arrays[tensor]

    def in_trouble(self, trouble: Trouble, array: Array) -> Iterator[Spot]:
        """The first elements that are in trouble, at most `MOST_ELEMENTS`."""
        for number in np.flatnonzero(trouble.mask(array))[:MOST_ELEMENTS].tolist():
            yield tuple([int(each) for each in np.unravel_index(number, array.shape)])

    def anywhere(self, trouble: Trouble, tensor: int) -> bool | None:
        """Whether any element of a tensor is in trouble; None where nothing tells."""
        array = self.array(tensor)
        if array is not None:
            return bool(trouble.mask(array).any())
        known = self.index.tensor.bare(tensor).statistics
        return None if known is None else trouble.counted(known)

    def first(self, trouble: Trouble, tensor: int) -> Spot | None:
        """The first element of a tensor that is in trouble; None where nothing tells."""
        array = self.array(tensor)
        return None if array is None else next(self.in_trouble(trouble, array), None)


class StepBack:
    """One step back: from an element to what went into it.

    Attributes:
        making: What made the element's tensor.
        is_known: Whether enough is known to tell what brought the trouble; after `carried`.
    """

    def __init__(
        self,
        elements: Elements,
        trouble: Trouble,
        making: Making,
        output: int | None,
        tensor: int,
        spot: Spot | None,
    ) -> None:
        """Takes the element.

        Args:
            elements: Of the trace.
            trouble: What is followed.
            making: What made the tensor.
            output: Which output of that it is; None where it is a view of the same memory.
            tensor: Number of the tensor.
            spot: Its element; None where it is not known.
        """
        self._elements = elements
        self._trouble = trouble
        self.making = making
        self._tensor = tensor
        self._inputs = tuple(item for item in making.inputs if item.name != "out")
        self.is_known = True
        self._reach = None
        if output is not None and spot is not None:
            self._reach = self._asked(output, spot)

    def _asked(self, output: int, spot: Spot) -> Reach | None:
        making, index = self.making, self._elements.index
        shapes = {
            at: index.tensor.bare(item.tensor).shape
            for at, item in enumerate(self._inputs)
            if item.tensor is not None
        }
        asked = Asked(
            inputs=self._inputs,
            shapes=shapes,
            output=output,
            shape=index.tensor.bare(self._tensor).shape,
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
        return None if tensor is None else self._elements.array(tensor)

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
            troubled = self._elements.anywhere(self._trouble, item.tensor)
            if troubled is None:
                self.is_known = False
            elif troubled:
                found.append((item, self._elements.first(self._trouble, item.tensor), False))
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
