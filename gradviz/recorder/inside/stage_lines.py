"""Recording of the user's lines that run in one stage, and of what each one changes.

Shared helpers for recording lines: which files are the user's, and their statements.
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Literal

from msgspec import Struct, field

from gradviz.analysis.source_statements import SourceStatements, Statement, statements_of
from gradviz.catalogue.messages import say
from gradviz.model.inside import UserFrame
from gradviz.model.item import Item
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import (
    within_error_boundary,
    within_error_boundary_in_trace_function,
)
from gradviz.recorder.frame_variables import KEEPS_LOCALS, looks_at_own_locals
from gradviz.recorder.inside.local_variables import (
    LocalValues,
    LocalVariableReader,
    changes,
    named,
    parameters,
    removed,
)
from gradviz.recorder.inside.open_stage import OpenLine, OpenStage
from gradviz.recorder.inside.stage_recorder import StageRecorder
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import SourceRecorder, is_gradviz, is_library, text_of


class UserLines(Struct):
    """Objects and caches that all stages of a recording share.

    Attributes:
        others: Files already known not to be the user's.
        texts: Parsed statements of each file.
        lines: The statement at each line that has run.
        left_out: Code that a finding already reports as not recorded.
    """

    log: RecordLog
    sources: SourceRecorder
    stages: StageRecorder
    values: LocalVariableReader
    others: set[str] = field(default_factory=set)
    texts: dict[str, SourceStatements] = field(default_factory=dict)
    lines: dict[tuple[str, int], Statement] = field(default_factory=dict)
    left_out: set[CodeType] = field(default_factory=set)

    def is_user_code(self, path: str) -> bool:
        """Whether a file is the user's."""
        is_users = path in self.sources.own or not (is_library(path) or is_gradviz(path))
        if not is_users:
            self.others.add(path)
        return is_users

    def statement(self, path: str, line: int) -> Statement:
        """The statement at a line, always the same object; just the line if there is no source."""
        known = self.lines.get((path, line))
        if known is None:
            known = self.statements(path).at(line) or Statement(line=line, last_line=line)
            self.lines[path, line] = known
        return known

    def statements(self, path: str) -> SourceStatements:
        """The statements of a file; none if there is no source."""
        known = self.texts.get(path)
        if known is None:
            known = self.texts[path] = statements_of(text_of(path))
        return known


Exit = Literal["returned", "yielded", "raised"]
"""How a frame was left."""

MOST_LINES = 10_000
"""Limit on recorded lines in a stage; further ones are only counted."""

_FLUSH_EVERY = 1000
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_LAMBDA = "<lambda>"


class OpenFrame(Struct):
    """A running call of a Python function.

    Attributes:
        frame: Python's frame; released as soon as it stops running.
        number: Index among the frames of the stage; None if it is not recorded.
        outer: Index of the line that called it; None if that is not recorded.
        values: Local variables before the running line.
        line: Index of the running line; None if it is not recorded.
        statement: The running statement; None before the first line.
        offset: Bytecode offset of its latest line event.
        failed: Whether an exception was raised since the line began.
    """

    frame: FrameType
    number: int | None
    outer: int | None
    values: LocalValues = field(default_factory=dict)
    line: int | None = None
    statement: Statement | None = None
    offset: int = -1
    failed: bool = False


