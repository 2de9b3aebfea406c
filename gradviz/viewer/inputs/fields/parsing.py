"""Parses what is typed into the form's fields; invalid text raises a readable error."""

from __future__ import annotations

import ast
import math
import re
import warnings
from functools import lru_cache

from gradviz.catalogue.language import format_count
from gradviz.model.element_encoding import (
    INTEGER_RANGES,
    MisfitReason,
    UnrepresentableNumberError,
    element_as_stored,
    is_exact,
    read_number,
    shortest_text,
)
from gradviz.model.inputs import Number
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.translation import translate

MOST_ELEMENTS = 1 << 26
"""Largest number of elements of an input: 512 MiB in float64."""

MOST_DIMENSIONS = 32
MOST_LITERAL = 10_000
"""Largest number of characters of a Python literal."""

_MOST_SHOWN = 40
"""Most characters of a typed element that a sentence repeats."""

_WRAPPED = re.compile(r"(?:(?:torch\.)?Size)?\s*(?:\((.*)\)|\[(.*)\])", re.DOTALL)
_BETWEEN = re.compile(r"\s*[,x×X*]\s*|\s+")
_SIZE = re.compile(r"[0-9]{1,12}")
_WORD = re.compile(r"[^\W\d]\w*")


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


@lru_cache(maxsize=16384)
def parse_element(text: str, dtype: str) -> tuple[Number, str]:
    """Parse one element of a dtype.

    Returns:
        The number as typed, and a sentence if the dtype rounds it, or an empty text.

    Raises:
        FieldError: If the text is not a number, or the dtype cannot hold it.
    """
    try:
        number = read_number(text)
    except ValueError:
        raise FieldError(_why_no_number(text.strip())) from None
    shown = text.strip()[:_MOST_SHOWN]
    try:
        if is_exact(number, dtype):
            return number, ""
        element = element_as_stored(number, dtype)
    except UnrepresentableNumberError as error:
        raise FieldError(_why_no_element(error.reason, shown, dtype)) from None
    # All digits, because in a narrower dtype the shortest text could equal what was typed.
    wide = "complex128" if isinstance(element, complex) else "float64"
    template = translate("Inputs", "{0} is stored as {1} in {2}.")
    return number, template.format(shown, shortest_text(element, wide), dtype)


def _why_no_number(text: str) -> str:
    if not text:
        return translate("Inputs", "Enter a number.")
    if "," in text and _is_number(text.replace(",", "")):
        return translate("Inputs", "{0}: use a decimal point, and no commas.").format(
            text[:_MOST_SHOWN]
        )
    if text.casefold() in ("true", "false"):
        return translate("Inputs", "In Python, write {0}.").format(text.capitalize())
    if text.endswith("i") and _is_number(text[:-1] + "j"):
        return translate("Inputs", "In Python, write {0}.").format(text[:-1][:_MOST_SHOWN] + "j")
    if any(character.isdigit() for character in text) and _is_number(text.split("e")[0]):
        return translate(
            "Inputs", "{0} is larger than the largest float; write inf for infinity."
        ).format(text[:_MOST_SHOWN])
    return translate("Inputs", "{0} is not a number.").format(text[:_MOST_SHOWN])


def _is_number(text: str) -> bool:
    try:
        read_number(text)
    except ValueError:
        return False
    return True


def _why_no_element(reason: MisfitReason, shown: str, dtype: str) -> str:
    match reason:
        case "fraction":
            return translate("Inputs", "{0} has a fraction, but {1} holds only integers.").format(
                shown, dtype
            )
        case "not finite":
            return translate("Inputs", "{0} cannot hold {1}.").format(dtype, shown)
        case "complex":
            return translate("Inputs", "{0} is complex, but {1} holds only real numbers.").format(
                shown, dtype
            )
        case "bool":
            return translate("Inputs", "{0} is neither True nor False.").format(shown)
        case "range" if dtype in INTEGER_RANGES:
            template = translate("Inputs", "{0} does not fit in {1}, whose range is {2} to {3}.")
            return template.format(shown, dtype, *map(format_count, INTEGER_RANGES[dtype]))
        case "range":
            return translate("Inputs", "{0} does not fit in {1}.").format(shown, dtype)
