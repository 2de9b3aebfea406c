"""What ops compute, as expressions over the elements of their inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gradviz.analysis.arithmetic.expression import (
    FUNCTIONS,
    Constant,
    Expression,
    operation,
    scaled,
)
from gradviz.analysis.dependence.element_dependence import (
    DependenceQuery,
    ElementIndex,
    InputElements,
    broadcast_index,
    elements_along,
)
from gradviz.analysis.dependence.op_rules import (
    aten_name,
    element_dependence,
    indexed_numbers,
)
from gradviz.analysis.dependence.view_rules import VIEW_RULES
from gradviz.model.inputs import Number

MOST_ELEMENTS: Final = 4096
"""Expressions over more elements are not created."""


class NoFormulaError(ValueError):
    """An op was called in a form that no formula describes, or an element was not stored."""


ElementReader = Callable[[int, ElementIndex], Expression]
"""Returns an element of an input by the index of the input and the element's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormulaQuery:
    """One element of an op's output, whose expression is wanted.

    Attributes:
        dependence: The op's inputs and the element.
        read: Returns elements of the inputs.
    """

    dependence: DependenceQuery
    read: ElementReader

    def at(self, place: int) -> Expression:
        """The input element for the output element under broadcasting, or a Python number.

        Raises:
            NoFormulaError: If there is none.
        """
        query = self.dependence
        if place in query.shapes:
            element = broadcast_index(query.shapes[place], query)
            if element is None:
                raise NoFormulaError
            return self.read(place, element)
        return Constant(value=self.number(query.inputs[place].name))

    def number(self, name: str, default: Number | None = None) -> Number:
        """A number among the arguments.

        Raises:
            NoFormulaError: If the argument is something else.
            ValueError: If it cannot be read.
        """
        found = self.dependence.argument(name, default)
        if not isinstance(found, int | float | complex):
            raise NoFormulaError
        return int(found) if isinstance(found, bool) else found

    def row(self) -> list[Expression]:
        """All elements of the first input along the dimension ``dim``."""
        return [self.read(0, each) for each in self.places()]

    def places(self) -> tuple[ElementIndex, ...]:
        """Indices of the elements along the dimension ``dim`` through the output element."""
        query = self.dependence
        dim = query.dimension("dim", len(query.shape))
        return elements_along(query, (dim,), query.element)


Formula = Callable[[FormulaQuery], Expression]
"""Creates the expression of an element; otherwise ValueError, IndexError or KeyError."""


def op_expression(name: str, wanted: FormulaQuery) -> Expression | None:
    """What an op computed for one element of an output; None without a formula.

    Args:
        name: Name of the op or function, such as ``aten::mm``.
        wanted: The element.
    """
    formula = FORMULAS.get(aten_name(name))
    if formula is None:
        return None
    try:
        return formula(wanted)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError):
        return None  # The recorded inputs are not what the op is expected to take.


def moved_from(name: str, wanted: DependenceQuery) -> tuple[int, ElementIndex] | None:
    """The input element that an op passed on without computing, such as that of a view.

    Returns:
        Index of the input and of its element; None if the op computes or is unknown.
    """
    if aten_name(name) not in _MOVES:
        return None
    found = element_dependence(name, wanted)
    if found is None or not found.sums or not found.sums[0]:
        return None
    source = found.sums[0][0]
    return source.at, source.elements[0]


_COPIES: Final = (
    "t clone detach alias to _to_copy contiguous positive lift_fresh copy gather index_select index"
    " embedding float double half bfloat16 cpu cuda"
)
_MOVES: Final = frozenset(VIEW_RULES) | frozenset(_COPIES.split())


def _products(wanted: FormulaQuery, name: str) -> Expression:
    """The sum of products that a dependence rule describes."""
    found = element_dependence(name, wanted.dependence)
    if found is None or not found.sums:
        raise NoFormulaError
    summands = [each for product in found.sums for each in _summands(wanted, product)]
    return summands[0] if len(summands) == 1 else operation("sum", *summands)


def _summands(wanted: FormulaQuery, product: tuple[InputElements, ...]) -> list[Expression]:
    if len(product[0].elements) > MOST_ELEMENTS:
        raise NoFormulaError
    columns = [[wanted.read(part.at, each) for each in part.elements] for part in product]
    if len(columns) == 1:
        return columns[0]
    return [operation("product", *factors) for factors in zip(*columns, strict=True)]


def _sum_of_products(name: str) -> Formula:
    return lambda wanted: _products(wanted, name)


