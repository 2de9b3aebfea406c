r"""A matrix as LaTeX ``pmatrix`` with few digits and a comment that says so."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.export.tensor.whole_tensor import few_enough, plain_number

DIGITS = 4
"""Number of significant digits, chosen for the space in a paper."""

_MOST_COLUMNS = 10
_MOST_WIDTH = 220.0
"""Approximate width, in points, of the space for a matrix beside its name."""

_DIGIT, _GAP = 5.0, 10.0
"""Points of a digit and between two columns, in text of 10 points."""

_COMMAND, _MARKUP = re.compile(r"\\\w+ ?"), re.compile(r"[{}^]")
_FIT = "\\ifdim\\width>0.65\\linewidth 0.65\\linewidth\\else\\width\\fi"


def latex_text(matrix: npt.NDArray[Any], dtype: str) -> str:
    r"""Format a matrix or vector, below a comment with its dtype, size and rounding.

    A vector has commas between its elements, which tell it from a matrix of one row.

    ``pmatrix`` of amsmath has at most ten columns; those with more become an ``array``. What may be
    wider than the text is in a ``\resizebox`` of graphicx, which then shrinks it.

    Args:
        matrix: ``[rows, columns]`` or ``[elements]``.
        dtype: Torch's name of the dtype, for the comment.

    Raises:
        ExportError: If there are too many elements for text.
    """
    grid = np.atleast_2d(few_enough(matrix))
    texts = [[latex_number(each) for each in row] for row in grid]
    between = ", & " if matrix.ndim == 1 else " & "
    comment = latex_comment(matrix, dtype)
    rows = " \\\\\n".join("  " + between.join(row) for row in texts)
    if grid.shape[1] > _MOST_COLUMNS:
        columns = "r" * grid.shape[1]
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


def latex_comment(array: npt.NDArray[Any], dtype: str) -> str:
    """Format a comment with dtype and size of an array, and whether its numbers are rounded."""
    size = " x ".join(map(str, array.shape)) or say("shape.scalar")
    key = "latex.exact" if _is_exact(array) else "latex.rounded"
    return f"% {say(key, dtype=dtype, size=size, digits=DIGITS)}"


def latex_number(value: Any) -> str:
    r"""Format a number: ``1.235 \times 10^{-7}``, ``\mathrm{nan}``, ``1 - 2j``."""
    # Of the signs, only that of an imaginary part has another character than "e" before it.
    text = re.sub(r"(?<=[^e])([+-])", r" \1 ", number_text(value, DIGITS))
    text = re.sub(r"e([+-]\d+)", _power, text)
    return re.sub(r"nan|inf|True|False", r"\\mathrm{\g<0>}", text)


def _power(exponent: re.Match[str]) -> str:
    return f" \\times 10^{{{int(exponent[1])}}}"


def _is_exact(matrix: npt.NDArray[Any]) -> bool:
    """Whether no number loses digits."""
    if matrix.dtype.kind == "b":
        return True
    parts = (matrix.real, matrix.imag) if matrix.dtype.kind == "c" else (matrix,)
    return all(_same(each) for part in parts for each in part.flat)


def _same(value: Any) -> bool:
    number = float(value)
    # Compare with the shortest text of its own type: 0.1 of float32 is not 0.1 of float64.
    return not math.isfinite(number) or float(number_text(value, DIGITS)) == float(
        plain_number(value)
    )
