"""Types of a page: its blocks, and the spans of text in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

LinkKind = Literal["step", "scene", "page", "compare", "check", "show"]
"""Target of a link: a place in the run, a scene, a page, Compare, a check, a panel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainWords:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFact:
    """A value taken from a recorded run.

    Attributes:
        text: What the reader sees; a test compares it with the query's answer.
        query: Recording and place of the value, like ``cube: grad x``.
    """

    text: str
    query: str


LiteralSpan: TypeAlias = PlainWords | RunFact
"""Contents of code: words and facts without markup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineCode:
    """A piece of code within text."""

    parts: tuple[LiteralSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineFormula:
    """A formula within text.

    Attributes:
        latex: LaTeX with the facts' texts inserted.
        facts: The facts in it.
    """

    latex: str
    facts: tuple[RunFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EmphasizedText:
    """Emphasized text; ``strong`` for strong emphasis."""

    spans: tuple[PageSpan, ...]
    strong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Text with a link.

    Attributes:
        kind: Kind of the target.
        target: The target itself: a place like ``5/backward/line2``, an id, a name, an order.
        title: Expected title of a step, which a test compares; else usually empty.
        spans: The text.
    """

    kind: LinkKind
    target: str
    title: str
    spans: tuple[PageSpan, ...]


PageSpan: TypeAlias = PlainWords | RunFact | InlineCode | InlineFormula | EmphasizedText | Link


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHeading:
    """A heading within the page; level 2 or 3."""

    line: int
    level: int
    spans: tuple[PageSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text; ``aside`` for a note."""

    line: int
    spans: tuple[PageSpan, ...]
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A numbered or bulleted list."""

    line: int
    items: tuple[tuple[PageSpan, ...], ...]
    ordered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """Lines of code with their language, such as ``python``; empty for none."""

    line: int
    language: str
    parts: tuple[LiteralSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayFormula:
    """A displayed formula."""

    line: int
    formula: InlineFormula


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """A table; each row has as many cells as the header."""

    line: int
    header: tuple[tuple[PageSpan, ...], ...]
    rows: tuple[tuple[tuple[PageSpan, ...], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFigure:
    """The graph of the page's program at a step, as `gradviz.gallery.guide.pictures` has it."""

    line: int
    step: int


PageBlock: TypeAlias = (
    PageHeading | Paragraph | Listing | CodeBlock | DisplayFormula | PageTable | GraphFigure
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidePage:
    """One page of the guide.

    Attributes:
        name: Id of the scene or chapter.
        title: Title for people.
        blocks: Blocks from top to bottom.
    """

    name: str
    title: str
    blocks: tuple[PageBlock, ...]


class GuideError(ValueError):
    """A page is invalid; the message names its file and line."""
