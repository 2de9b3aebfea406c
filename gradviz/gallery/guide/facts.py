"""Facts in the text of a page: parsing them, finding them and filling in new values."""

from __future__ import annotations

import re
from collections.abc import Callable

from gradviz.catalogue.messages import say
from gradviz.gallery.guide.page import LiteralSpan, PlainWords, RunFact

FACT = r"\{\{(?!\{)((?:(?!\{\{).)*?)\\?\|([^{}|]*)\}\}"
"""Pattern of a fact: text, bar and query; the text may contain bars, the query may not.

The bar may follow a backslash, as other Markdown readers require in tables.
"""

_FACT = re.compile(FACT, re.DOTALL)


_SCENE = re.compile(r"([a-z-]+):\s*(.*)", re.DOTALL)


def parse_query(query: str, page: str) -> tuple[str, str]:
    """Split a query into scene and question; without a scene, it is about the page's own."""
    named = _SCENE.fullmatch(query)
    return (page, query) if named is None else (named[1], named[2])


def fact_source(page: str, fact: RunFact) -> str:
    """Say which scene a value was recorded from.

    Args:
        page: Name of the page that contains the value.
        fact: The value.
    """
    scene, query = parse_query(fact.query, page)
    return say("guide.fact", text=fact.text, scene=scene, query=query)


_HELD = re.compile("\ue000([0-9]+)\ue001")
"""Stands for a fact in text that is parsed as Markdown, where its bar and braces would count."""


def hold_facts(text: str) -> tuple[str, tuple[RunFact, ...]]:
    """Replace each fact by a placeholder without markup; `split_at_held` puts them back."""
    facts: list[RunFact] = []

    def hold(match: re.Match[str]) -> str:
        facts.append(RunFact(text=match[1], query=match[2].strip()))
        return f"\ue000{len(facts) - 1}\ue001"

    return _FACT.sub(hold, text), tuple(facts)


def split_at_held(text: str, facts: tuple[RunFact, ...]) -> tuple[LiteralSpan, ...]:
    """Split text without markup into words and the facts that `hold_facts` took out."""
    parts: list[LiteralSpan] = []
    at = 0
    for match in _HELD.finditer(text):
        if int(match[1]) >= len(facts):
            continue
        if match.start() > at:
            parts.append(PlainWords(text=text[at : match.start()]))
        parts.append(facts[int(match[1])])
        at = match.end()
    if at < len(text):
        parts.append(PlainWords(text=text[at:]))
    return tuple(parts)


def facts_in(text: str) -> tuple[tuple[int, RunFact], ...]:
    """Find every fact of a text, with the line where it begins, from 1."""
    return tuple(
        (text.count("\n", 0, match.start()) + 1, RunFact(text=match[1], query=match[2].strip()))
        for match in _FACT.finditer(text)
    )


def fill_facts(text: str, answer: Callable[[str], str]) -> str:
    """Replace the text of each fact by the answer to its query.

    Args:
        text: Text of a page; everything else in it is kept.
        answer: Returns the text of a fact for its query.
    """

    def fact(match: re.Match[str]) -> str:
        bar = text[match.end(1) : match.start(2)]
        return f"{{{{{answer(match[2].strip())}{bar}{match[2]}}}}}"

    return _FACT.sub(fact, text)
