"""Parsing of search queries: words, regular expressions and fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from gradviz.catalogue.messages import say

SearchField = Literal["any", "name", "module", "shape", "dtype", "device", "kind", "has", "step"]
SearchProperty = Literal["nan", "inf", "saved", "problem"]
SearchKind = Literal["custom", "builtin", "leaf", "error"]

_ALIASES: dict[str, SearchField] = {"op": "name", "node": "name", "size": "shape", "type": "dtype"}
_FIELDS: dict[str, SearchField] = {
    each: each for each in get_args(SearchField) if each != "any"
} | _ALIASES
_OTHER_WORDS = {
    "error": "problem",
    "finding": "problem",
    "accumulate": "leaf",
    "built-in": "builtin",
}

# Closing quotes and brackets may be missing, because a query is read while it is being typed.
# `::` ends no field name, so that an op such as `aten::mul` stays one word.
_TOKEN = re.compile(
    r"""(?:(?P<field>[A-Za-z]+):(?!:)\s*)?
    (?: "(?P<quoted>[^"]*)"?
      | /(?P<pattern>(?:[^/\\]|\\.)*)(?P<closed>/?)
      | (?P<bare>\([^)]*\)?|\[[^\]]*\]?|\S*) )""",
    re.VERBOSE,
)
# Nine digits are enough for any run, and int() raises ValueError for thousands of them.
_STEPS = re.compile(r"(\d{1,9})(?:(?:-|–|\.\.)(\d{1,9})?)?")
_SEPARATORS = re.compile(r"\s*[x×X,]\s*")
_SIZE_WORDS = {"*": r"x\d+", "...": r"(?:x\d+)*", "…": r"(?:x\d+)*"}
_REPEATED_GROUP = re.compile(r"\([^()]*[+*{|][^()]*\)[+*{]")
_MOST_REPEATS = 4


class QueryError(ValueError):
    """An invalid search query; the message is one sentence that says how to correct it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One condition that every result must meet.

    Attributes:
        field: Field to search in; ``any`` for a plain word.
        text: The typed text in lower case, without quotes and slashes.
        pattern: To find in a text (``any``, ``name``, ``module``), or to match a whole text
            (``dtype``, ``device``, and ``shape`` as written by `shape_key`); None for a word
            without wildcards.
        sizes: For a word that could be a shape, a pattern for `shape_key`; else None.
        first: First number of ``step``; else 0.
        last: Last number of ``step``; else 0.
    """

    field: SearchField
    text: str
    pattern: re.Pattern[str] | None = None
    sizes: re.Pattern[str] | None = None
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed search; every term must match, and a query without terms finds nothing."""

    terms: tuple[Term, ...]


def read_query(text: str) -> Query:
    """Parse a typed search query.

    Raises:
        QueryError: If the query is invalid.
    """
    return Query(terms=tuple(_terms(list(_tokens(text)))))


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if text[at].isspace() or found is None or found.end() == at:
            at += 1
            continue
        if found["field"] or found["pattern"] is not None or found["quoted"] or found["bare"]:
            yield found
        at = found.end()


def shape_key(shape: tuple[int, ...]) -> str:
    """A shape as text for the patterns of a `Term`: ``x2x3``; empty for a scalar."""
    return "".join(f"x{size}" for size in shape)


def _terms(tokens: list[re.Match[str]]) -> Iterator[Term]:
    at = 0
    while at < len(tokens):
        spoken = _spoken(tokens[at : at + 2])
        yield _term(tokens[at]) if spoken is None else spoken
        at += 1 if spoken is None else 2


def _spoken(tokens: list[re.Match[str]]) -> Term | None:
    """The term of phrases such as ``has NaN`` and ``step 12``; None for other words."""
    words = [(token["bare"] or "").lower() for token in tokens if token["field"] is None]
    match words:
        case ["has", ("nan" | "inf" | "saved" | "problem") as what]:
            return _having(what)
        case ["step", number] if number.isdecimal():
            return _step(number)
        case _:
            return None


