"""Where the operands and the result of an arithmetic occur in the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic
from gradviz.analysis.arithmetic.expression import operands
from gradviz.viewer.source.source_text import SourceText


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeNames:
    """Names within one statement.

    Attributes:
        lines: First and last line of the statement, from 1.
        spans: Line, first character and length of each occurrence.
    """

    lines: tuple[int, int]
    spans: tuple[tuple[int, int, int], ...]


def code_names(text: SourceText, source: int, arithmetic: Arithmetic | None) -> CodeNames | None:
    """The statement that computed an element, with its operands; None if it is elsewhere.

    Args:
        text: The parsed source.
        source: Number of the source.
        arithmetic: How the element was computed.
    """
    location = None if arithmetic is None else arithmetic.location
    if arithmetic is None or location is None or location.source != source:
        return None
    used = (arithmetic.result, *operands(arithmetic.expression))
    names = {each.name for each in used if each.name}
    lines = text.statement_at(location.line)
    found = tuple(_occurrences(text, lines, names)) if names else ()
    return CodeNames(lines=lines, spans=found)


def _occurrences(
    text: SourceText, lines: tuple[int, int], names: set[str]
) -> Iterator[tuple[int, int, int]]:
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)")
    for line in range(lines[0], lines[1] + 1):
        for match in pattern.finditer(text.lines[line - 1]):
            yield line, match.start(), match.end() - match.start()
