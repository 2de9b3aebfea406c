"""The list of all traces at the end of ``pytest --gradviz``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from gradviz.catalogue.messages import say
from gradviz.testing.written_traces import REPORT_ATTRIBUTE, WrittenTrace


class TraceSummary:
    """Lists what the reports bring along, also from the processes of xdist."""

    def __init__(self, start: Path) -> None:
        """Name the traces relative to the folder in which pytest was started."""
        self._start = start
        self._listed: list[WrittenTrace] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the traces of one phase of a test."""
        self._listed += [WrittenTrace(**each) for each in getattr(report, REPORT_ATTRIBUTE, ())]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print a sentence for each trace, and the command that opens it."""
        if not self._listed:
            return
        terminalreporter.section("gradviz")
        for each in self._listed:
            terminalreporter.write_line(say("tests.line", test=each.test, sentence=each.sentence))
            if each.path:
                path = os.path.relpath(each.path, self._start)
                key = "tests.view_check" if each.is_check else "tests.view"
                terminalreporter.write_line(say(key, path=shlex.quote(path)))
