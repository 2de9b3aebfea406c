"""Matching of search terms against texts and module paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradviz.model.search.terms import Term

EXACT, START, WORD, WITHIN = 4, 3, 2, 1


def quality_of(term: Term, text: str) -> int:
    """Score of a match: the whole text, its start, the start of a word, anywhere; else 0."""
    if term.pattern is not None:
        found = term.pattern.search(text)
        return 0 if found is None else _quality(text, found.start(), found.end() - found.start())
    plain = text.lower()
    places = _places(plain, term.text)
    return max((_quality(text, at, len(term.text)) for at in places), default=0)


def paths_with(term: Term, paths: Iterable[str]) -> dict[str, int]:
    """The module paths that match a term, with their scores.

    ``layers.3`` matches ``layers.3`` and everything below it, but not ``layers.30``. If no path
    has that name, the start of a name is enough, because the name may be typed only in part.
    """
    paths = list(paths)
    if term.pattern is not None:
        return {path: each for path in paths if (each := quality_of(term, path))}
    whole = {path: each for path in paths if (each := _named(path.lower(), term.text))}
    if whole:
        return whole
    return {path: WITHIN for path in paths if f".{term.text}" in f".{path.lower()}"}


def _named(path: str, name: str) -> int:
    if path == name:
        return EXACT
    if path.startswith(f"{name}."):
        return START
    return WORD if f".{name}." in f".{path}." else 0


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _quality(text: str, at: int, length: int) -> int:
    if at == 0:
        return EXACT if length == len(text) else START
    return WORD if _begins_word(text, at) else WITHIN


def _begins_word(text: str, at: int) -> bool:
    before, first = text[at - 1 : at], text[at : at + 1]
    if not before.isalnum() or (first.isupper() and not before.isupper()):
        return True
    return before.isdigit() != first.isdigit()
