"""The current language: its templates and its notation of numbers. Loads no sentences."""

from __future__ import annotations

from collections.abc import Mapping


class _Language:
    """Current language; the viewer changes it once, before the first sentence."""

    def __init__(self) -> None:
        self.name, self.group_separator = "en", ","
        self.templates: Mapping[str, str] = {}


_current = _Language()


def use_language(name: str, templates: Mapping[str, str], group_separator: str) -> None:
    """Speak another language; English where it has no template.

    Args:
        name: A code such as ``de``.
        templates: The language's templates, with the keys and placeholders of
            `gradviz.catalogue.messages.MESSAGES`.
        group_separator: What separates the thousands of a number.
    """
    _current.name, _current.group_separator = name, group_separator
    _current.templates = templates


def current_language() -> str:
    """The code of the current language."""
    return _current.name


def translated(key: str, english: str) -> str:
    """The current language's text for a key, or the English one."""
    return _current.templates.get(key, english)


def format_count(count: int) -> str:
    """A number in the language's notation, such as ``12,345``; not for elements of tensors."""
    return f"{count:,}".replace(",", _current.group_separator)
