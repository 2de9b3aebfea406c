"""Numbers as text: short for cells, exact for tooltips, never misleading."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

MINUS = "\N{MINUS SIGN}"
_PLAIN_INTEGERS = 10**6


def short_number(value: object, digits: int = 4) -> str:
    """Format a number in few characters.

    Integers stay plain below a million. Other numbers get up to ``digits`` significant digits;
    one that only rounds to an integer keeps its decimals (``1.000``), so that it does not look
    like one.

    Args:
        value: A Python or NumPy number or bool.
        digits: Significant digits of a non-integer.
    """
    if isinstance(value, float):
        # First, as most numbers are.
        return _pretty(_short(value, digits))
    if isinstance(value, bool | np.bool_):
        return "True" if value else "False"
    if isinstance(value, complex | np.complexfloating):
        return _short_complex(complex(value), digits)
    if isinstance(value, int | np.integer):
        whole = int(value)
        return _pretty(str(whole) if abs(whole) < _PLAIN_INTEGERS else _short(float(whole), digits))
    return _pretty(_short(float(value), digits))  # type: ignore[arg-type]


def exact_number(value: object) -> str:
    """The shortest text that gives back exactly the same number in its dtype."""
    if isinstance(value, np.generic) and not isinstance(value, np.complexfloating):
        # In NumPy 2, `repr` returns `np.float32(0.1)`.
        return str(value)
    if isinstance(value, complex | np.complexfloating):
        return str(value).strip("()")
    return repr(value)


def short_numbers(values: npt.NDArray[Any], digits: int = 4) -> list[list[str]]:
    """The short text of each element of a two-dimensional array, by row."""
    return [[short_number(each, digits) for each in row] for row in values.tolist()]


def _short(value: float, digits: int) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "+\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
    if value.is_integer() and abs(value) < _PLAIN_INTEGERS:
        return f"{value:.0f}"
    text = f"{value:.{digits}g}"
    if "." not in text and "e" not in text and float(text) != value:
        text = f"{value:#.{digits}g}"
        text = f"{value:.1f}" if text.endswith(".") else text
    return _compact_exponent(text)


def _short_complex(value: complex, digits: int) -> str:
    real, imaginary = _short(value.real, digits), _short(value.imag, digits)
    sign = "" if imaginary.startswith(("-", "+")) else "+"
    return _pretty(f"{real}{sign}{imaginary}i")


def _compact_exponent(text: str) -> str:
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def _pretty(text: str) -> str:
    return text.replace("-", MINUS)
