"""Parses elements and explains which values a dtype cannot hold or has to round."""

from __future__ import annotations

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
from gradviz.viewer.inputs.fields.parsing import FieldError
from gradviz.viewer.translation import translate

_MOST = 40
"""Most characters of a typed element that a sentence repeats."""


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
    shown = text.strip()[:_MOST]
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
        return translate("Inputs", "{0}: use a decimal point, and no commas.").format(text[:_MOST])
    if text.casefold() in ("true", "false"):
        return translate("Inputs", "In Python, write {0}.").format(text.capitalize())
    if text.endswith("i") and _is_number(text[:-1] + "j"):
        return translate("Inputs", "In Python, write {0}.").format(text[:-1][:_MOST] + "j")
    if any(character.isdigit() for character in text) and _is_number(text.split("e")[0]):
        return translate(
            "Inputs", "{0} is larger than the largest float; write inf for infinity."
        ).format(text[:_MOST])
    return translate("Inputs", "{0} is not a number.").format(text[:_MOST])


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
