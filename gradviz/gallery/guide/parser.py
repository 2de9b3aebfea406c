"""Page parser: markdown-it's syntax tree turned into blocks and spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast, get_args

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from gradviz.gallery.guide.facts import hold_facts, split_at_held
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GraphFigure,
    GuideError,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    LinkKind,
    Listing,
    LiteralSpan,
    PageBlock,
    PageHeading,
    PageSpan,
    PageTable,
    Paragraph,
    PlainWords,
    RunFact,
)

_TARGET = re.compile(r"([a-z]+):([^\s()\"]+)")
_CODE_OR_FORMULA = re.compile(r"`[^`\n]+`|\$[^$\n]+\$")
_GRAPH = re.compile(r"graph:(\d+)")
_BAR = re.compile(r"(?<!\\)\|")

_BLOCKS = ("heading", "fence", "list", "table", "blockquote")
_INLINE = (
    "escape",
    "backticks",
    "emphasis",
    "link",
    "image",
    "newline",
    "balance_pairs",
    "fragments_join",
)


class _PageSyntaxError(ValueError):
    """The markup is invalid; the message says why."""


def _keep_underscore(state: StateInline, silent: bool) -> bool:
    """Keep underscores as text: they belong to names here, never to emphasis."""
    if state.src[state.pos] != "_":
        return False
    if not silent:
        state.pending += "_"
    state.pos += 1
    return True


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("zero")
    # Without text_join an escaped character stays a token of its own: it may be a lone $ or `.
    markdown.enable([*_BLOCKS, *_INLINE]).disable(["normalize", "text_join"])
    markdown.use(dollarmath_plugin, allow_labels=False, double_inline=False)
    markdown.inline.ruler.before("emphasis", "underscore", _keep_underscore)
    return markdown


_MARKDOWN = _markdown()


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
    title = lines[0][2:].strip()
    held, facts = hold_facts("\n".join(["", *lines[1:]]))
    source = "\n".join(map(_escape_bars, held.split("\n")))
    reader = _PageReader(source.split("\n"), facts)
    blocks: list[PageBlock] = []
    for node in SyntaxTreeNode(_MARKDOWN.parse(source)).children:
        try:
            blocks += reader.blocks(node)
        except _PageSyntaxError as error:
            raise GuideError(f"{name}.md:{_line(node)}: {error}") from None
    return GuidePage(name=name, title=title, blocks=tuple(blocks))


def _escape_bars(line: str) -> str:
    """Escape the bars in code and formulas of a table row, where they separate nothing."""
    if not line.lstrip().startswith("|"):
        return line
    return _CODE_OR_FORMULA.sub(lambda match: _BAR.sub(r"\\|", match[0]), line)


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 1


def _only_image(paragraph: SyntaxTreeNode) -> SyntaxTreeNode | None:
    """The image that is all of a paragraph."""
    spans = paragraph.children[0].children if paragraph.children else []
    return spans[0] if len(spans) == 1 and spans[0].type == "image" else None


def _graph_step(image: SyntaxTreeNode) -> int:
    target = _GRAPH.fullmatch(str(image.attrs["src"]))
    if target is None or image.content:
        raise _PageSyntaxError(_GRAPH_HINT)
    return int(target[1])


class _PageReader:
    """Conversion of the syntax tree of one page."""

    def __init__(self, lines: list[str], facts: tuple[RunFact, ...]) -> None:
        self._lines, self._facts = lines, facts

    def blocks(self, node: SyntaxTreeNode) -> Iterator[PageBlock]:
        line = _line(node)
        match node.type:
            case "heading":
                if node.tag not in ("h2", "h3"):
                    raise _PageSyntaxError("a heading within a page begins with ## or ###")
                yield PageHeading(line=line, level=int(node.tag[1]), spans=self._content(node))
            case "paragraph":
                yield self._paragraph(node)
            case "blockquote":
                for child in node.children:
                    yield Paragraph(line=_line(child), spans=self._content(child), aside=True)
            case "bullet_list" | "ordered_list":
                items = tuple(map(self._item, node.children))
                yield Listing(line=line, items=items, ordered=node.type == "ordered_list")
            case "fence":
                yield self._code(node)
            case "math_block":
                yield DisplayFormula(line=line, formula=self._formula(node.content))
            case "table":
                yield self._table(node)

    def _paragraph(self, node: SyntaxTreeNode) -> Paragraph | GraphFigure:
        image = _only_image(node)
        if image is not None:
            return GraphFigure(line=_line(node), step=_graph_step(image))
        return Paragraph(line=_line(node), spans=self._content(node))

    def _content(self, node: SyntaxTreeNode) -> tuple[PageSpan, ...]:
        """Spans of a block with one run of text."""
        (inline,) = node.children or (None,)
        if inline is None or inline.type != "inline":
            raise _PageSyntaxError("lists and notes contain text only")
        if inline.content.startswith("$$"):
            raise _PageSyntaxError("a formula begins with $$ but never ends")
        return self._spans(inline)

    def _item(self, node: SyntaxTreeNode) -> tuple[PageSpan, ...]:
        if len(node.children) > 1:
            raise _PageSyntaxError("an item of a list is one paragraph")
        return self._content(node.children[0]) if node.children else ()

    def _code(self, node: SyntaxTreeNode) -> CodeBlock:
        assert node.map is not None
        if self._lines[node.map[1] - 1].strip() != node.markup or node.map[1] - node.map[0] < 2:
            raise _PageSyntaxError(f"a code block begins with {node.markup} but never ends")
        parts = self._literal(node.content.removesuffix("\n"))
        return CodeBlock(line=_line(node), language=node.info.strip(), parts=parts)

    def _table(self, node: SyntaxTreeNode) -> PageTable:
        rows = [row for part in node.children for row in part.children]
        header, *rest = (
            tuple(self._spans(cell.children[0]) for cell in row.children) for row in rows
        )
        counts = {self._cell_count(row) for row in rows}
        if len(counts) > 1:
            raise _PageSyntaxError("the rows of a table have different numbers of cells")
        return PageTable(line=_line(node), header=header, rows=tuple(rest))

    def _cell_count(self, row: SyntaxTreeNode) -> int:
        line = self._lines[_line(row) - 1].strip().removeprefix("|").removesuffix("|")
        return len(_BAR.findall(line))

    def _literal(self, text: str) -> tuple[LiteralSpan, ...]:
        return split_at_held(text, self._facts)

    def _formula(self, text: str) -> InlineFormula:
        if "{{" in text:
            raise _PageSyntaxError("a formula has {{ without a fact; write { { for nested braces")
        parts = self._literal(text)
        latex = " ".join("".join(part.text for part in parts).split())
        if not latex:
            raise _PageSyntaxError("a formula is empty")
        facts = tuple(part for part in parts if isinstance(part, RunFact))
        return InlineFormula(latex=latex, facts=facts)

    def _spans(self, parent: SyntaxTreeNode) -> tuple[PageSpan, ...]:
        spans: list[PageSpan] = []
        for node in parent.children:
            for span in self._span(node):
                last = spans[-1] if spans else None
                if isinstance(span, PlainWords) and isinstance(last, PlainWords):
                    spans[-1] = PlainWords(text=last.text + span.text)
                else:
                    spans.append(span)
        return tuple(spans)

    def _span(self, node: SyntaxTreeNode) -> tuple[PageSpan, ...]:
        match node.type:
            case "text":
                return self._text(node.content)
            case "text_special":
                return (PlainWords(text=node.content),)
            case "softbreak" | "hardbreak":
                return (PlainWords(text=" "),)
            case "code_inline":
                return (InlineCode(parts=self._literal(node.content)),)
            case "em" | "strong":
                return (EmphasizedText(spans=self._spans(node), strong=node.type == "strong"),)
            case "link":
                return (self._link(node),)
            case "image":
                raise _PageSyntaxError(_GRAPH_HINT)
            case _:
                return (self._formula(node.content),)

    def _text(self, text: str) -> tuple[LiteralSpan, ...]:
        for mark in "`$":
            if mark in text:
                raise _PageSyntaxError(f"{mark} begins something that does not end")
        if "{{" in text:
            raise _PageSyntaxError("a fact is written {{text|query}}; this one does not end")
        if "](" in text:
            raise _PageSyntaxError(_LINK_HINT)
        return self._literal(text)

    def _link(self, node: SyntaxTreeNode) -> Link:
        target = _TARGET.fullmatch(str(node.attrs["href"]))
        if target is None:
            raise _PageSyntaxError(_LINK_HINT)
        kind = target[1]
        if kind not in get_args(LinkKind):
            kinds = ", ".join(get_args(LinkKind))
            raise _PageSyntaxError(f"a link must lead to {kinds}, not to {kind}")
        return Link(
            kind=cast("LinkKind", kind),
            target=target[2],
            title=str(node.attrs.get("title", "")),
            spans=self._spans(node),
        )


_LINK_HINT = 'write a link as [text](kind:target) or [text](kind:target "title")'
_GRAPH_HINT = "a graph is a line of its own, ![](graph:step)"
