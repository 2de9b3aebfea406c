"""Sentences of the catalog, looked up by key and filled in with values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from gradviz.catalogue.language import fill_template, format_count, translated
from gradviz.catalogue.recording_messages import MESSAGES_RECORDING
from gradviz.catalogue.visible_text import visible_text
from gradviz.late_import import import_in_thread

ListKind = Literal["list", "clause", "or"]


@cache
def _templates() -> Mapping[str, str]:
    # Most recordings say nothing, and to import all templates takes as long as to record a step.
    import_in_thread("gradviz.catalogue.templates")
    from gradviz.catalogue.templates import MESSAGES

    return MESSAGES


def _english(key: str) -> str:
    """The English template of a key.

    Those about recordings are imported with this module: a run that has used up its files, or its
    stack, cannot import the others, and they tell so.
    """
    found = MESSAGES_RECORDING.get(key)
    return _templates()[key] if found is None else found


def say(key: str, **values: object) -> str:
    """The template of a key, filled in with values, whose control characters are escaped.

    So a value has no line breaks; those of the template stay.

    Raises:
        KeyError: If there is no such template, or a value for it is missing.
    """
    template = translated(key, _english(key))
    text = fill_template(template, values)
    return text if text.isprintable() else fill_template(template, _visible(values))


def _visible(values: Mapping[str, object]) -> dict[str, object]:
    return {
        name: value if isinstance(value, int | float) else visible_text(str(value))
        for name, value in values.items()
    }


def say_count(key: str, count: int, **values: object) -> str:
    """The template ``<key>.one`` or ``<key>.more``, whichever suits a count, filled in."""
    form = "one" if count == 1 else "more"
    return say(f"{key}.{form}", count=format_count(count), **values)


def say_list(phrases: Sequence[str], kind: ListKind = "list") -> str:
    """Phrases joined in words: ``a``, ``a and b``, ``a, b and c``; ``nothing`` if empty.

    With ``or`` as the kind, they are joined by that word instead; ``clause`` is for phrases with a
    verb, which some languages join in another way.
    """
    if not phrases:
        return say("forward.nothing")
    if len(phrases) == 1:
        return phrases[0]
    last = say(f"{kind}.two", first=phrases[-2], last=phrases[-1])
    return _say_rest([*phrases[:-2], last], kind)


def _say_rest(phrases: Sequence[str], kind: ListKind) -> str:
    """Join halves, because adding thousands of phrases one by one takes quadratic time."""
    if len(phrases) == 1:
        return phrases[0]
    half = len(phrases) // 2
    first, rest = _say_rest(phrases[:half], kind), _say_rest(phrases[half:], kind)
    return say(f"{kind}.more", first=first, rest=rest)
