"""Source text as it was when recorded, and places in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source file as it was when the run happened.

    Attributes:
        id: Number in the trace.
        path: As the run knew it; for showing, never opened by a reader.
        text: The whole text.
    """

    id: int
    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A line of code.

    Attributes:
        source: The `Source` with the text; None where no text was found.
        path: File name as the run knew it.
        line: Numbered from 1.
        function: Qualified name of the function around it, or empty.
    """

    source: int | None
    path: str
    line: int
    function: str


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a source text without their ends, as Python counts them.

    ``str.splitlines`` also breaks at form feeds and the like, which may stand within a line.
    """
    lines = _LINE_END.split(text)
    return tuple(lines if lines[-1] else lines[:-1])


def user_line(location: Location | None) -> Location | None:
    """A line that somebody can look up; None where there is none, or it stands in no file.

    Lines like those of ``<backward>``, which the worker makes up to start a run, help nobody.
    """
    return None if location is None or location.path.startswith("<") else location
