"""The current language: its templates and its notation of numbers. Loads no sentences."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gradviz.resource import resource_path

_VARIABLE = "GRADVIZ_LANGUAGE"


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


def load_language(name: str, group_separator: str) -> None:
    """Speak a language with its templates from the resources, if there are any.

    Args:
        name: A code such as ``de``.
        group_separator: What separates the thousands of a number.
    """
    path = resource_path("translations") / f"messages_{name}.json"
    templates = json.loads(path.read_text("utf-8")) if path.exists() else {}
    use_language(name, templates, group_separator)


def language_variables() -> dict[str, str]:
    """Environment variables that tell the current language to a child process."""
    return {_VARIABLE: json.dumps([_current.name, _current.group_separator])}


def load_language_of(environment: Mapping[str, str]) -> None:
    """Speak the language of the process that set `language_variables`; otherwise keep it."""
    if _VARIABLE in environment:
        load_language(*json.loads(environment[_VARIABLE]))


def current_language() -> str:
    """The code of the current language."""
    return _current.name


def translated(key: str, english: str) -> str:
    """The current language's text for a key, or the English one."""
    return _current.templates.get(key, english)


def format_count(count: int) -> str:
    """A number in the language's notation, such as ``12,345``; not for elements of tensors."""
    return f"{count:,}".replace(",", _current.group_separator)
