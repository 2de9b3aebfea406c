"""Compares the facts of a text in the current language with those of the English one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from gradviz.catalogue.messages import say
from gradviz.catalogue.templates import MESSAGES
from gradviz.gallery.guide.facts import facts_in

WORDS = ("guide.verdict.match", "guide.verdict.mismatch", "shape.scalar")
"""Keys of the words that facts consist of; all others are numbers, names or sentences."""


def wrong_facts(
    english: str, translated: str, sentence: Callable[[str], str] | None = None
) -> list[str]:
    """What differs: facts that are not there, not the English ones, or not in the language.

    Args:
        english: The English text.
        translated: The text in the current language.
        sentence: Returns the text of a finding or diagnosis for its query.
    """
    words = {MESSAGES[key]: say(key) for key in WORDS}
    expected = [(fact.query, words.get(fact.text, fact.text)) for _, fact in facts_in(english)]
    if sentence is not None:
        expected = [
            (query, sentence(query) if "finding" in query or "diagnosis" in query else text)
            for query, text in expected
        ]
    # Each language has its own order of words.
    wanted = Counter(expected)
    found = Counter((fact.query, fact.text) for _, fact in facts_in(translated))
    differing = (*(wanted - found).elements(), *(found - wanted).elements())
    return [f"{query}: {text}" for query, text in differing]
