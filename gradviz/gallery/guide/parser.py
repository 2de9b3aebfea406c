"""Page parser for Markdown: headings, paragraphs, lists, tables, code, formulas, notes."""

from __future__ import annotations

import re
from typing import cast, get_args

from gradviz.gallery.guide.facts import FACT, split_at_facts
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GuideError,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    LinkKind,
    Listing,
    PageBlock,
    PageHeading,
    PageSpan,
    PageTable,
    Paragraph,
    PlainWords,
    RunFact,
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


def spans_of(text: str, depth: int = 0) -> tuple[PageSpan, ...]:
    """Parse text with markup.

    Args:
        text: Text of one paragraph, item or cell, with line breaks as spaces.
        depth: Number of spans around it.

    Raises:
        InlineError: If a fact, code or formula does not end, or a link has an unknown kind.
    """
    if depth > _MOST_DEEP:
        raise InlineError("markup is nested too deeply")
    spans: list[PageSpan] = []
    plain: list[str] = []
    at = 0
    while at < len(text):
        found = _span_at(text, at, depth)
        if found is None:
            plain.append(text[at])
            at += 1
            continue
        span, at = found
        if isinstance(span, PlainWords):
            plain.append(span.text)
            continue
        _flush(plain, spans)
        spans.append(span)
    _flush(plain, spans)
    return tuple(spans)


