"""Reads what is typed into the form's fields; what does not fit gets a sentence."""

from __future__ import annotations

import ast
import math
import re

from PySide6.QtCore import QCoreApplication

MOST_ELEMENTS = 1 << 26
"""Elements of an input: 512 MiB in float64."""

_NUMBER = re.compile(r"\d{1,12}")
_BETWEEN = re.compile(r"[\s,x×*]+")


class FieldError(ValueError):
    """What a field holds does not fit; the message is a sentence for people."""


def parse_shape(text: str) -> tuple[int, ...]:
    """Reads sizes like ``2, 3``, ``2x3`` or ``(2, 3)``; nothing is a single number.

    Raises:
        FieldError: If it is no shape, or one of too many elements.
    """
    inner = text.strip().strip("()[]").strip(" ,")
    parts = [part for part in _BETWEEN.split(inner) if part]
    if not all(_NUMBER.fullmatch(part) for part in parts):
        raise FieldError(_tr("A shape is sizes like 2×3; leave it empty for a single number."))
    shape = tuple(int(part) for part in parts)
    if math.prod(shape) > MOST_ELEMENTS:
        said = _tr("That is {0:,} elements; at most {1:,} can be made here.")
        raise FieldError(said.format(math.prod(shape), MOST_ELEMENTS))
    return shape


def parse_values(text: str, shape: tuple[int, ...]) -> tuple[float, ...]:
    """Reads numbers, with or without brackets, as many as the shape has elements.

    Raises:
        FieldError: If something is no number, or there are too many or too few.
    """
    parts = [part for part in re.split(r"[\s,;\[\]()]+", text) if part]
    values = tuple(_number(part) for part in parts)
    needed = math.prod(shape)
    if len(values) != needed:
        said = _tr("The shape has {0:,} elements, and {1:,} values are given.")
        raise FieldError(said.format(needed, len(values)))
    return values


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FieldError(_tr("{0} is not a number.").format(text[:40])) from None


def parse_literal(text: str) -> str:
    """Returns the text of a Python literal, stripped.

    Raises:
        FieldError: If it is none.
    """
    stripped = text.strip()
    try:
        ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        said = _tr("A Python literal is needed here, like 3, 'mean' or (1, 2).")
        raise FieldError(said) from None
    return stripped


def shape_text(shape: tuple[int, ...]) -> str:
    """Sizes as they are shown in a field."""
    return "×".join(map(str, shape))


def values_text(values: tuple[float, ...]) -> str:
    """Numbers as they are shown in a field."""
    return ", ".join(
        f"{value:g}" if value == float(f"{value:g}") else repr(value) for value in values
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
