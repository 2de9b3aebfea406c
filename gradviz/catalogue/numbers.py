"""Numbers as text, in one notation for everything that a person reads."""

from __future__ import annotations

import math
from typing import Final

ROOM: Final = 4
"""Significant digits where nothing else is asked for."""

MEASURED: Final = 8
"""Significant digits of a central difference that mean anything; the others are its noise."""

_PLAIN: Final = 10**6
"""Integers below are written in full."""


def number_text(value: object, room: int = ROOM) -> str:
    """A number as torch writes it: ``nan``, ``inf``, ``-inf``, ``1+2j``, ``1.235e+06``, ``True``.

    Integers below a million are written in full. What only rounds to an integer keeps its decimals
    (``1.000``), so that it does not look like one.

    Args:
        value: A bool, an integer, a float or a complex number of Python or NumPy.
        room: Significant digits of all other numbers; one more where these would look like an
            integer.
    """
    # First, as most numbers are, and tensors are formatted element by element.
    if type(value) is float:
        return _real(value, room)
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, complex):
        sign = "-" if value.imag < 0 else "+"
        return f"{_real(value.real, room)}{sign}{_real(abs(value.imag), room)}j"
    if isinstance(value, int) and abs(value) < _PLAIN:
        return str(value)
    return _real(float(value), room)  # type: ignore[arg-type]


def without_noise(value: complex, digits: int = MEASURED) -> complex | float:
    """What a central difference measured, without its noise; real if no imaginary part is left."""
    real, imaginary = (float(f"{part:.{digits}g}") for part in (value.real, value.imag))
    return complex(real, imaginary) if imaginary else real


def exact_number(value: object) -> str:
    """The shortest text that gives back exactly the same number in its dtype."""
    # `str`, because in NumPy 2 `repr` returns `np.float32(0.1)`.
    return str(value).strip("()")


def _real(value: float, room: int) -> str:
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and abs(value) < _PLAIN:
        return str(int(value))
    text = f"{value:.{room}g}"
    if "." in text or float(text) == value:
        return text
    text = f"{value:#.{room}g}"
    return f"{value:#.{room + 1}g}" if text.partition("e")[0].endswith(".") else text
