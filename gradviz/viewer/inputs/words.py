"""The form's sentences on elements: what a dtype cannot hold, and what it rounds."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from gradviz.model.elements import (
    INTEGER_RANGES,
    Misfit,
    MisfitError,
    is_exact,
    read_number,
    shortest_text,
    stored,
)
from gradviz.model.inputs import Number
from gradviz.viewer.inputs.parse import FieldError

_MOST = 40
"""Characters of a typed element that a sentence repeats."""


@lru_cache(maxsize=16384)
def parse_element(text: str, dtype: str) -> tuple[Number, str]:
    """Reads one element of a dtype.

    Returns:
        The number as it was typed, and a sentence if the dtype stores another one, else nothing.

    Raises:
        FieldError: If it is no number, or the dtype has nothing near it.
    """
    try:
        number = read_number(text)
    except ValueError:
        raise FieldError(_why_no_number(text.strip())) from None
    shown = text.strip()[:_MOST]
    try:
        if is_exact(number, dtype):
            return number, ""
        element = stored(number, dtype)
    except MisfitError as error:
        raise FieldError(_why_no_element(error.reason, shown, dtype)) from None
    # In full: the digits that would do in a narrower dtype are those that were typed.
    wide = "complex128" if isinstance(element, complex) else "float64"
    said = _tr("{0} is stored as {1} in {2}.")
    return number, said.format(shown, shortest_text(element, wide), dtype)


def _why_no_number(text: str) -> str:
    if not text:
        return _tr("A number is missing.")
    if "," in text and _is_number(text.replace(",", "")):
        return _tr("{0}: write a point before the fraction, and no commas.").format(text[:_MOST])
    if text.casefold() in ("true", "false"):
        return _tr("Python writes {0}.").format(text.capitalize())
    if text.endswith("i") and _is_number(text[:-1] + "j"):
        return _tr("Python writes {0}.").format(text[:-1][:_MOST] + "j")
    if any(character.isdigit() for character in text) and _is_number(text.split("e")[0]):
        return _tr("{0} is beyond the largest float; write inf if you mean it.").format(
            text[:_MOST]
        )
    return _tr("{0} is not a number.").format(text[:_MOST])


def _is_number(text: str) -> bool:
    try:
        read_number(text)
    except ValueError:
        return False
    return True


def _why_no_element(reason: Misfit, shown: str, dtype: str) -> str:
    match reason:
        case "fraction":
            return _tr("{0} has a fraction; {1} holds whole numbers.").format(shown, dtype)
        case "not finite":
            return _tr("{0} has no {1}.").format(dtype, shown)
        case "complex":
            return _tr("{0} is complex; {1} holds real numbers.").format(shown, dtype)
        case "bool":
            return _tr("{0} is neither True nor False.").format(shown)
        case "range" if dtype in INTEGER_RANGES:
            said = _tr("{0} does not fit {1}, which goes from {2:,} to {3:,}.")
            return said.format(shown, dtype, *INTEGER_RANGES[dtype])
        case "range":
            return _tr("{0} does not fit {1}.").format(shown, dtype)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
