"""Page parser for Markdown: headings, paragraphs, lists, tables, code, formulas, notes."""

from __future__ import annotations

import re

from gradviz.gallery.guide.facts import split_at_facts
from gradviz.gallery.guide.inline import InlineError, formula_of, spans_of, split_cells
from gradviz.gallery.guide.page import (
    Block,
    CodeBlock,
    Display,
    GuideError,
    Heading,
    Listing,
    Page,
    Paragraph,
    Span,
    Table,
)

_HEADING = re.compile(r"(#{2,3})\s+(\S.*)")
_ITEM = re.compile(r"([-*]|\d{1,3}\.)\s+(\S.*)")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")


def read_page(name: str, text: str) -> Page:
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
    return Page(name=name, title=lines[0][2:].strip(), blocks=reader.blocks())


class _Reader:
    """Single pass over the lines of a page."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self._name, self._lines = name, lines
        self._at = 1

    def blocks(self) -> tuple[Block, ...]:
        found: list[Block] = []
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

    def _block(self) -> Block:
        start, line = self._at + 1, self._line.lstrip()
        heading = _HEADING.fullmatch(line.rstrip())
        if heading is not None:
            self._at += 1
            return Heading(line=start, level=len(heading[1]), spans=spans_of(heading[2]))
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

    def _display(self, start: int) -> Display:
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
        return Display(line=start, formula=formula_of(latex))

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

    def _table(self, start: int) -> Table:
        rows: list[tuple[tuple[Span, ...], ...]] = []
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
        return Table(line=start, header=header, rows=tuple(rest))

    def _note(self) -> tuple[Span, ...]:
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