def _term(token: re.Match[str]) -> Term:
    field = _field(token["field"])
    if token["pattern"] is not None:
        return _pattern_term(field, token["pattern"], closed=bool(token["closed"]))
    value = token["quoted"] if token["quoted"] is not None else token["bare"].strip()
    if not value:
        raise QueryError(say("search.needs_value", field=field, example=say(f"search.as.{field}")))
    if field == "shape":
        return _shape(value)
    if field == "has":
        return _having(value)
    if field == "kind":
        return Term(field=field, text=_one_of(value, get_args(SearchKind), "search.bad_kind"))
    if field == "step":
        return _step(value)
    if field in ("dtype", "device"):
        value = value.lower().removeprefix("torch.")
        return Term(field=field, text=value, pattern=_whole(f"{value}*"))
    if token["quoted"] is not None:
        return Term(field=field, text=value.lower())
    sizes = _sizes(value) if field == "any" else None
    wild = "*" in value
    return Term(
        field=field, text=value.lower(), pattern=_part(value) if wild else None, sizes=sizes
    )


def _field(name: str | None) -> SearchField:
    if name is None:
        return "any"
    found = _FIELDS.get(name.lower())
    if found is None:
        raise QueryError(say("search.unknown_field", field=name))
    return found


def _having(value: str) -> Term:
    return Term(field="has", text=_one_of(value, get_args(SearchProperty), "search.bad_has"))


def _one_of(value: str, known: tuple[str, ...], problem: str) -> str:
    """The known word that starts with the typed value; aliases count, too."""
    value = value.lower()
    for word in (*known, *_OTHER_WORDS):
        meant = _OTHER_WORDS.get(word, word)
        if word.startswith(value) and meant in known:
            return meant
    raise QueryError(say(problem, value=value))


def _step(value: str) -> Term:
    found = _STEPS.fullmatch(value)
    if found is None:
        raise QueryError(say("search.bad_step", value=value))
    first = int(found[1])
    last = int(found[2]) if found[2] else first
    return Term(field="step", text=value, first=min(first, last), last=max(first, last))


def _shape(value: str) -> Term:
    plain = value.lower()
    pattern = re.compile("") if plain in ("scalar", "()", "[]") else _sizes(plain, alone=True)
    if pattern is None:
        raise QueryError(say("search.bad_shape", value=value))
    return Term(field="shape", text=plain, pattern=pattern)


def _sizes(value: str, *, alone: bool = False) -> re.Pattern[str] | None:
    """Sizes as a pattern for `shape_key`: ``*`` is one size, ``...`` any number of sizes.

    Args:
        value: The typed text; after a trailing separator, more sizes may follow.
        alone: Whether a single size without brackets is accepted.
    """
    inner = value.strip("()[] ")
    parts = _SEPARATORS.split(inner)
    # Without `shape:`, a plain number or word is only searched as text.
    if not alone and len(parts) < 2 and inner == value:
        return None
    if len(parts) > 1 and not parts[-1]:
        parts[-1] = "..." if value == inner else ""
    sizes = [
        _SIZE_WORDS.get(part) or (f"x{int(part)}" if part.isdecimal() else None)
        for part in parts
        if part
    ]
    if not sizes or None in sizes or "" in parts[:-1]:
        return None
    return re.compile("".join(size for size in sizes if size))


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(re.escape(value).replace(r"\*", ".*"), re.IGNORECASE)


def _part(value: str) -> re.Pattern[str]:
    return re.compile(re.escape(value).replace(r"\*", ".*?"), re.IGNORECASE)


def _pattern_term(field: SearchField, source: str, *, closed: bool) -> Term:
    if field not in ("any", "name", "module"):
        raise QueryError(say("search.no_pattern", field=field))
    if not closed or not source:
        raise QueryError(say("search.open_pattern"))
    # Nested repeats can take exponential time, and nothing can interrupt `re`.
    if _REPEATED_GROUP.search(source) or len(re.findall(r"[+*}]", source)) > _MOST_REPEATS:
        raise QueryError(say("search.slow_pattern"))
    try:
        pattern = re.compile(source, re.IGNORECASE)
    # OverflowError for counts as in `a{99999999999}`, RecursionError for deeply nested groups.
    except (re.error, OverflowError, RecursionError) as error:
        raise QueryError(say("search.bad_pattern", value=source, reason=error)) from None
    return Term(field=field, text=source, pattern=pattern)
