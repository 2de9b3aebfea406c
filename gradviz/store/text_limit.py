"""Limits on the texts of a trace, which user code or another program chose."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.console import ConsoleText
from gradviz.model.source import SourceFile
from gradviz.model.step import ErrorStep
from gradviz.model.trace import Outcome

T = TypeVar("T", bound=Any)

MOST_CHARACTERS = 10_000
_MOST_LONG = 1 << 20
_LONG_FIELDS = {(SourceFile, "text"), (ConsoleText, "text")}
"""Texts that are shown line by line."""


_EXCEPTIONS = {(ErrorStep, "message"), (Outcome, "message")}


def max_characters(kind: type, field: str) -> int:
    """Maximum number of characters in a text field of a record."""
    return _MOST_LONG if (kind, field) in _LONG_FIELDS else MOST_CHARACTERS


def has_lines(kind: type, field: str) -> bool:
    """Whether a text field may have several lines: messages of exceptions, sources and output."""
    return (kind, field) in _LONG_FIELDS | _EXCEPTIONS


def cut_text(text: str, most: int) -> str:
    """A text of at most ``most`` characters; a longer one ends with its original length."""
    if len(text) <= most:
        return text
    note = say("trace.cut_text", count=format_count(len(text)))
    return text[: most - len(note)] + note


def cut_visible_text(text: str, most: int, *, lines: bool = True) -> str:
    """`visible_text` of at most ``most`` characters, escapes included, to be shown.

    A longer text ends with its original length.

    Args:
        text: Any text from outside.
        most: Maximum length; one character may become ten.
        lines: Whether line breaks and tabs stay.
    """
    shown = visible_text(text[: most + 1], lines=lines)
    if len(shown) <= most:
        return shown
    note = say("trace.cut_text", count=format_count(len(text)))
    return shown[: most - len(note)] + note


def visible_texts(record: T) -> T:
    """`cut_texts` with control characters escaped."""
    texts = {
        field.name: cut_visible_text(
            text, MOST_CHARACTERS, lines=has_lines(type(record), field.name)
        )
        for field in fields(record)
        if isinstance(text := getattr(record, field.name), str)
    }
    return replace(record, **texts)


def cut_texts(record: T) -> T:
    """A frozen record with each text field cut to `MOST_CHARACTERS`."""
    texts = {field.name: getattr(record, field.name) for field in fields(record)}
    long = {
        name: cut_text(text, MOST_CHARACTERS)
        for name, text in texts.items()
        if isinstance(text, str) and len(text) > MOST_CHARACTERS
    }
    return replace(record, **long) if long else record
