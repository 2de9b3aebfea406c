"""All values of the 8-bit floating-point types, which numpy lacks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float32]


def _decode(bits: int, mantissa: int, bias: int) -> float:
    sign = -1.0 if bits & 0x80 else 1.0
    fraction = bits & ((1 << mantissa) - 1)
    exponent = (bits & 0x7F) >> mantissa
    if exponent == 0:
        return float(sign * fraction * 2.0 ** (1 - bias - mantissa))
    return float(sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias))


def _table(mantissa: int, bias: int, special: dict[int, float]) -> Table:
    values = [_decode(bits, mantissa, bias) for bits in range(256)]
    for bits, value in special.items():
        values[bits] = value
    return np.array(values, dtype=np.float32)


_NAN, _INF = float("nan"), float("inf")

FLOAT8_TABLES: dict[str, Table] = {
    "float8_e4m3fn": _table(3, 7, {0x7F: _NAN, 0xFF: _NAN}),
    "float8_e4m3fnuz": _table(3, 8, {0x80: _NAN}),
    "float8_e5m2": _table(
        2,
        15,
        {0x7C: _INF, 0xFC: -_INF} | dict.fromkeys((0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF), _NAN),
    ),
    "float8_e5m2fnuz": _table(2, 16, {0x80: _NAN}),
}
"""256 float32 values for each type. Source: OCP 8-bit Floating Point Specification (OFP8) 1.0 for
``e4m3fn`` and ``e5m2``; arXiv:2206.02915 for the ``fnuz`` types."""
