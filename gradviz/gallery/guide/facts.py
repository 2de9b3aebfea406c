"""Facts in the text of a page: what they are, where they stand, and how new texts are filled in."""

from __future__ import annotations

import re
from collections.abc import Callable

from gradviz.gallery.guide.page import Fact, Literally, Words

FACT = r"\{\{(?!\{)((?:(?!\{\{).)*?)\\?\|([^{}|]*)\}\}"
"""Text and query of a fact; in the text there may be bars, in the query not.

The bar may have a backslash before it, as other readers of Markdown want it in tables.
"""

_FACT = re.compile(FACT, re.DOTALL)


_SCENE = re.compile(r"([a-z-]+):\s*(.*)", re.DOTALL)


def asked_of(query: str, page: str) -> tuple[str, str]:
    """Which scene a query is asked of, and what; without a scene it is the one of the page."""
    named = _SCENE.fullmatch(query)
    return (page, query) if named is None else (named[1], named[2])


def split_at_facts(text: str) -> tuple[Literally, ...]:
    """Text without markup, and the facts in it."""
    parts: list[Literally] = []
    at = 0
    for match in _FACT.finditer(text):
        if match.start() > at:
            parts.append(Words(text=text[at : match.start()]))
        parts.append(Fact(text=match[1], query=match[2].strip()))
        at = match.end()
    if at < len(text):
        parts.append(Words(text=text[at:]))
    return tuple(parts)


def facts_in(text: str) -> tuple[tuple[int, Fact], ...]:
    """Every fact of a text, with the line on which it begins, from 1."""
    return tuple(
        (text.count("\n", 0, match.start()) + 1, Fact(text=match[1], query=match[2].strip()))
        for match in _FACT.finditer(text)
    )


def filled(text: str, answer: Callable[[str], str]) -> str:
    """The text with each fact's text as its query is answered; all else stays as it was.

    Args:
        text: Of a page.
        answer: From a query to the text of the fact.
    """

    def fact(match: re.Match[str]) -> str:
        bar = text[match.end(1) : match.start(2)]
        return f"{{{{{answer(match[2].strip())}{bar}{match[2]}}}}}"

    return _FACT.sub(fact, text)
