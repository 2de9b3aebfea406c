"""Shared helpers for recording lines: which files are the user's, and their statements."""

from __future__ import annotations

import functools
import linecache
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

from gradviz.model.statements import Statement, Statements, statements_of
from gradviz.recorder.insides import Insides
from gradviz.recorder.line_values import LineValues
from gradviz.recorder.log import Log
from gradviz.recorder.sources import Sources, is_library

_PACKAGE = Path(__file__).parents[1]
_OURS, _SCENES = f"{_PACKAGE}{os.sep}", f"{_PACKAGE / 'gallery' / 'scenes'}{os.sep}"


@functools.cache
def _is_ours(path: str) -> bool:
    """Whether a file belongs to gradviz and is not a gallery scene."""
    return path.startswith(_OURS) and not path.startswith(_SCENES)


@dataclass(slots=True)
class LineTools:
    """Objects and caches that all stages of a recording share.

    Attributes:
        others: Files already known not to be the user's.
        texts: Parsed statements of each file.
        left_out: Code that a finding already reports as not recorded.
    """

    log: Log
    sources: Sources
    insides: Insides
    values: LineValues
    others: set[str] = field(default_factory=set)
    texts: dict[str, Statements] = field(default_factory=dict)
    left_out: set[CodeType] = field(default_factory=set)

    def is_users(self, path: str) -> bool:
        """Whether a file is the user's."""
        users = path in self.sources.own or not (is_library(path) or _is_ours(path))
        if not users:
            self.others.add(path)
        return users

    def statement(self, path: str, line: int) -> Statement:
        """The statement at a line; just that line if there is no source."""
        return self.statements(path).at(line) or Statement(line=line, last_line=line)

    def statements(self, path: str) -> Statements:
        """The statements of a file; none if there is no source."""
        known = self.texts.get(path)
        if known is None:
            known = self.texts[path] = statements_of("".join(linecache.getlines(path)))
        return known
