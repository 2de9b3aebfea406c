"""Search for nodes and steps of a trace, best first, each with the reason for the match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import get_args

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.search.hits import (
    MatchCause,
    MatchReason,
    SearchHit,
    SearchResult,
    TermMatches,
    keep_best_match,
)
from gradviz.analysis.search.query import Query, Term
from gradviz.analysis.search.search_index import IndexedField, SearchIndex
from gradviz.analysis.search.tensor_uses import UseNumbers
from gradviz.analysis.search.value_scan import NonFiniteCounts, ValueScan, no_values
from gradviz.model.tensor import TensorValues

EXACT, START, WORD, WITHIN = 4, 3, 2, 1


def match_quality(term: Term, text: str) -> int:
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
        return {path: each for path in paths if (each := match_quality(term, path))}
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


_WEIGHTS: dict[IndexedField, int] = {
    "name": 8,
    "function": 7,
    "op": 5,
    "module": 4,
    "class": 4,
    "problem": 2,
}
_VALUE_SCORE, _TENSOR_WEIGHT, _FACT_SCORE = 20, 3, 4
_LEAF = "AccumulateGrad"
_NOT_FINITE = ("nan", "inf")


def search_trace(
    index: TraceIndex,
    search_index: SearchIndex,
    query: Query,
    *,
    values: TensorValues = no_values,
    cancelled: Callable[[], bool] = bool,
    report: Callable[[int, int], None] | None = None,
) -> SearchResult:
    """Find all things that match every term.

    Terms about tensors (shape, dtype, device and contents) must all match the same tensor.

    Args:
        index: The trace.
        search_index: The trace's search index, from `build_search_index`.
        query: The query, from `read_query`.
        values: Reads elements of tensors whose statistics are not in the index.
        cancelled: Called regularly while values are read; True stops the search.
        report: Called with the number of tensors examined so far and their total.
    """
    if not query.terms:
        return SearchResult()
    scan = ValueScan(index, values, cancelled, report)
    return _TraceSearch(search_index, scan).run(query.terms)


class _TraceSearch:
    def __init__(self, search_index: SearchIndex, scan: ValueScan) -> None:
        self._search_index = search_index
        self._scan = scan

    def run(self, terms: tuple[Term, ...]) -> SearchResult:
        of_tensors = [term for term in terms if _is_about_tensors(term)]
        others = [term for term in terms if not _is_about_tensors(term)]
        # Reading values is slow: do it last, and only for what the other terms have left.
        others.sort(key=lambda term: term.text in _NOT_FINITE)
        matches: list[TermMatches] = []
        left: set[int] | None = None
        for term in others:
            matches.append(self._of_things(term, left))
            left = _both(left, matches[-1])
        if of_tensors:
            matches += self._of_tensors(of_tensors, left)
            left = _both(left, matches[-1])
        hits = [self._hit(at, [each[at] for each in matches]) for at in left or ()]
        hits.sort(key=lambda hit: (-hit.score, hit.step, hit.node or 0))
        scan = self._scan
        return SearchResult(hits=tuple(hits), unknown=len(scan.unknown), stopped=scan.stopped)

    def _hit(self, at: int, matches: list[tuple[int, MatchCause]]) -> SearchHit:
        entry = self._search_index.things[at]
        causes = tuple([cause for _, cause in matches])
        steps = [self._step_of(cause) for cause in causes]
        return SearchHit(
            node=entry.node,
            step=next((step for step in steps if step), entry.step),
            score=sum([score for score, _ in matches]),
            causes=causes,
        )

    def _step_of(self, cause: MatchCause) -> int:
        return cause.step or (
            0 if cause.use is None else int(self._search_index.uses.steps[cause.use])
        )

    def _of_things(self, term: Term, left: set[int] | None) -> TermMatches:
        matches: TermMatches = {}
        match term.field:
            case "name":
                self._match_texts(term, ("name", "function", "op"), matches)
            case "module":
                self._match_texts(term, ("module", "class"), matches)
            case "kind":
                self._match_kind(term, matches)
            case "step":
                self._match_step(term, matches)
            case "has":
                for at, (problem, number) in self._search_index.problems.items():
                    cause = MatchCause(why="problem", text=problem, step=number)
                    matches[at] = (_VALUE_SCORE, cause)
            case _:
                self._match_word(term, left, matches)
        return matches

    def _match_word(self, term: Term, left: set[int] | None, matches: TermMatches) -> None:
        self._match_texts(term, get_args(IndexedField), matches)
        uses = self._search_index.uses
        named = uses.names.scores(lambda name: _TENSOR_WEIGHT * match_quality(term, name))
        self._offer_uses(matches, named, "tensor")
        same = _scoring(lambda word: word == term.text)
        self._offer_uses(matches, uses.dtypes.scores(same), "dtype")
        self._offer_uses(matches, uses.devices.scores(same), "device")
        if term.sizes is not None:
            fitting = uses.shapes.scores(_scoring(term.sizes.fullmatch))
            self._offer_uses(matches, fitting, "shape")
        self._match_kind(term, matches)
        if term.text in _NOT_FINITE:
            places = self._of_left(np.arange(len(uses.things)), left)
            for use, found in self._not_finite(places, term.text):
                cause = MatchCause(why="value", text=term.text, use=use, found=found)
                keep_best_match(matches, int(uses.things[use]), _VALUE_SCORE, cause)

    def _match_texts(
        self, term: Term, fields: tuple[IndexedField, ...], matches: TermMatches
    ) -> None:
        for field in fields:
            texts = self._search_index.texts[field]
            fits = {text: match_quality(term, text) for text in texts}
            if field == "module" and term.field == "module":
                fits = paths_with(term, texts)
            for text, quality in fits.items():
                if quality == WITHIN and text == _LEAF:
                    # A search for "mul" does not mean AccumulateGrad.
                    continue
                cause = MatchCause(why="text", text=text, field=field)
                for at in texts[text] if quality else ():
                    keep_best_match(matches, at, quality * _WEIGHTS[field], cause)

    def _match_kind(self, term: Term, matches: TermMatches) -> None:
        for kind, places in self._search_index.kinds.items():
            if kind == term.text:
                cause = MatchCause(why="kind", text=kind)
                for at in places:
                    keep_best_match(matches, at, _FACT_SCORE, cause)

    def _match_step(self, term: Term, matches: TermMatches) -> None:
        for number in range(term.first, min(term.last, len(self._search_index.steps)) + 1):
            at = self._search_index.steps[number - 1]
            keep_best_match(matches, at, _FACT_SCORE, MatchCause(why="step", step=number))

    def _of_tensors(self, terms: list[Term], left: set[int] | None) -> list[TermMatches]:
        """Matches of each term; for one thing, all refer to the same use of a tensor."""
        places = self._of_left(self._fitting(terms), left)
        values: dict[str, dict[int, NonFiniteCounts]] = {}
        for term in terms:
            if term.text in _NOT_FINITE:
                values[term.text] = dict(self._not_finite(places, term.text))
                places = np.array([use for use in places if use in values[term.text]], np.int64)
        return [self._matches_at(self._first_of_each(places), term, values) for term in terms]

    def _matches_at(
        self, places: dict[int, int], term: Term, values: dict[str, dict[int, NonFiniteCounts]]
    ) -> TermMatches:
        if term.field == "has" and term.text in values:
            found = values[term.text]
            return {
                at: (
                    _VALUE_SCORE,
                    MatchCause(why="value", text=term.text, use=use, found=found[use]),
                )
                for at, use in places.items()
            }
        why: MatchReason = term.field if term.field in ("shape", "dtype", "device") else "saved"
        return {at: (_FACT_SCORE, MatchCause(why=why, use=use)) for at, use in places.items()}

    def _fitting(self, terms: list[Term]) -> UseNumbers:
        """The uses of tensors that match every term, except for terms about values."""
        uses = self._search_index.uses
        columns = {"shape": uses.shapes, "dtype": uses.dtypes, "device": uses.devices}
        fits = np.ones(len(uses.things), np.bool_)
        for term in terms:
            if term.pattern is not None:
                fits &= columns[term.field].scores(_scoring(term.pattern.fullmatch)) > 0
            elif term.text == "saved":
                fits &= np.array([role == "saved" for role in uses.roles], np.bool_)
        return np.flatnonzero(fits)

    def _of_left(self, places: UseNumbers, left: set[int] | None) -> UseNumbers:
        if left is None:
            return places
        wanted = np.zeros(len(self._search_index.things), np.bool_)
        wanted[list(left)] = True
        return places[wanted[self._search_index.uses.things[places]]]

    def _first_of_each(self, places: UseNumbers) -> dict[int, int]:
        """For each thing, the first of the given uses in the order of the run."""
        places = places[np.argsort(self._search_index.uses.steps[places], kind="stable")]
        things, first = np.unique(self._search_index.uses.things[places], return_index=True)
        return dict(zip(things.tolist(), places[first].tolist(), strict=True))

    def _not_finite(self, places: UseNumbers, what: str) -> Iterator[tuple[int, NonFiniteCounts]]:
        tensors = self._search_index.uses.tensors[places].tolist()
        known = self._scan.look(tensors)
        for use, tensor in zip(places.tolist(), tensors, strict=True):
            found = known.get(tensor)
            if found is not None and (found.nans if what == "nan" else found.infinities):
                yield use, found

    def _offer_uses(self, matches: TermMatches, scores: UseNumbers, why: MatchReason) -> None:
        """Offer the use with the highest score for each thing."""
        places = np.flatnonzero(scores)
        # Best first, because `unique` keeps the first use of each thing.
        places = places[np.argsort(-scores[places], kind="stable")]
        things, first = np.unique(self._search_index.uses.things[places], return_index=True)
        for at, use in zip(things.tolist(), places[first].tolist(), strict=True):
            score = int(scores[use])
            if at not in matches or matches[at][0] < score:
                keep_best_match(matches, at, score, MatchCause(why=why, use=use))


def _scoring(fits: Callable[[str], object]) -> Callable[[str], int]:
    return lambda word: _FACT_SCORE if fits(word) else 0


def _is_about_tensors(term: Term) -> bool:
    return term.field in ("shape", "dtype", "device") or (
        term.field == "has" and term.text != "problem"
    )


def _both(left: set[int] | None, matches: TermMatches) -> set[int]:
    return set(matches) if left is None else left & matches.keys()
