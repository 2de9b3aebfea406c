"""Parses what is typed into the form's fields; invalid text raises a readable error."""

from __future__ import annotations

import ast
import math
import re
import warnings

from gradviz.catalogue.language import format_count
from gradviz.viewer.translation import translate

MOST_ELEMENTS = 1 << 26
"""Largest number of elements of an input: 512 MiB in float64."""

MOST_DIMENSIONS = 32
MOST_LITERAL = 10_000
"""Largest number of characters of a Python literal."""

_WRAPPED = re.compile(r"(?:(?:torch\.)?Size)?\s*(?:\((.*)\)|\[(.*)\])", re.DOTALL)
_BETWEEN = re.compile(r"\s*[,x×X*]\s*|\s+")
_SIZE = re.compile(r"[0-9]{1,12}")
_WORD = re.compile(r"[^\W\d]\w*")


class FieldError(ValueError):
    """The content of a field is not valid; the message is a sentence for the user."""


def parse_shape(text: str) -> tuple[int, ...]:
    """Parse sizes like ``2×3``, ``2, 3``, ``[2, 3]`` or ``torch.Size([2, 3])``.

    An empty text, ``()`` and ``scalar`` mean a single number.

    Raises:
        FieldError: If the text is not a shape, or the shape has too many elements.
    """
    inner = _unwrapped(text.strip())
    if inner.casefold() in ("", "scalar", translate("Inputs", "scalar").casefold()):
        return ()
    # As in Python, the last size may be followed by a comma.
    parts = _BETWEEN.split(inner[:-1].rstrip() if inner.endswith(",") else inner)
    shape = tuple(_size(part, parts) for part in parts)
    if len(shape) > MOST_DIMENSIONS:
        raise FieldError(
            translate("Inputs", "A shape can have at most {0} dimensions here.").format(
                MOST_DIMENSIONS
            )
        )
    if math.prod(shape) > MOST_ELEMENTS:
        problem = translate("Inputs", "This shape has {0} elements; the limit is {1}.")
        raise FieldError(
            problem.format(format_count(math.prod(shape)), format_count(MOST_ELEMENTS))
        )
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
        raise FieldError(translate("Inputs", "A size is missing. Write a shape as 2×3."))
    if re.fullmatch(r"[-−][0-9]+", text):
        raise FieldError(
            translate("Inputs", "{0} is not a valid size. Sizes must be 0 or more.").format(
                text[:20]
            )
        )
    problem = translate("Inputs", "Write a shape as 2×3, or leave it empty for a single number.")
    raise FieldError(problem)


def parse_literal(text: str) -> str:
    """Check that a text is a Python literal and return it stripped.

    Raises:
        FieldError: If it is not a Python literal.
    """
    stripped = text.strip()
    if not stripped:
        raise FieldError(translate("Inputs", "Enter a Python literal, like 3, 'mean' or (1, 2)."))
    if len(stripped) > MOST_LITERAL:
        problem = translate("Inputs", "The literal is too long; the limit is {0} characters.")
        raise FieldError(problem.format(format_count(MOST_LITERAL)))
    try:
        with warnings.catch_warnings():
            # Warnings about invalid escape sequences do not concern the form.
            warnings.simplefilter("ignore")
            ast.literal_eval(stripped)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise FieldError(_why_no_literal(stripped)) from None
    return stripped


def _why_no_literal(text: str) -> str:
    if text.capitalize() in ("True", "False", "None"):
        return translate("Inputs", "In Python, write {0}.").format(text.capitalize())
    if _WORD.fullmatch(text):
        return translate("Inputs", "{0} is a name; a string needs quotes: '{0}'.").format(text[:40])
    return translate(
        "Inputs", "This is not a Python literal. Write a number, string, list, tuple or dict."
    )


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as text for a field; empty for a single number."""
    return "×".join(map(str, shape))
