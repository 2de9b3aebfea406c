"""Find the line of a breakpoint again after its source was edited."""

from __future__ import annotations

from typing import Literal

from gradviz.model.breakpoints.point import AtLine
from gradviz.model.source import lines_of

NEARBY = 100
"""Number of lines above and below in which a moved line is searched."""

Change = Literal["same", "moved", "changed"]


def text_at(text: str, line: int) -> str:
    """One line of a source, without surrounding spaces; empty beyond the end."""
    lines = lines_of(text)
    return lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def followed(target: AtLine, text: str) -> tuple[AtLine, Change]:
    """Find where a line is in an edited source.

    Args:
        target: The line, with its text.
        text: The whole source.

    Returns:
        The line at its new place, if the old place has a different text and the line's text occurs
        exactly once nearby. Otherwise the unchanged line, and whether its text differs.
    """
    if not target.text or text_at(text, target.line) == target.text:
        return target, "same"
    lines = [each.strip() for each in lines_of(text)]
    first = max(0, target.line - 1 - NEARBY)
    near = range(first, min(len(lines), target.line + NEARBY))
    found = [at + 1 for at in near if lines[at] == target.text]
    if len(found) != 1:
        return target, "changed"
    return AtLine(path=target.path, line=found[0], text=target.text), "moved"