def formula_of(text: str) -> InlineFormula:
    """Build a formula with its facts' texts inserted."""
    parts = split_at_facts(text)
    latex = "".join(part.text for part in parts)
    if "{{" in text and "{{" in latex:
        raise InlineError("a formula has {{ without a fact; write { { for nested braces")
    return InlineFormula(
        latex=" ".join(latex.split()),
        facts=tuple(each for each in parts if isinstance(each, RunFact)),
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


def _flush(plain: list[str], spans: list[PageSpan]) -> None:
    if plain:
        spans.append(PlainWords(text="".join(plain)))
        plain.clear()


def _span_at(text: str, at: int, depth: int) -> tuple[PageSpan, int] | None:
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


def _atom(match: re.Match[str]) -> PageSpan:
    if match["escaped"] is not None:
        return PlainWords(text=match["escaped"])
    if match["fact"] is not None:
        (fact,) = split_at_facts(match["fact"])
        return fact
    if match["code"] is not None:
        return InlineCode(parts=split_at_facts(match["code"]))
    return formula_of(match["formula"])


def _stressed(text: str, at: int, depth: int) -> tuple[PageSpan, int] | None:
    mark = "**" if text.startswith("**", at) else "*"
    start = at + len(mark)
    if start >= len(text) or text[start].isspace():
        return None
    end = _find(text, mark, start)
    if end is None or end == start:
        return None
    inner = spans_of(text[start:end], depth + 1)
    return EmphasizedText(spans=inner, strong=mark == "**"), end + len(mark)


def _link(text: str, at: int, depth: int) -> tuple[PageSpan, int] | None:
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


_HEADING = re.compile(r"(#{2,3})\s+(\S.*)")
_ITEM = re.compile(r"([-*]|\d{1,3}\.)\s+(\S.*)")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")


def read_page(name: str, text: str) -> GuidePage:
    """Parse the text of a page.

    Args:
        name: Name of the page.
        text: The page in Markdown; its first line is ``# Title``.

    Raises:
        GuideError: If its markup is invalid.
    """
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# ") or not lines[0][2:].strip():
        raise GuideError(f"{name}.md:1: the first line of a page must be its title, # Title")
    reader = _Reader(name, lines)
    return GuidePage(name=name, title=lines[0][2:].strip(), blocks=reader.blocks())


class _Reader:
    """Single pass over the lines of a page."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self._name, self._lines = name, lines
        self._at = 1

    def blocks(self) -> tuple[PageBlock, ...]:
        found: list[PageBlock] = []
        while self._at < len(self._lines):
            if not self._line.strip():
                self._at += 1
                continue
            start = self._at + 1
            try:
                found.append(self._block())
            except InlineError as error:
                raise GuideError(f"{self._name}.md:{start}: {error}") from None
        return tuple(found)

    @property
    def _line(self) -> str:
        return self._lines[self._at]

    def _block(self) -> PageBlock:
        start, line = self._at + 1, self._line.lstrip()
        heading = _HEADING.fullmatch(line.rstrip())
        if heading is not None:
            self._at += 1
            return PageHeading(line=start, level=len(heading[1]), spans=spans_of(heading[2]))
        if line.startswith("```"):
            return self._code(start)
        if line.startswith("$$"):
            return self._display(start)
        if _ITEM.match(line):
            return self._listing(start)
        if line.startswith("|"):
            return self._table(start)
        if line.startswith(">"):
            return Paragraph(line=start, spans=self._note(), aside=True)
        return Paragraph(line=start, spans=spans_of(self._rest()))

    def _code(self, start: int) -> CodeBlock:
        language = self._line.strip().removeprefix("```").strip()
        self._at += 1
        kept: list[str] = []
        while self._at < len(self._lines):
            line = self._line
            self._at += 1
            if line.strip() == "```":
                return CodeBlock(
                    line=start, language=language, parts=split_at_facts("\n".join(kept))
                )
            kept.append(line)
        raise InlineError("a code block begins with ``` but never ends")

    def _display(self, start: int) -> DisplayFormula:
        kept = [self._line.strip()]
        self._at += 1
        while not (len(kept[-1]) > 2 - bool(kept[1:]) and kept[-1].endswith("$$")):
            if self._at >= len(self._lines) or not self._line.strip():
                raise InlineError("a formula begins with $$ but never ends")
            kept.append(self._line.strip())
            self._at += 1
        latex = " ".join(kept).removeprefix("$$").removesuffix("$$").strip()
        if not latex or "$" in latex:
            raise InlineError("a displayed formula needs $$ before and after it, and nothing else")
        return DisplayFormula(line=start, formula=formula_of(latex))

    def _listing(self, start: int) -> Listing:
        items: list[str] = []
        first = _ITEM.match(self._line.lstrip())
        ordered = first is not None and first[1][0].isdigit()
        while self._at < len(self._lines) and self._line.strip():
            item = _ITEM.fullmatch(self._line.strip())
            if item is not None:
                items.append(item[2])
            elif self._line.startswith(" "):
                items[-1] += " " + self._line.strip()
            else:
                break
            self._at += 1
        return Listing(line=start, items=tuple(map(spans_of, items)), ordered=ordered)

    def _table(self, start: int) -> PageTable:
        rows: list[tuple[tuple[PageSpan, ...], ...]] = []
        while self._at < len(self._lines) and self._line.lstrip().startswith("|"):
            line = self._line.strip()
            self._at += 1
            if len(rows) == 1 and _RULE.fullmatch(line):
                continue
            cells = split_cells(line.removeprefix("|").removesuffix("|"))
            rows.append(tuple(map(spans_of, cells)))
        header, *rest = rows
        if any(len(row) != len(header) for row in rest):
            raise InlineError("the rows of a table have different numbers of cells")
        return PageTable(line=start, header=header, rows=tuple(rest))

    def _note(self) -> tuple[PageSpan, ...]:
        kept: list[str] = []
        while self._at < len(self._lines) and self._line.lstrip().startswith(">"):
            kept.append(self._line.lstrip()[1:].strip())
            self._at += 1
        return spans_of(" ".join(kept))

    def _rest(self) -> str:
        """Lines of a paragraph, up to an empty line or the start of another block."""
        kept = [self._line.strip()]
        self._at += 1
        while self._at < len(self._lines) and self._line.strip():
            line = self._line.lstrip()
            if line.startswith(("```", "$$", "|", ">", "## ", "### ", "- ")):
                break
            kept.append(line.rstrip())
            self._at += 1
        return " ".join(kept)