class StageLineRecorder:
    """Records the user's frames and lines in one stage, from events in the thread that runs them.

    Attributes:
        others: Files already known to be of no interest.
    """

    def __init__(self, tools: UserLines, part: OpenStage) -> None:
        self._tools = tools
        self.error_boundary = self._log = tools.log
        self._part = part
        self.others = tools.others
        self._stack: list[OpenFrame] = []

    def wants(self, frame: FrameType) -> bool:
        """Whether a frame runs code of the user whose lines can be recorded."""
        code = frame.f_code
        path = code.co_filename
        tools = self._tools
        if path[:1] != "<" and not tools.is_user_code(path):
            return False
        is_users = path in tools.sources.own or tools.statements(path) or self._is_called(frame)
        if not is_users or code.co_name in _COMPREHENSIONS:
            return False
        if KEEPS_LOCALS and looks_at_own_locals(code):
            self._report_lines_left_out(code)
            return False
        return True

    @within_error_boundary_in_trace_function
    def _is_called(self, frame: FrameType) -> bool:
        """Whether code without source is the user's, because one of their lines calls it.

        Libraries also create code from strings, for named tuples and dataclasses.
        """
        tools, names, stack = self._tools, frame.f_globals, self._stack
        if not stack or stack[-1].frame is not frame.f_back:
            return False
        filename, name = dict.get(names, "__file__"), dict.get(names, "__name__")
        if type(name) is str and name.startswith("namedtuple_"):
            return False
        return type(filename) is not str or (
            tools.is_user_code(filename) and bool(tools.statements(filename))
        )

    @within_error_boundary_in_trace_function
    def _report_lines_left_out(self, code: CodeType) -> None:
        if code not in self._tools.left_out:
            self._tools.left_out.add(code)
            with self._log.lock:
                text = say("recording.locals", function=code.co_qualname)
                self._log.find("lines_left_out", text)

    @within_error_boundary_in_trace_function
    def enters(self, frame: FrameType, *, again: bool) -> None:
        """Record that a frame begins to run, or a generator again where it stopped."""
        statement = None
        if again:
            statement = self._tools.statement(frame.f_code.co_filename, frame.f_lineno)
            if not statement.resumes:
                return  # Its next line event opens it.
        with self._log.lock, disabled_torch_modes():
            opened = self._open(frame, again=again)
            if statement is not None:
                self._begin(opened, statement)

    def _open(self, frame: FrameType, *, again: bool) -> OpenFrame:
        part = self._part
        if len(part.lines) >= MOST_LINES:
            opened = OpenFrame(frame, None, part.line)
        else:
            opened = OpenFrame(frame, len(part.frames), part.line)
            opened.values = values = self._tools.values.of(frame, {})
            code = frame.f_code
            kept = tuple(frame.f_locals) if again else parameters(code)
            part.frames.append(
                UserFrame(
                    function=self._tools.sources.line(code, code.co_firstlineno),
                    arguments=named(values, kept),
                    caller=part.line,
                )
            )
        self._stack.append(opened)
        return opened

    @within_error_boundary_in_trace_function
    def runs(self, frame: FrameType, line: int, offset: int) -> None:
        """Record that a line of a frame is about to run, whose bytecode begins at an offset."""
        stack = self._stack
        opened = stack[-1] if stack and stack[-1].frame is frame else self._top(frame)
        statement = self._tools.statement(frame.f_code.co_filename, line)
        if opened is not None and opened.statement is statement:
            # A statement on several lines causes several events; only a jump back begins it again.
            turns = statement.repeats and offset <= opened.offset
            opened.offset = offset
            if not turns:
                return
        if opened is not None and opened.line is None and len(self._part.lines) >= MOST_LINES:
            self._count(opened, statement, offset)
            return
        with self._log.lock, disabled_torch_modes():
            if opened is None:
                opened = self._open(frame, again=True)
            self._finish(opened, finished=not opened.failed)
            self._begin(opened, statement)

    def _count(self, opened: OpenFrame, statement: Statement, offset: int) -> None:
        """Count a line that is not recorded."""
        opened.statement, opened.offset = statement, offset
        part = self._part
        part.more_lines += 1
        if part.more_lines % _FLUSH_EVERY == 0:
            with self._log.lock:
                self._tools.stages.mark_changed(part)
                self._log.flush_soon()

    def _top(self, frame: FrameType) -> OpenFrame | None:
        """The open call of a frame, after closing calls inside it that are over."""
        stack = self._stack
        if stack and stack[-1].frame is frame:
            return stack[-1]
        if frame not in [each.frame for each in stack]:
            return None
        with self._log.lock, disabled_torch_modes():
            while stack[-1].frame is not frame:
                self._close(finished=False)
        return stack[-1]

    def _begin(self, opened: OpenFrame, statement: Statement) -> None:
        part, log = self._part, self._log
        frame = opened.frame
        opened.statement = statement
        opened.offset = frame.f_lasti
        opened.failed = False
        opened.line = None
        if opened.number is None or len(part.lines) >= MOST_LINES:
            part.more_lines += 1
        else:
            location = self._tools.sources.line(frame.f_code, statement.line)
            last = max(statement.last_line, location.line)
            part.lines.append(
                OpenLine(
                    frame=opened.number, location=location, last_line=last, started_ns=log.now()
                )
            )
            # Only now: an exception from outside may come before the line is there.
            opened.line = len(part.lines) - 1
        part.line = opened.line
        self._tools.stages.mark_changed(part)
        log.flush_soon()

    def _finish(self, opened: OpenFrame, *, finished: bool, result: Item | None = None) -> None:
        if opened.line is None or opened.statement is None:
            return
        statement = opened.statement
        after = self._tools.values.of(opened.frame, opened.values, writes=statement.writes)
        bound = statement.binds if finished else ()
        line = self._part.lines[opened.line]
        line.changes = changes(opened.values, after, bound)
        line.removed = removed(opened.values, after)
        line.result = result
        line.duration_ns = self._log.now() - line.started_ns
        line.finished = finished
        opened.values = after

    @within_error_boundary_in_trace_function
    def raises(self, frame: FrameType) -> None:
        """Record that an exception was raised in a frame, or reached it from a call."""
        opened = self._top(frame)
        if opened is not None:
            opened.failed = True

    @within_error_boundary_in_trace_function
    def leaves(self, frame: FrameType, how: Exit, value: object) -> None:
        """Record that a frame stops running; ``value`` is what it has returned or yielded."""
        opened = self._top(frame)
        if opened is None:
            return
        with self._log.lock, disabled_torch_modes():
            result = None
            if how == "returned" and opened.line is not None and _shows_value(opened, value):
                result = self._tools.values.item("result", value)
            self._close(finished=how != "raised", result=result)

    def _close(self, *, finished: bool, result: Item | None = None) -> None:
        opened = self._stack.pop()
        self._finish(opened, finished=finished, result=result)
        self._part.line = opened.outer

    @within_error_boundary
    def close(self) -> None:
        """Close all frames, because the code of the stage is over."""
        with self._log.lock, disabled_torch_modes():
            while self._stack:
                self._close(finished=False)
            self._part.line = None


def _shows_value(opened: OpenFrame, value: object) -> bool:
    """Whether a returned value is the result of the last line, not just an implicit None."""
    if opened.frame.f_code.co_name == _LAMBDA:
        return True
    statement = opened.statement
    if statement is None or not statement.returns:
        return False
    return value is not None or statement.line == statement.last_line
