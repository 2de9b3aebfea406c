"""Splits code blocks into pieces by syntax color and recorded value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gradviz.gallery.guide.page import CodeBlock, Fact
from gradviz.model.palette import Role
from gradviz.viewer.source.syntax import text_of

Piece = tuple[str, Role, Fact | None]
"""Some characters, their color role, and the recorded value they belong to."""


def pieces_of(block: CodeBlock) -> Iterator[Piece]:
    """Yield the pieces of a code block; a line end belongs to the piece before it."""
    text = "".join(part.text for part in block.parts)
    facts = [part if isinstance(part, Fact) else None for part in block.parts for _ in part.text]
    roles = _roles(text if block.language == "python" else "", len(text))
    for _, group in groupby(range(len(text)), key=lambda at: (roles[at], id(facts[at]))):
        places = list(group)
        first = places[0]
        yield text[first : places[-1] + 1], roles[first], facts[first]


def _roles(text: str, count: int) -> list[Role]:
    """Return the color role of each character by Python syntax; `text` where none applies."""
    roles: list[Role] = ["text"] * count
    start = 0
    for line, spans in zip(text.split("\n"), text_of(text).spans, strict=False):
        for column, length, role in spans:
            roles[start + column : start + column + length] = [role] * length
        start += len(line) + 1
    return roles
