r"""A matrix as LaTeX ``pmatrix`` with few digits and a comment that says so."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.messages import say
from gradviz.export.tensor.whole_tensor import few_enough, plain_number

DIGITS = 4
"""Default number of significant digits, chosen for the space in a paper."""

_MOST_COLUMNS = 10
_MOST_WIDTH = 220.0
"""Approximate width, in points, of the space for a matrix beside its name."""

_DIGIT, _GAP = 5.0, 10.0
"""Points of a digit and between two columns, in text of 10 points."""

_COMMAND, _MARKUP = re.compile(r"\\\w+ ?"), re.compile(r"[{}^]")
_FIT = "\\ifdim\\width>0.65\\linewidth 0.65\\linewidth\\else\\width\\fi"
_PLAIN_FROM, _PLAIN_TO = 1e-4, 1e6


def latex_text(matrix: npt.NDArray[Any], dtype: str, digits: int = DIGITS) -> str:
    r"""Format the matrix, below a comment with its dtype, size and rounding.

    ``pmatrix`` of amsmath has at most ten columns; those with more become an ``array``. What may be
    wider than the text is in a ``\resizebox`` of graphicx, which then shrinks it.

    Args:
        matrix: ``[rows, columns]``.
        dtype: Torch's name of the dtype, for the comment.
        digits: Significant digits.

    Raises:
        ExportError: If there are too many elements for text.
    """
    texts = [[latex_number(each, digits) for each in row] for row in few_enough(matrix)]
    comment = latex_comment(matrix, dtype, digits)
    rows = " \\\\\n".join("  " + " & ".join(row) for row in texts)
    if matrix.shape[1] > _MOST_COLUMNS:
        columns = "r" * matrix.shape[1]
        begin, end = f"\\left(\\begin{{array}}{{{columns}}}", "\\end{array}\\right)"
    else:
        begin, end = "\\begin{pmatrix}", "\\end{pmatrix}"
    if _width(texts) > _MOST_WIDTH:
        needs = say("latex.packages", package="\\usepackage{graphicx}")
        comment = f"{comment}\n% {needs}"
        begin, end = f"\\resizebox{{{_FIT}}}{{!}}{{${begin}", f"{end}$}}"
    return f"{comment}\n{begin}\n{rows}\n{end}\n"


def _width(texts: list[list[str]]) -> float:
    """About the width of a matrix in points."""
    plain = ([_MARKUP.sub("", _COMMAND.sub("xx", each)) for each in row] for row in texts)
    return sum(_GAP + _DIGIT * max(map(len, column)) for column in zip(*plain, strict=True))


def latex_comment(array: npt.NDArray[Any], dtype: str, digits: int = DIGITS) -> str:
    """Format a comment with dtype and size of an array, and whether its numbers are rounded."""
    size = " x ".join(map(str, array.shape)) or say("shape.scalar")
    key = "latex.exact" if _is_exact(array, digits) else "latex.rounded"
    return f"% {say(key, dtype=dtype, size=size, digits=digits)}"


def latex_number(value: Any, digits: int = DIGITS) -> str:
    r"""Format a number: ``1.235 \times 10^{-7}``, ``\infty``, ``\mathrm{nan}``, ``1 - 2i``."""
    if isinstance(value, bool | np.bool_):
        return f"\\mathrm{{{bool(value)}}}"
    if isinstance(value, complex | np.complexfloating):
        return _complex(float(value.real), float(value.imag), digits)
    if isinstance(value, int | np.integer):
        return str(int(value))
    return _real(float(value), digits)


def _real(value: float, digits: int) -> str:
    if math.isnan(value):
        return "\\mathrm{nan}"
    if math.isinf(value):
        return "\\infty" if value > 0 else "-\\infty"
    if value.is_integer() and abs(value) < _PLAIN_TO:
        return f"{value:.0f}"
    if _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        # Python switches to an exponent when the integer part has more digits than asked for.
        return f"{float(f'{value:.{digits}g}'):.15g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10^{{{int(exponent)}}}"
    return f"{mantissa} \\times {power}"


def _complex(real: float, imaginary: float, digits: int) -> str:
    second = _real(imaginary, digits)
    sign = "-" if second.startswith("-") else "+"
    return f"{_real(real, digits)} {sign} {second.removeprefix('-')}i"


def _is_exact(matrix: npt.NDArray[Any], digits: int) -> bool:
    """Whether no number loses digits."""
    if matrix.dtype.kind not in "fc":
        return True
    parts = (matrix.real, matrix.imag) if matrix.dtype.kind == "c" else (matrix,)
    return all(_same(each, digits) for part in parts for each in part.flat)


def _same(value: Any, digits: int) -> bool:
    number = float(value)
    if not math.isfinite(number) or (number.is_integer() and abs(number) < _PLAIN_TO):
        return True
    # Compare with the shortest text of its own type: 0.1 of float32 is not 0.1 of float64.
    return float(f"{number:.{digits}g}") == float(plain_number(value))
