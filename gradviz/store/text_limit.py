"""Limits on the texts of a trace, which user code or another program chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.codec import fields_with_type
from gradviz.model.console import ConsoleText
from gradviz.model.source import SourceFile
from gradviz.model.step import ErrorStep
from gradviz.model.trace import Outcome

T = TypeVar("T")

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
    """`cut_texts` with control characters escaped, except in source code."""

    def visible(kind: type, name: str, text: str) -> str:
        if kind is SourceFile:
            return _cut(kind, name, text)
        return cut_visible_text(text, max_characters(kind, name), lines=has_lines(kind, name))

    return cast(T, _with_texts(record, visible))


def cut_texts(record: T) -> T:
    """A record with all texts cut to their `max_characters`."""
    return cast(T, _with_texts(record, _cut))


def _cut(kind: type, name: str, text: str) -> str:
    return cut_text(text, max_characters(kind, name))


def _with_texts(value: Any, change: Callable[[type, str, str], str]) -> Any:
    """A record with each text changed, given the class and the name of the field that holds it."""
    kind: Any = type(value)

    def changed(name: str, held: Any) -> Any:
        if isinstance(held, str):
            return change(kind, name, held)
        if isinstance(held, tuple):
            return tuple([changed(name, each) for each in held])
        return _with_texts(held, change) if isinstance(held, Struct) else held

    names = fields_with_type(kind, str)
    return replace(value, **{name: changed(name, getattr(value, name)) for name in names})
