"""Predict without torch what a number becomes when an element of some dtype stores it."""

from __future__ import annotations

import cmath
import math
import re
from struct import Struct
from typing import Literal

from gradviz.model.inputs import Number

MisfitReason = Literal["fraction", "range", "not finite", "complex", "bool"]

INTEGER_RANGES = {
    "int64": (-(2**63), 2**63 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "uint64": (0, 2**64 - 1),
    "uint32": (0, 2**32 - 1),
    "uint16": (0, 2**16 - 1),
    "uint8": (0, 2**8 - 1),
    "bool": (0, 1),
}
"""Smallest and largest value of each integer dtype and bool."""

# numpy would do the same, but ten times slower for one number at a time.
_SINGLE, _HALF, _BITS = Struct("<f"), Struct("<e"), Struct("<I")

_DIGITS = {"float32": 9, "float16": 5, "bfloat16": 4}
"""Decimal digits that distinguish any two elements; Python finds those of a float64."""

_NOT_FINITE = "(?i:inf|nan)"


class UnrepresentableNumberError(ValueError):
    """A number has no nearby value in a dtype.

    Attributes:
        reason: What the dtype cannot represent.
    """

    def __init__(self, reason: MisfitReason) -> None:
        super().__init__(reason)
        self.reason = reason


def read_number(text: str) -> Number:
    """Parse a number as Python writes it, including ``True``, ``nan`` and ``1+2j``.

    Raises:
        ValueError: If the text is not a number, or one beyond the largest float.
    """
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    if text in ("True", "False"):
        return int(text == "True")
    number: Number
    try:
        # Tried before float, which would round integers beyond 2**53.
        number = int(text)
        # An int has no negative zero.
        return -0.0 if number == 0 and text.startswith("-") else number
    except ValueError:
        number = complex(text) if text.endswith(("j", "J", ")")) else float(text)
    if not cmath.isfinite(number) and not re.search(_NOT_FINITE, text):
        raise ValueError("beyond the largest float")
    # math.nan is a single object, so it equals itself where tuples of values are compared.
    return math.nan if isinstance(number, float) and math.isnan(number) else number


def element_as_stored(number: Number, dtype: str) -> Number:
    """The element that a number becomes, rounded as torch rounds a float64.

    Args:
        number: The number as typed.
        dtype: Torch's dtype name without ``torch.``.

    Returns:
        An int for integer dtypes and bool, a complex for complex dtypes, otherwise a float.

    Raises:
        UnrepresentableNumberError: If the dtype has no value near the number.
    """
    if dtype in INTEGER_RANGES:
        return _whole(number, dtype)
    if dtype.startswith("complex"):
        part = "float64" if dtype == "complex128" else "float32"
        value = complex(number)
        return complex(_rounded(value.real, part), _rounded(value.imag, part))
    return _rounded(_real(number), dtype)


def is_exact(number: Number, dtype: str) -> bool:
    """Whether a dtype stores a number without rounding it.

    Raises:
        UnrepresentableNumberError: If the dtype has no value near the number.
    """
    element = element_as_stored(number, dtype)
    # NaN does not equal itself, but is stored as typed.
    return element == number or (element != element and number != number)


def shortest_text(element: Number, dtype: str) -> str:
    """The shortest text that becomes exactly this element when a dtype stores it."""
    if isinstance(element, complex):
        real, imaginary = (
            shortest_text(each, "float64" if dtype == "complex128" else "float32")
            for each in (element.real, element.imag)
        )
        return f"{real}{imaginary if imaginary[0] in '+-' else '+' + imaginary}j"
    if dtype == "bool":
        return str(bool(element))
    if isinstance(element, int):
        return str(element)
    for digits in range(1, _DIGITS.get(dtype, 0) + 1):
        text = f"{element:.{digits}g}"
        if _rounded(float(text), dtype) == element:
            return text
    return repr(element).removesuffix(".0")


def _real(number: Number) -> float:
    if isinstance(number, complex):
        if number.imag != 0:  # also true for NaN
            raise UnrepresentableNumberError("complex")
        return number.real
    try:
        # An int can be larger than any float; the conversion then raises instead of returning inf.
        return float(number)
    except OverflowError:
        raise UnrepresentableNumberError("range") from None


def _whole(number: Number, dtype: str) -> int:
    if isinstance(number, complex):
        number = _real(number)
    if isinstance(number, float) and not math.isfinite(number):
        raise UnrepresentableNumberError("not finite")
    least, most = INTEGER_RANGES[dtype]
    if not least <= number <= most or (dtype == "bool" and number != int(number)):
        raise UnrepresentableNumberError("bool" if dtype == "bool" else "range")
    if number != int(number):
        raise UnrepresentableNumberError("fraction")
    return int(number)


def _rounded(value: float, dtype: str) -> float:
    if dtype == "float64":
        return value
    narrow = _packed(value, _SINGLE)
    # Torch converts to float32 before a narrower dtype, and so rounds twice.
    if dtype == "float16":
        return _packed(narrow, _HALF)
    return _to_bfloat16(narrow) if dtype == "bfloat16" else narrow


def _packed(value: float, form: Struct) -> float:
    try:
        return float(form.unpack(form.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_bfloat16(value: float) -> float:
    """Round a float32 to the upper half of its bits, to nearest, ties to even."""
    if not math.isfinite(value):
        return value
    bits: int = _BITS.unpack(_SINGLE.pack(value))[0]
    kept = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return float(_SINGLE.unpack(_BITS.pack(kept))[0])
