"""Prints whether both line backends see the same; run by a Python that may lack torch."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from gradviz.analysis.source_statements import Statement, statements_of
from gradviz.recorder.inside.line_tracer import LineMonitor, LineTracer
from tests.recorder import line_subject

PATH = line_subject.__file__
INNER = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


class Gatherer:
    """A listener that logs statements, entries, exits and exceptions."""

    def __init__(self) -> None:
        self.others: set[str] = set()
        self.seen: list[tuple[Any, ...]] = []
        self._statements = statements_of("".join(linecache.getlines(PATH)))
        self._stack: list[tuple[Statement | None, int]] = []

    def wants(self, frame: FrameType) -> bool:
        code = frame.f_code
        return code.co_filename == PATH and code.co_name not in INNER

    def enters(self, frame: FrameType, *, again: bool) -> None:
        self.seen.append(("enters", frame.f_code.co_name, again))
        self._stack.append((None, -1))

    def runs(self, frame: FrameType, line: int, offset: int) -> None:
        statement = self._statements.at(line)
        assert statement is not None
        before, last = self._stack[-1]
        self._stack[-1] = (statement, offset)
        if before != statement or (statement.repeats and offset <= last):
            self.seen.append(("runs", frame.f_code.co_name, statement.line))

    def raises(self, frame: FrameType) -> None:
        self.seen.append(("raises", frame.f_code.co_name, frame.f_lineno))

    def leaves(self, frame: FrameType, how: str, value: object) -> None:
        told = value if isinstance(value, int) else type(value).__name__
        self.seen.append(("leaves", frame.f_code.co_name, how, told))
        self._stack.pop()


def traced(work: Callable[[], object]) -> list[tuple[Any, ...]]:
    gatherer, tracer = Gatherer(), LineTracer()
    tracer.begin(gatherer)
    try:
        work()
    finally:
        tracer.end()
    return gatherer.seen


def monitored(monitor: LineMonitor, work: Callable[[], object]) -> list[tuple[Any, ...]]:
    gatherer = Gatherer()
    monitor.begin(gatherer)
    try:
        work()
    finally:
        monitor.end()
    return gatherer.seen


def is_library(path: str) -> bool:
    return path.startswith((sys.prefix, sys.base_prefix, "<frozen"))


def main() -> None:
    """Raises AssertionError where something differs."""
    monitoring: Any = vars(sys)["monitoring"]
    expected = plain()
    monitoring.use_tool_id(4, "another")
    monitor = LineMonitor(is_library)
    monitor.install()
    found = monitored(monitor, line_subject.main)
    told = [each for each in found if each[0] == "runs"]
    assert told == expected, (told, expected)
    assert len(told) > 100
    # Nobody watches: the same code runs untold.
    line_subject.main()
    again: list[Any] = []
    thread = threading.Thread(target=lambda: again.append(monitored(monitor, line_subject.main)))
    thread.start()
    thread.join()
    assert again == [found]
    monitor.remove()
    assert monitoring.get_tool(4) == "another"
    assert [monitoring.get_tool(tool) for tool in (0, 1, 2, 3, 5)] == [None] * 5
    sys.stdout.write("the same\n")


def plain() -> list[tuple[Any, ...]]:
    """The statements that ``sys.settrace`` alone reports."""
    gatherer = Gatherer()

    def enter(frame: FrameType, event: str, arg: object) -> Any:
        if not gatherer.wants(frame):
            return None
        gatherer.enters(frame, again=False)
        return local

    def local(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            gatherer.runs(frame, frame.f_lineno, frame.f_lasti)
        if event == "return":
            gatherer.leaves(frame, "", None)
        return local

    sys.settrace(enter)
    try:
        line_subject.main()
    finally:
        sys.settrace(None)
    return [each for each in gatherer.seen if each[0] == "runs"]


if __name__ == "__main__":
    main()
