"""The current language: its templates and its notation of numbers.

The templates of a language are in ``resources/translations/messages_<language>.json``. English ones
are in `gradviz.catalogue.templates`, which is not imported here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from string import Formatter

from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.resource import resource_path

_VARIABLE = "GRADVIZ_LANGUAGE"
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables of the locale of messages; the first that is set counts. Source: POSIX."""
_NO_LANGUAGE = ("", "C", "POSIX")
_ENGLISH = "en"
_GENERAL = r"(?:\.(\d+))?g"
_USUAL_DIGITS = 6
"""Digits of the format ``g`` in Python."""
_WIDE_MARKS = frozenset("，。；：！？、（）“”《》")


class _Language:
    """The current language."""

    def __init__(self) -> None:
        self.name = _ENGLISH
        self.templates: Mapping[str, str] = {}


_current = _Language()


def use_language(name: str, templates: Mapping[str, str]) -> None:
    """Speak another language; English where it has no template.

    Args:
        name: A code such as ``de``.
        templates: The language's templates, with the keys and placeholders of
            `gradviz.catalogue.templates.MESSAGES`.
    """
    _current.name, _current.templates = name, templates


def load_language(name: str) -> None:
    """Speak a language with its templates from the resources, if there are any.

    Args:
        name: A code such as ``de``.
    """
    use_language(name, _templates_of(name))


def _templates_of(name: str) -> Mapping[str, str]:
    path = resource_path("translations") / f"messages_{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def language_name(name: str) -> str:
    """What a language calls itself, such as ``Deutsch``."""
    return _templates_of(name).get("language.name", "English")


def available_languages() -> tuple[str, ...]:
    """Codes of the languages that have templates, English first."""
    paths = resource_path("translations").glob("messages_*.json")
    return (_ENGLISH, *sorted(path.stem.removeprefix("messages_") for path in paths))


def choose_language(tags: Iterable[str]) -> str:
    """The first available language of a user's preferred ones; English if there is none.

    Args:
        tags: Names of languages or locales, such as ``de``, ``de-AT`` or ``de_DE.UTF-8``.
    """
    found = available_languages()
    codes = (re.split(r"[-_.@]", tag, maxsplit=1)[0] for tag in tags)
    return next((code for code in codes if code in found), _ENGLISH)


def locale_language(environment: Mapping[str, str]) -> str:
    """The language for the command line, from the environment variables of the locale.

    As in gettext, LANGUAGE lists preferred languages, and is ignored in the C locale.
    """
    locale = next((environment[name] for name in _LOCALE if environment.get(name)), "")
    if locale.partition(".")[0] in _NO_LANGUAGE:
        return _ENGLISH
    return choose_language([*environment.get("LANGUAGE", "").split(":"), locale])


def language_variables() -> dict[str, str]:
    """Environment variables that tell the current language to a child process."""
    return {_VARIABLE: _current.name}


def load_language_of(environment: Mapping[str, str]) -> None:
    """Speak the language of the process that set `language_variables`; otherwise keep it."""
    if _VARIABLE in environment:
        load_language(environment[_VARIABLE])


def current_language() -> str:
    """The code of the current language."""
    return _current.name


def translated(key: str, english: str) -> str:
    """The current language's text for a key, or the English one."""
    return _current.templates.get(key, english)


def format_count(count: int) -> str:
    """A number in the language's notation, such as ``12,345``; not for elements of tensors."""
    return f"{count:,}".replace(",", translated("language.group_separator", ","))


def percent_text(number: str) -> str:
    """A percentage in the notation of the language, such as ``50%``."""
    return number + translated("language.percent", "%")


class _Number(float):
    """A float whose format ``.3g`` is that of `number_text`."""

    def __format__(self, spec: str) -> str:
        digits = re.fullmatch(_GENERAL, spec)
        if digits is None:
            return super().__format__(spec)
        # Templates with floats tell what was measured.
        return number_text(without_noise(self), int(digits[1] or _USUAL_DIGITS))


def fill_template(template: str, values: Mapping[str, object]) -> str:
    """Fill in a template, with the spaces around values that the language needs.

    A float in a template, such as ``{error:.3g}``, is written as by `number_text`.

    Raises:
        KeyError: If a value is missing.
    """
    values = {
        name: _Number(each) if isinstance(each, float) else each for name, each in values.items()
    }
    if translated("language.full_stop", ".") in _WIDE_MARKS:
        return _filled_widely(template, values)
    return template.format(**values)


def _filled_widely(template: str, values: Mapping[str, object]) -> str:
    """Fill in a template, with a space beside a value only where Chinese meets Latin text.

    A template has a space beside each placeholder, as most values are Latin names. There is none
    between two Chinese characters, nor beside a full-width mark. Only spaces of the template that
    are next to a value are removed.
    """
    text, is_spaced = "", False
    for literal, field in _pieces(template):
        # A literal that begins with a space comes after a value.
        text = _joined(text, literal) if text and literal[:1] == " " else text + literal
        is_spaced = literal[-1:] == " "
        if field:
            value = field.format(**values)
            text = _joined(text[:-1], f" {value}") if is_spaced else text + value
    return text


@cache
def _pieces(template: str) -> tuple[tuple[str, str], ...]:
    """Split a template into literal texts, each with the placeholder after it."""
    found = []
    for literal, name, spec, conversion in Formatter().parse(template):
        change = f"!{conversion}" if conversion else ""
        field = "" if name is None else f"{{{name}{change}{f':{spec}' if spec else ''}}}"
        found.append((literal, field))
    return tuple(found)


def _joined(left: str, right: str) -> str:
    """Join two texts, and drop the leading space of the second if the language needs none."""
    between = left[-1:], right[1:2]
    return left + (right[1:] if all(between) and _needs_no_space(*between) else right)


def _needs_no_space(before: str, after: str) -> bool:
    if before in _WIDE_MARKS or after in _WIDE_MARKS:
        return True
    return _is_chinese(before) and _is_chinese(after)


def _is_chinese(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"
