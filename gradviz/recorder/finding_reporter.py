"""Findings on a run: one sentence from the catalog, recorded once, with step and line."""

from __future__ import annotations

from types import CodeType

from gradviz.catalogue.messages import say
from gradviz.model.finding import Severity
from gradviz.model.source import Location
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import SourceRecorder

MOST_OF_A_KIND = 50
"""Limit on findings with one code: a loop that breaks a rule does so in every iteration."""


class FindingReporter:
    """Recorder of findings. Call with the log's lock held.

    The same sentence is recorded only once, where it was true first: a training loop takes the same
    path thousands of times.
    """

    def __init__(self, log: RecordLog, sources: SourceRecorder) -> None:
        self._log = log
        self._sources = sources
        self._reported: set[tuple[str, str]] = set()
        self._places: dict[tuple[str, Location | None], int] = {}
        self._counts: dict[str, int] = {}

    def report(
        self,
        code: str,
        message: str,
        severity: Severity,
        *,
        step: int,
        node: int | None = None,
        location: Location | None = None,
        replaces: bool = False,
    ) -> None:
        """Record a finding, unless its sentence is known or its code has reached the limit.

        Args:
            code: Kind of the finding.
            message: Its sentence.
            severity: Its severity.
            step: The step that shows it.
            node: The node that it is about.
            location: The line that it is about.
            replaces: Whether it takes the place of one with this code at this line.
        """
        count = self._counts.get(code, 0)
        if (code, message) in self._reported or count >= MOST_OF_A_KIND:
            return
        self._reported.add((code, message))
        self._counts[code] = count + 1
        place = code, location
        self._places[place] = self._log.find(
            code,
            message,
            severity=severity,
            step=step,
            node=node,
            location=location,
            number=self._places.get(place) if replaces else None,
        )

    def report_in_method(
        self,
        function: str,
        method: str,
        code: str,
        severity: Severity,
        line: Location | None,
        *,
        step: int,
        node: int | None,
        sentence: str = "",
        **words: object,
    ) -> None:
        """Record a finding about a method of a custom Function, with the sentence of its code.

        Args:
            function: Name of the Function.
            method: Name of the method.
            code: Kind of the finding.
            severity: Its severity.
            line: The line of the method that it is about.
            step: The step that shows it.
            node: The node that it is about.
            sentence: Key of the sentence below ``finding``, if that is not the code.
            words: For the sentence, besides the Function and the place.
        """
        where = describe_method_location(function, method, line)
        message = say(f"finding.{sentence or code}", where=where, function=function, **words)
        self.report(code, message, severity, step=step, node=node, location=line)

    def has_reported(self, code: str, location: Location | None) -> bool:
        """Whether a finding with this code was recorded at this line."""
        return (code, location) in self._places

    def has_found(self, code: str) -> bool:
        """Whether a finding with this code was recorded."""
        return code in self._counts

    def line(self, code: CodeType | None, line: int | None) -> Location | None:
        """Location of a line of a method; None if there is none."""
        return None if code is None or line is None else self._sources.line(code, line)


def describe_method_location(function: str, method: str, location: Location | None) -> str:
    """Name of a method, with its line if known."""
    if location is None:
        return say("finding.where", function=function, method=method)
    return say("finding.where.line", function=function, method=method, line=location.line)
