"""State of a call that types override, while it is in progress."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import torch

from gradviz.model.item import Item
from gradviz.model.step import DispatchAnswer
from gradviz.recorder.call_site_names import CallSite
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.run_errors import frames_of
from gradviz.recorder.sources import is_hidden
from gradviz.recorder.user_traceback import traceback_of

_OF_TENSOR: CodeType = vars(torch.Tensor)["__torch_function__"].__func__.__code__


class OverrideAnswerTracer:
    """Watches the functions that a ``__torch_function__`` calls while it runs in this thread.

    It uses Python's hook for profilers, and sees nothing while a profiler of the user is active.

    Attributes:
        code: Code of the ``__torch_function__``.
        is_default: Whether it called the one of ``torch.Tensor``, or did the same thing.
        is_fallback: Whether it called the torch function again.
        profiler_active: Whether a profiler of the user was active.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.is_default = False
        self.is_fallback = False
        self.profiler_active = False
        self._last: CodeType | None = None
        self._returned: Any = None
        self._before: Any = None
        self._on = False

    def __enter__(self) -> None:
        before = sys.getprofile()
        if before is None or isinstance(getattr(before, "__self__", None), OverrideAnswerTracer):
            self._before = before
            self._on = True
            sys.setprofile(self._notice)
        else:
            self.profiler_active = True

    def __exit__(self, *exception: object) -> None:
        if self._on and getattr(sys.getprofile(), "__self__", None) is self:
            sys.setprofile(self._before)
        self._on = False

    def _notice(self, frame: FrameType, event: str, value: Any) -> None:
        HANDLERS.go_on()
        if event not in ("call", "return"):
            return
        outer = frame.f_back
        if outer is None or outer.f_code is not self.code:
            return
        code = frame.f_code
        if code is _OF_TENSOR:
            self.is_default = True
        elif event == "return" and _is_handler(code):
            self._last, self._returned = code, value

    def mark_default(self) -> None:
        """Note that it does the same thing as the one of ``torch.Tensor``."""
        self.is_default = True

    def mark_fallback(self) -> None:
        """Note that it called the torch function again."""
        self.is_fallback = True

    def handler(self, result: Any) -> CodeType | None:
        """The function that made a result; None if the ``__torch_function__`` did."""
        return self._last if self._last is not None and self._returned is result else None

    def raiser(self, error: BaseException) -> CodeType | None:
        """The function that an exception came through; None if it came through none."""
        codes = [frame.f_code for frame, _ in frames_of(traceback_of(error))]
        if self.code not in codes:
            return None
        below = codes[codes.index(self.code) + 1 :]
        return below[0] if below and _is_handler(below[0]) else None

    def forget(self) -> None:
        """Release the last returned value."""
        self._returned = None


def _is_handler(code: CodeType) -> bool:
    name = code.co_name
    if name.startswith("<") and name != "<lambda>":
        return False
    return name not in ("__init__", "__new__") and not is_hidden(code.co_filename)


@dataclass(slots=True)
class OpenOverrideCall:
    """A call of a torch function that types override.

    Attributes:
        step: Number of its step.
        function: The torch function.
        name: Its public name.
        kinds: The types, in the order in which torch asks them.
        started: Start in ns since the recording began.
        pass_id: The backward pass in which it is called.
        inputs: Its arguments.
        site: Where it is called.
        part: The stage that is open while a type answers; None if stages are not recorded.
        answers: Answers so far, by type.
        answering: The type that is answering; None between two types.
        watch: Watches what that type's ``__torch_function__`` calls.
        torch_result: torch's own result, before it was converted back to the subclass.
        outputs: What it has returned.
        error: The exception that it raised; empty if none.
    """

    step: int
    function: Any
    name: str
    kinds: tuple[type, ...]
    started: int
    pass_id: int | None
    inputs: tuple[Item, ...]
    site: CallSite
    part: OpenStage | None = None
    answers: dict[type, DispatchAnswer] = field(default_factory=dict)
    answering: type | None = None
    watch: OverrideAnswerTracer | None = None
    torch_result: Any = None
    outputs: tuple[Item, ...] = ()
    error: str = ""

    def is_of(self, function: Any) -> bool:
        """Whether this is a call of ``function``."""
        # Each access to ``Tensor.shape.__get__`` creates another object.
        return function is self.function or (
            type(function) is type(self.function) is _METHOD_WRAPPER and function == self.function
        )


_METHOD_WRAPPER = type(object().__str__)
