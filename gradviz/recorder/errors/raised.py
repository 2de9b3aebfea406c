"""What the frames of an exception's traceback know about the call of torch that raised it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from msgspec import Struct

from gradviz.model.source import Location
from gradviz.model.step import ErrorStep
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.frame_variables import variables_of
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import is_library

_TORCH = str(Path(torch.__file__).parent)
_MODE = "__torch_function__"


class Raised(Struct, frozen=True):
    """An exception that has ended the run, while its frames are still there.

    Attributes:
        context: What the recorders share.
        ends: Where histories ended.
        step: The step of the exception.
        frames: The frames of its traceback, outermost first.
    """

    context: RecordingContext
    ends: HistoryEnds
    step: ErrorStep
    frames: tuple[FrameType, ...]

    @property
    def line(self) -> int:
        """The line that raised; 0 if unknown."""
        return 0 if self.step.location is None else self.step.location.line

    def called(self) -> tuple[Any, tuple[Any, ...]]:
        """The torch function that raised and its positional arguments; None if unknown."""
        for frame in reversed(self.frames):
            known = frame.f_locals
            if frame.f_code.co_name == _MODE and "func" in known and "args" in known:
                return known["func"], tuple(known["args"])
        return None, ()

    def local(self, function: str, name: str) -> Any:
        """A variable of the innermost function of torch with a name; None if there is none."""
        for frame in reversed(self.frames):
            code = frame.f_code
            if code.co_name == function and code.co_filename.startswith(_TORCH):
                return frame.f_locals.get(name)
        return None

    def users(self) -> Iterator[FrameType]:
        """The frames of the run's own code, innermost first."""
        for frame in reversed(self.frames):
            if not is_library(frame.f_code.co_filename):
                yield frame

    def modules(self) -> Iterator[torch.nn.Module]:
        """The modules that ran, innermost first."""
        for frame in reversed(self.frames):
            module = frame.f_locals.get("self")
            if isinstance(module, torch.nn.Module):
                yield module

    def name_of(self, tensor: torch.Tensor) -> str:
        """A variable that holds a tensor where it was raised, or the tensor's name; or empty."""
        names = self.context.names
        known = self.variable_of(tensor) or names.find_leaf_name(tensor) or names.of(tensor)
        return known or self._parameter(tensor)

    def _parameter(self, tensor: torch.Tensor) -> str:
        """The path of a parameter of a module that a variable holds; empty if it is none."""
        for frame in self.users():
            for name, value in variables_of(frame):
                if not issubclass(type(value), torch.nn.Module):
                    continue
                for path, each in value.named_parameters():
                    if each is tensor:
                        return printable_text(f"{name}.{path}")
        return ""

    def variable_of(self, value: object) -> str:
        """A variable that holds a value where it was raised; empty if there is none."""
        for frame in self.users():
            for name, each in variables_of(frame):
                if each is value:
                    return printable_text(name)
        return ""

    def line_of_code(self, function: Any) -> Location | None:
        """Where a function is defined; None if it has no source."""
        code = getattr(function, "__code__", None)
        return None if code is None else self.context.sources.line(code, code.co_firstlineno)
