"""Shared helpers for recording lines: which files are the user's, and their statements."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType

from gradviz.analysis.source_statements import SourceStatements, Statement, statements_of
from gradviz.recorder.inside.local_variables import LocalVariableReader
from gradviz.recorder.inside.stage_recorder import StageRecorder
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import SourceRecorder, is_gradviz, is_library, text_of


@dataclass(slots=True)
class UserLines:
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
