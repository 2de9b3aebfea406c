"""Reads what is typed into the form's fields; what does not fit gets a sentence."""

from __future__ import annotations

import ast
import math
import re
import warnings

from PySide6.QtCore import QCoreApplication

MOST_ELEMENTS = 1 << 26
"""Elements of an input: 512 MiB in float64."""

MOST_DIMENSIONS = 32
MOST_LITERAL = 10_000
"""Characters of a Python literal."""

_WRAPPED = re.compile(r"(?:(?:torch\.)?Size)?\s*(?:\((.*)\)|\[(.*)\])", re.DOTALL)
_BETWEEN = re.compile(r"\s*[,x×X*]\s*|\s+")
_SIZE = re.compile(r"[0-9]{1,12}")
_WORD = re.compile(r"[^\W\d]\w*")


class FieldError(ValueError):
    """What a field holds does not fit; the message is a sentence for people."""


def parse_shape(text: str) -> tuple[int, ...]:
    """Reads sizes like ``2×3``, ``2, 3``, ``[2, 3]`` or ``torch.Size([2, 3])``.

    Nothing, ``()`` and ``scalar`` are a single number.

    Raises:
        FieldError: If it is no shape, or one of too many elements.
    """
    inner = _unwrapped(text.strip())
    if inner.casefold() in ("", "scalar", _tr("scalar").casefold()):
        return ()
    # As in Python, one comma may stand behind the last size.
    parts = _BETWEEN.split(inner[:-1].rstrip() if inner.endswith(",") else inner)
    shape = tuple(_size(part, parts) for part in parts)
    if len(shape) > MOST_DIMENSIONS:
        raise FieldError(_tr("A shape has at most {0} sizes here.").format(MOST_DIMENSIONS))
    if math.prod(shape) > MOST_ELEMENTS:
        said = _tr("That is {0:,} elements; at most {1:,} can be made here.")
        raise FieldError(said.format(math.prod(shape), MOST_ELEMENTS))
    return shape


def _unwrapped(text: str) -> str:
    found = _WRAPPED.fullmatch(text)
    while found is not None:
        text = (found[1] or found[2] or "").strip()
        found = _WRAPPED.fullmatch(text)
    return text


def _size(text: str, parts: list[str]) -> int:
    if _SIZE.fullmatch(text):
        return int(text)
    if text == "" and len(parts) > 1:
        raise FieldError(_tr("A size is missing; a shape is sizes like 2×3."))
    if re.fullmatch(r"[-−][0-9]+", text):
        raise FieldError(_tr("{0} is no size: sizes are 0 or more.").format(text[:20]))
    said = _tr("A shape is sizes like 2×3; leave it empty for a single number.")
    raise FieldError(said)


def parse_literal(text: str) -> str:
    """Returns the text of a Python literal, stripped.

    Raises:
        FieldError: If it is none.
    """
    stripped = text.strip()
    if not stripped:
        raise FieldError(_tr("A Python literal is needed here, like 3, 'mean' or (1, 2)."))
    if len(stripped) > MOST_LITERAL:
        said = _tr("That is longer than the {0:,} characters that can be typed here.")
        raise FieldError(said.format(MOST_LITERAL))
    try:
        with warnings.catch_warnings():
            # An escape that means nothing is a matter between Python and its user.
            warnings.simplefilter("ignore")
            ast.literal_eval(stripped)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise FieldError(_why_no_literal(stripped)) from None
    return stripped


def _why_no_literal(text: str) -> str:
    if text.capitalize() in ("True", "False", "None"):
        return _tr("Python writes {0}.").format(text.capitalize())
    if _WORD.fullmatch(text):
        return _tr("{0} is a name; a string needs quotes: '{0}'.").format(text[:40])
    return _tr("This is no Python literal: write a number, a string, or a list, tuple or dict.")


def shape_text(shape: tuple[int, ...]) -> str:
    """Sizes as they are shown in a field; empty for a single number."""
    return "×".join(map(str, shape))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