def _matrix_sum(name: str) -> Formula:
    """Formula for ``beta * input + alpha * (a @ b)``."""

    def formula(wanted: FormulaQuery) -> Expression:
        whole = element_dependence(name, wanted.dependence)
        if whole is None:
            raise NoFormulaError
        alpha, beta = wanted.number("alpha", 1), wanted.number("beta", 1)
        summands = [scaled(each, alpha) for each in _summands(wanted, whole.sums[1])]
        return operation("sum", scaled(wanted.at(0), beta), *summands)

    return formula


def _mean(wanted: FormulaQuery) -> Expression:
    whole = _products(wanted, "mean")
    query = wanted.dependence
    count = 1
    for size in query.shapes[0]:
        count *= size
    for size in query.shape:
        count //= size
    return operation("quotient", whole, Constant(value=count))


def _added(wanted: FormulaQuery) -> Expression:
    return operation("sum", wanted.at(0), scaled(wanted.at(1), wanted.number("alpha", 1)))


def _minus(first: int, second: int) -> Formula:
    def formula(wanted: FormulaQuery) -> Expression:
        taken = scaled(wanted.at(second), wanted.number("alpha", 1))
        return operation("sum", wanted.at(first), operation("negative", taken))

    return formula


def _divided(wanted: FormulaQuery) -> Expression:
    if wanted.dependence.argument("rounding_mode") is not None:
        raise NoFormulaError
    return operation("quotient", wanted.at(0), wanted.at(1))


def _added_product(kind: str) -> Formula:
    """Formula for ``addcmul`` and ``addcdiv``."""

    def formula(wanted: FormulaQuery) -> Expression:
        product = operation(kind, wanted.at(1), wanted.at(2))
        return operation("sum", wanted.at(0), scaled(product, wanted.number("value", 1)))

    return formula


def _of(kind: str, count: int) -> Formula:
    """Formula that applies one kind of operation to the first inputs."""
    return lambda wanted: operation(kind, *[wanted.at(place) for place in range(count)])


def _all_of(kind: str, name: str) -> Formula:
    """Formula that applies one kind of operation to all elements that are reduced."""

    def formula(wanted: FormulaQuery) -> Expression:
        found = element_dependence(name, wanted.dependence)
        if found is None or wanted.dependence.output:
            raise NoFormulaError
        return operation(kind, *_summands(wanted, found.sums[0]))

    return formula


def _power(wanted: FormulaQuery) -> Expression:
    exponent = wanted.at(1)
    if isinstance(exponent, Constant) and exponent.value == 1:
        return wanted.at(0)
    return operation("power", wanted.at(0), exponent)


def _square(wanted: FormulaQuery) -> Expression:
    return operation("power", wanted.at(0), Constant(value=2))


def _relu(wanted: FormulaQuery) -> Expression:
    return operation("max", Constant(value=0), wanted.at(0))


def _tanh_backward(wanted: FormulaQuery) -> Expression:
    square = operation("power", wanted.at(1), Constant(value=2))
    return operation("product", wanted.at(0), _one_minus(square))


def _sigmoid_backward(wanted: FormulaQuery) -> Expression:
    return operation("product", wanted.at(0), wanted.at(1), _one_minus(wanted.at(1)))


def _one_minus(expression: Expression) -> Expression:
    return operation("sum", Constant(value=1), operation("negative", expression))


def _threshold_backward(wanted: FormulaQuery) -> Expression:
    bound = Constant(value=wanted.number("threshold"))
    above = operation("gt", wanted.at(1), bound)
    return operation("chosen", wanted.at(0) if above.value else Constant(value=0), above)


def _picked(condition: int, true: int, false: int) -> Formula:
    """Formula for ``where`` and ``masked_fill``."""

    def formula(wanted: FormulaQuery) -> Expression:
        test = wanted.at(condition)
        return operation("chosen", wanted.at(true if test.value else false), test)

    return formula


def _clamp(wanted: FormulaQuery) -> Expression:
    found = wanted.at(0)
    for name, kind in (("min", "max"), ("max", "min")):
        if wanted.dependence.argument(name) is not None:
            found = operation(kind, found, Constant(value=wanted.number(name)))
    return found


