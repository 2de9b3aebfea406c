"""Arithmetic expressions over recorded elements, whose values are computed as they are built."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import numpy as np

from gradviz.analysis.dependence.element_dependence import ElementIndex
from gradviz.model.element_encoding import UnrepresentableNumberError, element_as_stored
from gradviz.model.inputs import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One element of a recorded tensor.

    Attributes:
        tensor: Number of the tensor.
        element: Index of the element.
        value: The element.
        name: Name of the tensor in the step; empty for an unnamed intermediate result.
        copies: Tensors through which the element came here unchanged, such as views, with the
            index of the element in each.
    """

    tensor: int
    element: ElementIndex
    value: Number
    name: str = ""
    copies: tuple[tuple[int, ElementIndex], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A number that comes from no tensor."""

    value: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A computation with other expressions.

    Attributes:
        kind: A key of `COMPUTE`, such as ``sum`` or ``exp``.
        parts: The expressions that it is computed from.
        value: The result, as recorded if an op returned it.
    """

    kind: str
    parts: tuple[Expression, ...]
    value: Number


Expression = Operand | Constant | Operation


def operation(kind: str, *parts: Expression) -> Operation:
    """Create an operation with its computed value."""
    with np.errstate(all="ignore"):
        value = COMPUTE[kind](*[part.value for part in parts])
    return Operation(kind=kind, parts=parts, value=_plain(value))


def scaled(expression: Expression, factor: Number) -> Expression:
    """An expression times a number; unchanged for 1."""
    return expression if factor == 1 else operation("product", expression, Constant(value=factor))


def operands(expression: Expression) -> Iterator[Operand]:
    """All recorded elements of an expression, from left to right."""
    match expression:
        case Operand():
            yield expression
        case Operation():
            for part in expression.parts:
                yield from operands(part)


def chain(expression: Operation) -> tuple[Expression, ...]:
    """The parts of an operation that is applied from left to right: three in ``(a + b) + c``."""
    first, *others = expression.parts
    if isinstance(first, Operation) and first.kind == expression.kind:
        return (*chain(first), *others)
    return expression.parts


def terms(expression: Expression) -> tuple[Expression, ...]:
    """The summands of the sum in an expression, which may be scaled; itself without a sum."""
    if isinstance(expression, Operation):
        if expression.kind == "sum":
            return chain(expression)
        inner = [part for part in expression.parts if not isinstance(part, Constant)]
        if len(inner) == 1 and expression.kind in ("product", "quotient", "negative"):
            return terms(inner[0])
    return (expression,)


def is_reproduced(expression: Expression, recorded: Number, dtype: str) -> bool | None:
    """Whether an expression gives a recorded element bit for bit.

    Args:
        expression: The expression; its value has been computed with the precision of a float64.
        recorded: The element.
        dtype: Dtype of the element, without ``torch.``.

    Returns:
        False if it differs by no more than the rounding of each operation allows, as when a sum is
        added up in another order; None if it differs by more.
    """
    value = expression.value
    try:
        stored = element_as_stored(value, dtype)
    except UnrepresentableNumberError:
        return None
    if stored == recorded or (stored != stored and recorded != recorded):
        return True
    error = abs(value - recorded)
    allowed = (len(list(operands(expression))) + 8) * _EPSILONS.get(dtype, 0.0)
    return False if error <= allowed * _magnitude(expression) else None


_EPSILONS: Final = {
    "float64": 2.0**-52,
    "complex128": 2.0**-52,
    "float32": 2.0**-23,
    "complex64": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}


def _magnitude(expression: Expression) -> float:
    """Size that the value could have without cancellation, which rounding errors scale with."""
    if isinstance(expression, Operation):
        if expression.kind == "sum":
            return sum(_magnitude(part) for part in expression.parts)
        if expression.kind in ("product", "negative"):
            return reduce(operator.mul, map(_magnitude, expression.parts), 1.0)
    return abs(expression.value)


def _plain(value: Any) -> Number:
    number = value.item() if isinstance(value, np.generic) else value
    return int(number) if isinstance(number, bool) else number


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    # Python raises where a float becomes infinite or undefined.
    return lambda *values: function(*[np.asarray(each, _wide(each))[()] for each in values])


def _wide(value: Number) -> type:
    return np.complex128 if isinstance(value, complex) else np.float64


def _sigmoid(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


_NUMPY_FUNCTIONS: Final = (
    "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh"
    " arcsinh arccosh arctanh sign floor ceil trunc"
)
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    name: getattr(np, name) for name in _NUMPY_FUNCTIONS.split()
} | {"abs": np.abs, "sigmoid": _sigmoid}
_COMPARISONS: Final = ("gt", "ge", "lt", "le", "eq", "ne")

COMPUTE: Final[dict[str, Callable[..., Any]]] = {
    "sum": lambda *values: sum(values),
    "product": lambda *values: reduce(operator.mul, values),
    "quotient": _numpy(np.divide),
    "power": _numpy(np.power),
    "negative": operator.neg,
    "max": _numpy(lambda *values: np.max(np.array(values))),
    "min": _numpy(lambda *values: np.min(np.array(values))),
    "chosen": lambda value, condition: value,
    **{name: _numpy(function) for name, function in _FUNCTIONS.items()},
    **{name: getattr(operator, name) for name in _COMPARISONS},
}
"""What each kind of operation computes; ``chosen`` is its first part, because of the second."""

FUNCTIONS: Final = frozenset(_FUNCTIONS)
"""Kinds that are element-wise functions of one number."""
