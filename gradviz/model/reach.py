"""Which elements of what an op was given went into one element of what it returned."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.item import Item

Spot = tuple[int, ...]
"""Index of an element of a whole tensor; empty for one without dimensions."""

GivenRole = Literal["factor", "divisor", "selector"]
"""What an element does: it is multiplied in, divided by, or chooses without being calculated in."""

Array = npt.NDArray[Any]
Shapes = Mapping[int, tuple[int, ...]]
Values = Callable[[int], "Array | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Elements of one input.

    Attributes:
        at: Position of the input.
        spots: Its elements; of several in one `Sum`, the n-th ones belong to one summand.
        role: What they do.
    """

    at: int
    spots: tuple[Spot, ...]
    role: GivenRole = "factor"


Sum = tuple[Given, ...]
"""Summands, each the product of the n-th elements of all that is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What went into one element: the sum of some sums of products, or one that was chosen.

    Attributes:
        sums: Empty where the op makes the element from nothing, as ``zero_`` does.
        chooses: The element is one of them or follows one of them, as a maximum or a product.
    """

    sums: tuple[Sum, ...] = ()
    chooses: bool = False

    @property
    def given(self) -> Iterator[Given]:
        """All elements."""
        for each in self.sums:
            yield from each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """One element of one output of an op, whose rule is asked what went into it.

    Attributes:
        inputs: As recorded.
        shapes: Of the inputs that are tensors, by position.
        output: Position of the output.
        shape: Of the output.
        spot: The element.
        values: Elements of an input by position; None where they were not kept whole.
    """

    inputs: Sequence[Item]
    shapes: Shapes
    output: int
    shape: tuple[int, ...]
    spot: Spot
    values: Values

    def argument(self, name: str, default: Any = None) -> Any:
        """The value of an argument that is no tensor, as Python; ``default`` where it is missing.

        Raises:
            ValueError: If it cannot be told from its text.
        """
        item = next((each for each in self.inputs if each.name == name), None)
        if item is None or item.kind == "none":
            return default
        try:
            return ast.literal_eval(item.text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ValueError(f"{name} cannot be read") from None

    def dimension(self, name: str, rank: int, default: int | None = None) -> int:
        """An argument that names one dimension, counted from the front.

        Raises:
            ValueError: If it names none.
        """
        found = self.argument(name, default)
        if not isinstance(found, int) or not -rank <= found < rank:
            raise ValueError(f"{name} is no dimension")
        return found % rank

    def dimensions(self, name: str, rank: int) -> tuple[int, ...]:
        """An argument that names several; all of them where it is missing or empty.

        Raises:
            ValueError: If it names others.
        """
        found = self.argument(name)
        if isinstance(found, int):
            found = [found]
        if found is None or not len(found):
            return tuple(range(rank))
        if not all(isinstance(each, int) and -rank <= each < rank for each in found):
            raise ValueError(f"{name} is no list of dimensions")
        return tuple([each % rank for each in found])


Rule = Callable[[Asked], Reach | None]
"""Tells what went into an element; None, ValueError, IndexError or KeyError where it cannot."""


def broadcast_spot(shape: tuple[int, ...], asked: Asked) -> Spot | None:
    """The element of an input that belongs to an element of the output, broadcasting included."""
    extra = len(asked.shape) - len(shape)
    if extra < 0:
        return None
    pairs = list(zip(shape, asked.shape[extra:], strict=True))
    if any(size not in (1, whole) for size, whole in pairs):
        return None
    return tuple(
        [0 if size == 1 else at for (size, _), at in zip(pairs, asked.spot[extra:], strict=True)]
    )


def element_wise(formula: str) -> Rule:
    """The rule of an element-wise op.

    Args:
        formula: Positions of inputs, like ``0+1*2`` or ``0/1``; ``0|1`` where one is chosen,
            ``0?1`` where the second decides, ``1-0`` where what was there before is lost.
    """
    told = {int(sign) for sign in formula if sign.isdigit()}
    formula = formula.partition("-")[0]
    chooses = "|" in formula
    terms = [_factors(term) for term in formula.replace("|", "+").split("+")]

    def rule(asked: Asked) -> Reach | None:
        if not asked.shapes.keys() <= told:
            return None
        sums = []
        for term in terms:
            given = []
            for at, role in term:
                if at not in asked.shapes:
                    continue  # A number of Python's.
                spot = broadcast_spot(asked.shapes[at], asked)
                if spot is None:
                    return None
                given.append(Given(at=at, spots=(spot,), role=role))
            if given:
                sums.append(tuple(given))
        return Reach(sums=tuple(sums), chooses=chooses)

    return rule


def _factors(term: str) -> list[tuple[int, GivenRole]]:
    roles: dict[str, GivenRole] = {"*": "factor", "/": "divisor", "?": "selector"}
    found: list[tuple[int, GivenRole]] = []
    role: GivenRole = "factor"
    for sign in term:
        if sign in roles:
            role = roles[sign]
        else:
            found.append((int(sign), role))
    return found


FILLED = -1
"""Stands in a plan for an element that the op fills in itself."""

Plan = Callable[[Array, Asked], "Array | Sequence[Array]"]
"""Does to an array of numbers what the op does to its first input."""


def moved(plan: Plan) -> Rule:
    """The rule of an op that only moves elements: what it does to their numbers tells where to."""

    def rule(asked: Asked) -> Reach | None:
        numbers = numbers_of(asked.shapes[0])
        made = plan(numbers, asked)
        if not isinstance(made, np.ndarray):
            made = made[asked.output]
        if made.shape != asked.shape:
            return None
        number = int(made[asked.spot])
        if number == FILLED:
            return Reach()
        spot = spot_of(number, asked.shapes[0])
        return Reach(sums=((Given(at=0, spots=(spot,)),),))

    return rule


def numbers_of(shape: tuple[int, ...], first: int = 0) -> Array:
    """The elements of a shape, numbered in row-major order."""
    return np.arange(first, first + int(np.prod(shape, dtype=np.int64))).reshape(shape)


def spot_of(number: int, shape: tuple[int, ...]) -> Spot:
    """The element with a number."""
    return tuple([int(each) for each in np.unravel_index(number, shape)]) if shape else ()


def spots_of(numbers: Array, shape: tuple[int, ...]) -> tuple[Spot, ...]:
    """The elements with some numbers, in order."""
    return tuple([spot_of(int(each), shape) for each in numbers.reshape(-1)])


def along(asked: Asked, at: int, dims: Iterable[int], spot: Spot) -> tuple[Spot, ...]:
    """The elements of an input that lie on a spot, in all but some dimensions.

    Args:
        asked: The question.
        at: Position of the input.
        dims: The dimensions that are gone through from end to end.
        spot: One number for each dimension; those for ``dims`` do not matter.
    """
    shape, free = asked.shapes[at], set(dims)
    place = tuple([slice(None) if dim in free else spot[dim] for dim in range(len(shape))])
    return spots_of(np.asarray(numbers_of(shape)[place]), shape)