def _put(wanted: FormulaQuery) -> Expression:
    """Formula for ``index_put``, with a mask or with indices."""
    query = wanted.dependence
    numbers = indexed_numbers(query)
    place = next(at for at, item in enumerate(query.inputs) if item.name == "values")
    if numbers is None:
        raise NoFormulaError
    hits = np.argwhere(numbers == np.ravel_multi_index(query.element, query.shape))
    shape = query.shapes[place]
    values = [wanted.read(place, _broadcast(shape, tuple(map(int, hit)))) for hit in hits]
    mask = query.values(1)
    if query.argument("accumulate", False):
        return operation("sum", wanted.at(0), *values)
    if mask is not None and mask.dtype == np.bool_ and mask.shape == query.shape:
        return operation("chosen", (values or [wanted.at(0)])[0], wanted.at(1))
    if len(values) > 1:
        raise NoFormulaError  # Which one is written last is undefined.
    return values[0] if values else wanted.at(0)


def _broadcast(shape: tuple[int, ...], element: ElementIndex) -> ElementIndex:
    kept = element[len(element) - len(shape) :]
    return tuple([0 if size == 1 else at for size, at in zip(shape, kept, strict=True)])


def _added_at(place: int, *, whole: bool) -> Formula:
    """Formula for ``scatter_add``, or for ``index_add``, whose index applies to whole slices."""

    def formula(wanted: FormulaQuery) -> Expression:
        query = wanted.dependence
        dim = query.dimension("dim", len(query.shape))
        index = query.values(2)
        if index is None:
            raise NoFormulaError
        before, after = query.element[:dim], query.element[dim + 1 :]
        through: Any = (*before, slice(None), *after)
        line = index if whole else index[through]
        added = [
            wanted.read(place, (*before, int(at), *after))
            for at in np.flatnonzero(line == query.element[dim])
        ]
        alpha = wanted.number("alpha", 1)
        return operation("sum", wanted.at(0), *[scaled(each, alpha) for each in added])

    return formula


def _softmax(wanted: FormulaQuery) -> Expression:
    powers = operation("sum", *[operation("exp", each) for each in wanted.row()])
    return operation("quotient", operation("exp", wanted.at(0)), powers)


def _log_softmax(wanted: FormulaQuery) -> Expression:
    powers = operation("sum", *[operation("exp", each) for each in wanted.row()])
    return operation("sum", wanted.at(0), operation("negative", operation("log", powers)))


def _softmax_backward(wanted: FormulaQuery) -> Expression:
    products = [
        operation("product", wanted.read(0, each), wanted.read(1, each)) for each in wanted.places()
    ]
    whole = operation("negative", operation("sum", *products))
    return operation("product", wanted.at(1), operation("sum", wanted.at(0), whole))


def _log_softmax_backward(wanted: FormulaQuery) -> Expression:
    product = operation("product", operation("exp", wanted.at(1)), operation("sum", *wanted.row()))
    return operation("sum", wanted.at(0), operation("negative", product))


_SUMS: Final = ("mm", "bmm", "mv", "dot", "matmul", "sum", "sum_to_size", "cumsum")
_NAMES: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"} | {
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip

FORMULAS: Final[dict[str, Formula]] = {
    **{name: _sum_of_products(name) for name in _SUMS},
    **{name: _matrix_sum(name) for name in ("addmm", "baddbmm", "addmv")},
    **{name: _of(name, 1) for name in FUNCTIONS},
    **{name: _of(kind, 1) for name, kind in _NAMES.items()},
    **{name: _of(name, 2) for name in ("gt", "ge", "lt", "le", "eq", "ne")},
    **{name: _all_of("max", name) for name in ("amax", "max")},
    **{name: _all_of("min", name) for name in ("amin", "min")},
    "prod": _all_of("product", "prod"),
    "mean": _mean,
    "add": _added,
    "sub": _minus(0, 1),
    "rsub": _minus(1, 0),
    "mul": _of("product", 2),
    "div": _divided,
    "pow": _power,
    "neg": _of("negative", 1),
    "square": _square,
    "maximum": _of("max", 2),
    "minimum": _of("min", 2),
    "relu": _relu,
    "reciprocal": lambda wanted: operation("quotient", Constant(value=1), wanted.at(0)),
    "rsqrt": lambda wanted: operation(
        "quotient", Constant(value=1), operation("sqrt", wanted.at(0))
    ),
    "addcmul": _added_product("product"),
    "addcdiv": _added_product("quotient"),
    "where": _picked(0, 1, 2),
    "masked_fill": _picked(1, 2, 0),
    "tanh_backward": _tanh_backward,
    "sigmoid_backward": _sigmoid_backward,
    "clamp": _clamp,
    "clamp_min": _clamp,
    "clamp_max": _clamp,
    "index_put": _put,
    "index_add": _added_at(3, whole=True),
    "scatter_add": _added_at(3, whole=False),
    "threshold_backward": _threshold_backward,
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _log_softmax_backward,
}
"""By op name, without ``aten::`` and the underscore of an op in place."""
