"""Detection of values in custom Functions that lose their autograd history.

A double backward differentiates a backward along the histories of what it computed. A value that
forward kept although it is neither an input nor an output, or that backward detached, counts as a
constant. Torch does not report this.
"""

from __future__ import annotations

from threading import get_ident
from types import CodeType
from typing import Any, Literal

import torch
from msgspec import Struct

from gradviz.recorder import compat
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.captured_tensors import (
    CapturedTensorFinder,
    ForwardHistory,
)
from gradviz.recorder.forward.ctx_declarations import ReturnedCall
from gradviz.recorder.forward.function_source import attribute_line, saving_line
from gradviz.recorder.forward.lost_history import (
    LostHistory,
    MethodHistory,
    address_of,
    ends_gradient,
    is_number,
)
from gradviz.recorder.forward.open_function_call import OpenFunctionCall
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import LineOfCode
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import unreadable_reason
from gradviz.recorder.torch_call import TorchCall

_FOUND_BY_VALUE = LostHistory("lost", "")
"""The history is missing, but no call was seen to lose it."""


class CutGradient(Struct, frozen=True):
    """A gradient that a user's ``backward`` has returned and that has lost a history.

    Attributes:
        argument: Index of the argument.
        kind: How it was lost; ``unseen`` if no call was seen to lose it, ``once`` if the Function
            has said that no second derivative is wanted.
        name: Name of the value or function; see `LostHistory`.
        line: The line of the call; None if there is none.
        extent: Whether it has lost all of it.
    """

    argument: int
    kind: str
    name: str
    line: LineOfCode | None
    extent: Literal["whole", "part"]


class GradHistoryTracker(Recorder):
    """Follows histories through running methods.

    Attributes:
        running: The methods that run in each thread, innermost last.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._captured = CapturedTensorFinder(context.names)
        self.running: dict[int, list[MethodHistory]] = {}

    @within_error_boundary
    def begin_forward(self, call: OpenFunctionCall) -> MethodHistory | None:
        """Start to follow a call of ``apply``; None if nothing in it can be differentiated."""
        if call.facts.nested or not torch.is_grad_enabled():
            return None
        return self._begin(ForwardHistory(call=call, captured=call.facts.captured))

    @within_error_boundary
    def begin_backward(self, stale: dict[int, LostHistory]) -> MethodHistory | None:
        """Start to follow a user's ``backward``; None if it cannot be differentiated.

        Under functorch a tensor does not show whether it has a history: that may be inside its
        wrapper.

        Args:
            stale: What forward has kept; see `keep`.
        """
        if not torch.is_grad_enabled() or compat.functorch_is_active():
            return None
        return self._begin(MethodHistory(stale=stale))

    def _begin(self, method: MethodHistory) -> MethodHistory:
        self.running.setdefault(get_ident(), []).append(method)
        return method

    @within_error_boundary
    def end(self, method: MethodHistory) -> None:
        """Stop following a method that has returned or raised."""
        methods = self.running.get(get_ident(), [])
        if method in methods:
            del methods[methods.index(method) :]
        if not methods:
            self.running.pop(get_ident(), None)

    @within_error_boundary
    def called(self, call: TorchCall) -> None:
        """Follow a torch function that was called in this thread."""
        methods = self.running.get(get_ident())
        # An exception from outside may leave an empty list behind.
        if not methods:
            return
        differentiable = torch.is_grad_enabled()
        with self._log.lock, disabled_torch_modes():
            method = methods[-1]
            # A method that enables gradients differentiates what it computes by itself.
            if isinstance(method, ForwardHistory) and method.call.inside and not differentiable:
                self._captured.called(method, call)
            method.called(call)

    @within_error_boundary
    def returned(
        self,
        method: MethodHistory,
        needs: tuple[bool, ...],
        gradients: Any,
        result: Any,
        *,
        once: bool,
    ) -> list[CutGradient]:
        """The gradients of a user's ``backward`` that have lost a history.

        Args:
            method: The history of the method.
            needs: Which arguments need a gradient.
            gradients: What it was given, as torch has passed it.
            result: What it has returned.
            once: Whether it is decorated with ``once_differentiable``.
        """
        values = result if isinstance(result, tuple) else (result,)
        found: list[CutGradient] = []
        with self._log.lock, disabled_torch_modes():
            boxed = len(gradients) == 1 and isinstance(gradients[0], list)
            given = gradients[0] if boxed else gradients
            given = [each for each in given if isinstance(each, torch.Tensor)]
            linear = len(given) == 1 and tensor_compat.requires_grad_of(given[0])
            for argument, value in enumerate(values):
                needed = argument < len(needs) and needs[argument]
                if not needed or not isinstance(value, torch.Tensor) or not is_number(value):
                    continue
                losses = method.losses(value)
                has_history = tensor_compat.requires_grad_of(value)
                if not losses and linear and not has_history and _is_nonzero(value):
                    # A gradient is linear in grad_output, so one that is not zero depends on it.
                    losses = frozenset((_FOUND_BY_VALUE,))
                # With `once_differentiable`, it leads to an error node, which is reported already.
                if losses and not (once and has_history):
                    found.append(_cut(argument, losses, once=once, has_history=has_history))
        return found


def find_values_without_history(
    method: MethodHistory, call: ReturnedCall, code: CodeType | None
) -> dict[int, LostHistory]:
    """Values without a history that forward or setup_context kept for backward, by address.

    Args:
        method: The history of the call.
        call: What it has left behind.
        code: The code of the method that kept them.
    """
    stale: dict[int, LostHistory] = {}
    for name, value in vars(call.ctx).items():
        if _is_stale(method, value):
            line = _line(code, attribute_line(code, name))
            stale[address_of(value)] = LostHistory("context", printable_text(name), line)
    for position, (value, (role, _)) in enumerate(call.saved):
        if role in ("intermediate", "view_of_input") and _is_stale(method, value):
            name = call.names[position] if call.names else f"saved {position}"
            stale[address_of(value)] = LostHistory("saved", name, _line(code, saving_line(code)))
    return stale


def _is_stale(method: MethodHistory, value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or not ends_gradient(value) or not is_number(value):
        return False
    has_history = tensor_compat.requires_grad_of(value) or bool(method.losses(value))
    return has_history and bool(address_of(value))


def _line(code: CodeType | None, line: int | None) -> LineOfCode | None:
    return None if code is None or line is None else (code, line)


def _cut(
    argument: int, losses: frozenset[LostHistory], *, once: bool, has_history: bool
) -> CutGradient:
    lost = min(losses, key=lambda each: (_ORDER.index(each.kind), each.name))
    kind = "once" if once else "unseen" if lost is _FOUND_BY_VALUE else lost.kind
    line = None if once else lost.line
    return CutGradient(argument, kind, lost.name, line, "part" if has_history else "whole")


_ORDER = ("saved", "context", "lost")


def _is_nonzero(gradient: torch.Tensor) -> bool:
    return not unreadable_reason(gradient) and bool(gradient.any())
