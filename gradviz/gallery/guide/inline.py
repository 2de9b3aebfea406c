"""Parser of text within a block: emphasis, code, formulas, facts and links."""

from __future__ import annotations

import re
from typing import cast, get_args

from gradviz.gallery.guide.facts import FACT, split_at_facts
from gradviz.gallery.guide.page import (
    Code,
    Fact,
    Formula,
    Link,
    LinkKind,
    Span,
    Stressed,
    Words,
)

_ESCAPED = r"\\(?P<escaped>[\\`*$\[\]{}|])"
_ATOM = re.compile(
    rf"{_ESCAPED}|(?P<fact>{FACT})|`(?P<code>[^`]+)`|\$(?P<formula>[^$]+)\$", re.DOTALL
)
"""Spans that contain no further markup."""

_TARGET = re.compile(r"\(([a-z]+):([^\s()\"]+)(?:\s+\"([^\"]*)\")?\)")
_MOST_DEEP = 8
"""Limit on nested markup, such as emphasis in links in emphasis."""


class InlineError(ValueError):
    """The text of a paragraph is invalid; the message says why."""


def spans_of(text: str, depth: int = 0) -> tuple[Span, ...]:
    """Parse text with markup.

    Args:
        text: Text of one paragraph, item or cell, with line breaks as spaces.
        depth: Number of spans around it.

    Raises:
        InlineError: If a fact, code or formula does not end, or a link has an unknown kind.
    """
    if depth > _MOST_DEEP:
        raise InlineError("markup is nested too deeply")
    spans: list[Span] = []
    plain: list[str] = []
    at = 0
    while at < len(text):
        found = _span_at(text, at, depth)
        if found is None:
            plain.append(text[at])
            at += 1
            continue
        span, at = found
        if isinstance(span, Words):
            plain.append(span.text)
            continue
        _flush(plain, spans)
        spans.append(span)
    _flush(plain, spans)
    return tuple(spans)


def formula_of(text: str) -> Formula:
    """Build a formula with its facts' texts inserted."""
    parts = split_at_facts(text)
    latex = "".join(part.text for part in parts)
    if "{{" in text and "{{" in latex:
        raise InlineError("a formula has {{ without a fact; write { { for nested braces")
    return Formula(
        latex=" ".join(latex.split()), facts=tuple(each for each in parts if isinstance(each, Fact))
    )


def split_cells(row: str) -> list[str]:
    """Split a table row into cells; bars in code, formulas and facts do not separate."""
    cells, start, at = [], 0, 0
    while at < len(row):
        atom = _ATOM.match(row, at)
        if atom is not None:
            at = atom.end()
            continue
        if row[at] == "|":
            cells.append(row[start:at])
            start = at + 1
        at += 1
    cells.append(row[start:])
    return [cell.strip() for cell in cells]


def _flush(plain: list[str], spans: list[Span]) -> None:
    if plain:
        spans.append(Words(text="".join(plain)))
        plain.clear()


def _span_at(text: str, at: int, depth: int) -> tuple[Span, int] | None:
    """Parse the span at a position and return it with its end; None for a plain character."""
    atom = _ATOM.match(text, at)
    if atom is not None:
        return _atom(atom), atom.end()
    if text.startswith("{{", at):
        raise InlineError("a fact is written {{text|query}}; this one does not end")
    if text[at] in "`$":
        raise InlineError(f"{text[at]} begins something that does not end")
    if text[at] == "[":
        return _link(text, at, depth)
    if text[at] == "*":
        return _stressed(text, at, depth)
    return None


def _atom(match: re.Match[str]) -> Span:
    if match["escaped"] is not None:
        return Words(text=match["escaped"])
    if match["fact"] is not None:
        (fact,) = split_at_facts(match["fact"])
        return fact
    if match["code"] is not None:
        return Code(parts=split_at_facts(match["code"]))
    return formula_of(match["formula"])


def _stressed(text: str, at: int, depth: int) -> tuple[Span, int] | None:
    mark = "**" if text.startswith("**", at) else "*"
    start = at + len(mark)
    if start >= len(text) or text[start].isspace():
        return None
    end = _find(text, mark, start)
    if end is None or end == start:
        return None
    inner = spans_of(text[start:end], depth + 1)
    return Stressed(spans=inner, strong=mark == "**"), end + len(mark)


def _link(text: str, at: int, depth: int) -> tuple[Span, int] | None:
    end = _find(text, "]", at + 1)
    if end is None or not text.startswith("(", end + 1):
        return None
    target = _TARGET.match(text, end + 1)
    if target is None:
        raise InlineError('write a link as [text](kind:target) or [text](kind:target "title")')
    kind = target[1]
    if kind not in get_args(LinkKind):
        raise InlineError(f"a link must lead to {', '.join(get_args(LinkKind))}, not to {kind}")
    spans = spans_of(text[at + 1 : end], depth + 1)
    link = Link(kind=cast("LinkKind", kind), target=target[2], title=target[3] or "", spans=spans)
    return link, target.end()


def _find(text: str, closer: str, at: int) -> int | None:
    """Position of the closing mark, ignoring code, formulas, facts and links."""
    depth = 0
    while at < len(text):
        atom = _ATOM.match(text, at)
        if atom is not None:
            at = atom.end()
            continue
        if depth == 0 and text.startswith(closer, at):
            # One star of ** does not close what a single star opened.
            if closer != "*" or not text.startswith("**", at):
                return at
            at += 2
            continue
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
    return None
