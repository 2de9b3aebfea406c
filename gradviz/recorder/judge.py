"""Says what was found in a run: one sentence from the catalogue, once, at its step and line."""

from __future__ import annotations

from types import CodeType

from gradviz.model.finding import Severity
from gradviz.model.messages import say
from gradviz.model.source import Location
from gradviz.recorder.log import Log
from gradviz.recorder.sources import Sources

MOST_OF_A_KIND = 50
"""So many findings with one code are kept: a loop that breaks a rule breaks it each time."""


class Judge:
    """Puts findings. Called with the log's lock held.

    The same sentence is said once, where it was true first: a training loop goes the same way
    thousands of times.
    """

    def __init__(self, log: Log, sources: Sources) -> None:
        self._log = log
        self._sources = sources
        self._said: set[tuple[str, str]] = set()
        self._counts: dict[str, int] = {}

    def say(
        self,
        code: str,
        message: str,
        severity: Severity,
        *,
        step: int,
        node: int | None = None,
        location: Location | None = None,
    ) -> None:
        """Puts a finding, unless its sentence was said already."""
        count = self._counts.get(code, 0)
        if (code, message) in self._said or count >= MOST_OF_A_KIND:
            return
        self._said.add((code, message))
        self._counts[code] = count + 1
        self._log.find(code, message, severity=severity, step=step, node=node, location=location)

    def line(self, code: CodeType | None, line: int | None) -> Location | None:
        """A line of a method; None where there is none."""
        return None if code is None or line is None else self._sources.line(code, line)


def where(function: str, method: str, location: Location | None) -> str:
    """A method by its name, and its line where that is known."""
    if location is None:
        return say("finding.where", function=function, method=method)
    return say("finding.where.line", function=function, method=method, line=location.line)
