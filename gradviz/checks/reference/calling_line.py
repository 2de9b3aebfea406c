"""The line of user code that is currently calling torch."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import torch

from gradviz.catalogue.messages import say
from gradviz.recorder.sources import shown_path

_NOT_THEIRS = (
    str(Path(torch.__file__).parent) + os.sep,
    str(Path(__file__).parent.parent) + os.sep,
)


@dataclass(frozen=True, slots=True)
class CallingLine:
    """A line of user code.

    Attributes:
        path: Path of its file.
        line: Line number, starting at 1.
        function: Name of the enclosing function.
    """

    path: str
    line: int
    function: str

    @property
    def file(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name

    def __str__(self) -> str:
        """The file name and line, to end a sentence."""
        return say("line_of_file", file=self.file, line=self.line)


def find_calling_line() -> CallingLine | None:
    """The innermost stack line outside torch and the check; None if there is none."""
    frame = find_calling_frame()
    if frame is None:
        return None
    return CallingLine(shown_path(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_name)


def find_calling_frame() -> FrameType | None:
    """The innermost stack frame outside torch and the check; None if there is none."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_THEIRS):
        frame = frame.f_back
    return frame
