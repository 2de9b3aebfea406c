"""A page of the guide as a value: blocks, and the spans of text in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

LinkKind = Literal["step", "scene", "page", "compare", "check", "show"]
"""Where a link leads: a place of the run, a scene, a page, Compare, a check, a panel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What a recorded run says.

    Attributes:
        text: What the reader sees; a test holds it equal to what the query finds.
        query: Where in which recording it was found, like ``cube: grad x``.
    """

    text: str
    query: str


Literally: TypeAlias = Words | Fact
"""What stands in code: no markup, but facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A piece of code within text."""

    parts: tuple[Literally, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula within text.

    Attributes:
        latex: With the texts of its facts in place.
        facts: The facts in it.
    """

    latex: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stressed:
    """Text that stands out; ``strong`` more than otherwise."""

    spans: tuple[Span, ...]
    strong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Text that leads somewhere.

    Attributes:
        kind: What it leads to.
        target: Which one: a place like ``5/backward/line2``, an id, a name, an order.
        title: What the writer expects to be there; for steps, which a test compares.
        spans: The text.
    """

    kind: LinkKind
    target: str
    title: str
    spans: tuple[Span, ...]


Span: TypeAlias = Words | Fact | Code | Formula | Stressed | Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading within the page; level 2 or 3."""

    line: int
    level: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text; ``aside`` where it stands apart as a note."""

    line: int
    spans: tuple[Span, ...]
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Items, numbered or with bullets."""

    line: int
    items: tuple[tuple[Span, ...], ...]
    ordered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """Lines of code in a language, like ``python``, or in none."""

    line: int
    language: str
    parts: tuple[Literally, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """A formula that stands alone."""

    line: int
    formula: Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells; each row is as long as the header."""

    line: int
    header: tuple[tuple[Span, ...], ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]


Block: TypeAlias = Heading | Paragraph | Listing | CodeBlock | Display | Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page.

    Attributes:
        name: The scene's id, or the chapter's.
        title: For people.
        blocks: From top to bottom.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


class GuideError(ValueError):
    """A page cannot be read; the message names its file and line."""
