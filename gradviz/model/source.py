"""Source files as they were during the recording, and locations in them."""

import re

from gradviz.model.codec import Natural, TraceRecord

CALL_FILE, BACKWARD_FILE = "<call>", "<backward>"
"""Names of the sources that the worker generates to call the user's code and start backward."""

_LINE_END = "\r\n|\r|\n"


class SourceFile(TraceRecord, frozen=True, kw_only=True):
    """One source file as it was during the run.

    Attributes:
        id: Number in the trace.
        path: Path as the run knew it, for display only; readers never open it.
        text: The whole text.
    """

    id: Natural
    path: str
    text: str


class Location(TraceRecord, frozen=True, kw_only=True):
    """A line of code.

    Attributes:
        source: The `SourceFile` with the text; None if no text was found.
        path: Path as the run knew it.
        line: Line number, from 1.
        function: Qualified name of the enclosing function, or empty.
    """

    source: Natural | None
    path: str
    line: Natural
    function: str


def source_lines(text: str) -> tuple[str, ...]:
    """The lines of a source text without line ends, as Python counts them.

    ``str.splitlines`` also breaks at characters such as form feeds, which may occur within a line.
    """
    # The search for other line ends takes much longer, and few texts have them.
    lines = re.split(_LINE_END, text) if "\r" in text else text.split("\n")
    return tuple(lines if lines[-1] else lines[:-1])


def user_line(location: Location | None) -> Location | None:
    """A location that the user can open; None if there is none or it is not in a file.

    This excludes lines such as those of ``<backward>``, which the worker generates to start a run.
    """
    return None if location is None or location.path.startswith("<") else location
