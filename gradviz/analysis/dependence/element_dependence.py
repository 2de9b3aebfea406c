"""Find the input elements of an op that contributed to one element of its output."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.item import Item

ElementIndex = tuple[int, ...]
"""Index of an element in a whole tensor; empty for a tensor without dimensions."""

InputRole = Literal["factor", "divisor", "selector"]
"""Use of an element: it is multiplied, divided by, or only selects other elements."""

ElementArray = npt.NDArray[Any]
InputShapes = Mapping[int, tuple[int, ...]]
InputValues = Callable[[int], "ElementArray | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputElements:
    """Elements of one input.

    Attributes:
        at: Index of the input.
        elements: Its elements; the n-th ones of all inputs in a `ProductFactors` form one summand.
        role: How they are used.
    """

    at: int
    elements: tuple[ElementIndex, ...]
    role: InputRole = "factor"


ProductFactors = tuple[InputElements, ...]
"""Summands, each the product of the n-th elements of all inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementDependence:
    """What an element was computed from: a sum of products, or a selected element.

    Attributes:
        sums: Sums of products that are added; empty if the op uses no input, as ``zero_``.
        chooses: Whether the element is one of them or follows one of them, as a maximum or a
            product, instead of their sum.
    """

    sums: tuple[ProductFactors, ...] = ()
    chooses: bool = False

    @property
    def given(self) -> Iterator[InputElements]:
        """All contributing elements."""
        for each in self.sums:
            yield from each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DependenceQuery:
    """A query for a `DependenceRule`: what contributed to one element of an op's output.

    Attributes:
        inputs: Recorded inputs.
        shapes: Shapes of the tensor inputs, by index.
        output: Index of the output.
        shape: Shape of the output.
        element: Index of the element.
        values: Returns the elements of an input by index; None unless stored in full.
    """

    inputs: Sequence[Item]
    shapes: InputShapes
    output: int
    shape: tuple[int, ...]
    element: ElementIndex
    values: InputValues

    def argument(self, name: str, default: Any = None) -> Any:
        """The value of a non-tensor argument; ``default`` if it is missing.

        Raises:
            ValueError: If its text is not a Python literal.
        """
        item = next((each for each in self.inputs if each.name == name), None)
        if item is None or item.kind == "none":
            return default
        try:
            # Not ``eval``: a trace from someone else may contain any text.
            return ast.literal_eval(item.text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ValueError(f"{name} cannot be read") from None

    def dimension(self, name: str, rank: int, default: int | None = None) -> int:
        """The dimension that an argument names, counted from the front.

        Raises:
            ValueError: If it is not a dimension of the tensor.
        """
        found = self.argument(name, default)
        if not isinstance(found, int) or not -rank <= found < rank:
            raise ValueError(f"{name} is not a dimension")
        return found % rank

    def dimensions(self, name: str, rank: int) -> tuple[int, ...]:
        """The dimensions that an argument names; all of them if it is missing or empty.

        Raises:
            ValueError: If one of them is not a dimension of the tensor.
        """
        found = self.argument(name)
        if isinstance(found, int):
            found = [found]
        if found is None or not len(found):
            return tuple(range(rank))
        if not all(isinstance(each, int) and -rank <= each < rank for each in found):
            raise ValueError(f"{name} is not a list of dimensions")
        return tuple([each % rank for each in found])


DependenceRule = Callable[[DependenceQuery], ElementDependence | None]
"""Finds what contributed to an element; otherwise None, ValueError, IndexError or KeyError."""


def broadcast_index(shape: tuple[int, ...], requested: DependenceQuery) -> ElementIndex | None:
    """The input element for an output element under broadcasting; None if not possible."""
    extra = len(requested.shape) - len(shape)
    if extra < 0:
        return None
    pairs = list(zip(shape, requested.shape[extra:], strict=True))
    if any(size not in (1, whole) for size, whole in pairs):
        return None
    return tuple(
        [
            0 if size == 1 else at
            for (size, _), at in zip(pairs, requested.element[extra:], strict=True)
        ]
    )


def element_wise_rule(formula: str) -> DependenceRule:
    """Create the rule of an element-wise op.

    Args:
        formula: Formula over the indices of inputs, such as ``0+1*2`` or ``0/1``. ``0|1`` selects
            one of them, ``0?1`` selects by the second, and in ``1-0`` the old value of input 0 is
            lost.
    """
    input_positions = {int(sign) for sign in formula if sign.isdigit()}
    formula = formula.partition("-")[0]
    chooses = "|" in formula
    terms = [_factors(term) for term in formula.replace("|", "+").split("+")]

    def rule(requested: DependenceQuery) -> ElementDependence | None:
        # A tensor that the formula does not know: the op was called in some other form.
        if not requested.shapes.keys() <= input_positions:
            return None
        sums = []
        for term in terms:
            given = []
            for at, role in term:
                if at not in requested.shapes:
                    continue  # A Python number.
                element = broadcast_index(requested.shapes[at], requested)
                if element is None:
                    return None
                given.append(InputElements(at=at, elements=(element,), role=role))
            if given:
                sums.append(tuple(given))
        return ElementDependence(sums=tuple(sums), chooses=chooses)

    return rule


def _factors(term: str) -> list[tuple[int, InputRole]]:
    roles: dict[str, InputRole] = {"*": "factor", "/": "divisor", "?": "selector"}
    found: list[tuple[int, InputRole]] = []
    role: InputRole = "factor"
    for sign in term:
        if sign in roles:
            role = roles[sign]
        else:
            found.append((int(sign), role))
    return found


FILLED = -1
"""Marks an element in a plan that does not come from the input."""

NumberMoves = Callable[[ElementArray, DependenceQuery], "ElementArray | Sequence[ElementArray]"]
"""Applies the op to an array of element numbers in place of its first input."""


def move_rule(plan: NumberMoves) -> DependenceRule:
    """Create the rule of an op that only moves elements, by moving their numbers."""

    def rule(requested: DependenceQuery) -> ElementDependence | None:
        numbers = row_major_numbers(requested.shapes[0])
        # The op is applied to element numbers; the number at the output's place tells its source.
        made = plan(numbers, requested)
        if not isinstance(made, np.ndarray):
            made = made[requested.output]
        if made.shape != requested.shape:
            return None
        number = int(made[requested.element])
        if number == FILLED:
            return ElementDependence()
        element = element_index(number, requested.shapes[0])
        return ElementDependence(sums=((InputElements(at=0, elements=(element,)),),))

    return rule


def row_major_numbers(shape: tuple[int, ...], first: int = 0) -> ElementArray:
    """The elements of a shape, numbered in row-major order."""
    return np.arange(first, first + int(np.prod(shape, dtype=np.int64))).reshape(shape)


def element_index(number: int, shape: tuple[int, ...]) -> ElementIndex:
    """The index of the element with a row-major number."""
    return tuple([int(each) for each in np.unravel_index(number, shape)]) if shape else ()


def element_indices(numbers: ElementArray, shape: tuple[int, ...]) -> tuple[ElementIndex, ...]:
    """The indices of the elements with the given row-major numbers."""
    return tuple([element_index(int(each), shape) for each in numbers.reshape(-1)])


def elements_along(
    requested: DependenceQuery, dims: Iterable[int], element: ElementIndex
) -> tuple[ElementIndex, ...]:
    """The elements of the first input at an index that is free in some dimensions.

    Args:
        requested: The query.
        dims: Dimensions along which all elements are taken.
        element: One index for each dimension; those for ``dims`` are ignored.
    """
    shape, free = requested.shapes[0], set(dims)
    place = tuple([slice(None) if dim in free else element[dim] for dim in range(len(shape))])
    return element_indices(np.asarray(row_major_numbers(shape)[place]), shape)
