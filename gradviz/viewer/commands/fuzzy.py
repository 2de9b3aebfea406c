"""Scores how well a query matches the name of a command."""

from __future__ import annotations

WHOLE, START, WORD, INITIALS, WITHIN, LETTERS = 120, 100, 80, 70, 50, 20


def fit(query: str, text: str) -> int:
    """Return a score that is higher for a better match, or 0 unless every word matches.

    A word matches as the start of a word, as initials (``fn`` for Find Next), as any substring, or
    as letters in that order from the start of some word.
    """
    lower = text.lower()
    scores = [_fit(word, lower) for word in query.lower().split()]
    return min(scores) + sum(scores) if scores and all(scores) else 0


def _fit(word: str, text: str) -> int:
    words = text.split()
    if word == text:
        return WHOLE
    if text.startswith(word):
        return START
    if any(each.startswith(word) for each in words):
        return WORD
    if word in "".join(each[0] for each in words):
        return INITIALS
    if word in text:
        return WITHIN
    tails = (" ".join(words[at:]) for at in range(len(words)))
    return LETTERS if any(tail[0] == word[0] and _in_order(word, tail) for tail in tails) else 0


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)
