"""Syntax colors of Python source, the same in the window and in the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pygments.lexers.python import PythonLexer

from gradviz.drawing.appearance.palette import PaletteRole

MOST_PARSED = 400_000
"""Maximum number of characters of a parsed source; parsing that many takes two seconds."""

SyntaxSpan = tuple[int, int, PaletteRole]
"""Start column, length, and color."""

_ROLES: tuple[tuple[str, PaletteRole], ...] = (
    ("Token.Comment", "code_comment"),
    ("Token.Literal.String", "code_string"),
    ("Token.Literal.Number", "code_number"),
    ("Token.Keyword", "code_keyword"),
    ("Token.Operator.Word", "code_keyword"),
    ("Token.Name.Function", "code_name"),
    ("Token.Name.Class", "code_name"),
    ("Token.Name.Decorator", "code_name"),
)
"""Colors by prefix of the token type's name."""


def syntax_spans(lines: Sequence[str], most: int) -> tuple[tuple[SyntaxSpan, ...], ...]:
    """Return the colored spans of each line.

    Args:
        lines: Lines of a source, without line endings.
        most: Columns from the left that are colored.
    """
    found: list[list[SyntaxSpan]] = [[] for _ in lines]
    for line, span in _colored("\n".join(lines), most):
        found[line].append(span)
    return tuple(map(tuple, found))


def _colored(text: str, most: int) -> Iterator[tuple[int, SyntaxSpan]]:
    line, column = 0, 0
    for _, kind, value in PythonLexer().get_tokens_unprocessed(text):
        role = _role(kind)
        for at, piece in enumerate(value.split("\n")):
            if at:
                line, column = line + 1, 0
            if piece and role is not None and column < most:
                yield line, (column, min(len(piece), most - column), role)
            column += len(piece)


@lru_cache(maxsize=256)
def _role(kind: object) -> PaletteRole | None:
    name = str(kind)
    return next((role for begin, role in _ROLES if name.startswith(begin)), None)
