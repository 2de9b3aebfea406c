"""Readable names of factors: 1/2 for 0.5, pi for 3.14159."""

from __future__ import annotations

import math
from fractions import Fraction

_LARGEST_DENOMINATOR = 12
_PRECISION = 1e-6
_MOST_NOISE = 1e-4

_CONSTANTS = {
    "pi": math.pi,
    "2 pi": 2 * math.pi,
    "sqrt(2)": math.sqrt(2),
    "sqrt(3)": math.sqrt(3),
    "sqrt(pi)": math.sqrt(math.pi),
    "sqrt(2 pi)": math.sqrt(2 * math.pi),
    "ln 2": math.log(2),
    "ln 10": math.log(10),
    "e": math.e,
    "180 / pi": 180 / math.pi,
}


def factor_name(factor: complex, noise: float = 0.0) -> str:
    """Format a factor as in a formula; with six digits if it has no name.

    Args:
        factor: Measured value.
        noise: Noise of the values it was measured from, relative to the largest one.
    """
    whole = round(factor.real)
    if whole and abs(factor - whole) <= min(noise, _MOST_NOISE) * abs(whole):
        factor = complex(whole)
    if abs(factor.imag) > _PRECISION * abs(factor):
        return f"({factor.real:.6g}{factor.imag:+.6g}j)"
    value = factor.real
    sign = "-" if value < 0 else ""
    return sign + _positive(abs(value))


def _positive(value: float) -> str:
    fraction = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    if fraction and _is(value, float(fraction)):
        return str(fraction)
    for name, constant in _CONSTANTS.items():
        if _is(value, constant):
            return name
        if _is(value, 1 / constant):
            return f"1 / ({name})" if name[0].isdigit() else f"1 / {name}"
    return f"{value:.6g}"


def _is(value: float, constant: float) -> bool:
    return abs(value - constant) <= _PRECISION * constant
