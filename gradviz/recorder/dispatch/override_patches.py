"""Wrappers around the ``__torch_function__`` of types, installed while recording."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.dispatch.override_calls import OverrideCallRecorder
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.patching.clone_signature import with_signature_of
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.safe_text import class_attributes
from gradviz.recorder.tensors import tensor_compat

_NAME = "__torch_function__"
_BACKWARD = frozenset(("backward", "grad"))


def starts_backward(function: Callable[..., Any]) -> bool:
    """Whether a function starts a backward pass."""
    return getattr(function, "__name__", "") in _BACKWARD


class OverridePatches:
    """Calls functions that types override; wraps each ``__torch_function__`` on its first use."""

    def __init__(
        self,
        calls: OverrideCallRecorder,
        lines: LineRecorder,
        recording_ops: Callable[[Any, OpenStage | None], AbstractContextManager[None]],
        active_in_this_thread: Callable[[], AbstractContextManager[object]],
    ) -> None:
        """Prepare to wrap methods.

        Args:
            calls: Records the calls.
            lines: Records the source lines of the wrapped methods.
            recording_ops: Context that records the ops of a torch function in a stage.
            active_in_this_thread: Context in which the recording's function mode is enabled.
        """
        self._calls = calls
        self._lines = lines
        self._recording_ops = recording_ops
        self._active_in_this_thread = active_in_this_thread
        # By identity, because a metaclass may define equality.
        self._replaced: dict[int, tuple[type, Any, Any]] = {}

    def _prepare(self, kinds: tuple[type, ...]) -> None:
        """Wrap the ``__torch_function__`` of types, where that is possible."""
        for kind in kinds:
            owner = tensor_compat.torch_function_owner(kind)
            if owner is not None and id(owner) not in self._replaced:
                self._replace(owner)

    def _replace(self, owner: type) -> None:
        held = class_attributes(owner)[_NAME]
        form: Callable[[Any], Any] = type(held)
        original = held if isinstance(held, FunctionType) else getattr(held, "__func__", None)
        if not isinstance(original, FunctionType):
            return
        clone = with_signature_of(original, self._body(original))
        wrapped = clone if held is original else form(clone)
        try:
            # Bypass a metaclass that could intercept it.
            type.__setattr__(owner, _NAME, wrapped)
        except TypeError:
            return
        self._replaced[id(owner)] = owner, held, wrapped

    @calls_user_code
    def call(
        self,
        function: Callable[..., Any],
        kinds: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a torch function that asks types for its answer, and record who answers."""
        if tensor_compat.is_backward_hooks_access(function):
            return function(*args, **kwargs)
        self._prepare(kinds)
        since = compat.sequence_number(), self._calls.error_boundary.now()
        records_inside = not starts_backward(function)
        call = self._calls.begin(function, kinds, args, kwargs, inside=records_inside)
        if call is None:
            return function(*args, **kwargs)
        try:
            with self._recording_ops(function, call.part):
                result = function(*args, **kwargs)
        except BaseException as error:
            self._calls.abandon(call, error)
            raise
        if compat.sequence_number() != since[0] and records_inside:
            self._calls.note_nodes(call, args, kwargs, result, since)
        self._calls.finish(call, result)
        return result

    def _body(self, original: FunctionType) -> Callable[..., Any]:
        @calls_user_code
        def body(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            call = self._calls.begin_answer(original.__code__, args)
            if call is None or call.watch is None:
                return original(*args, **kwargs)
            try:
                with self._active_in_this_thread(), call.watch:
                    result = self._lines.call(call.part, original, args, kwargs)
            except BaseException as error:
                self._calls.end_answer(call, None, error)
                raise
            self._calls.end_answer(call, result, None)
            return result

        return body

    def remove(self) -> None:
        """Restore every method that nobody else has replaced in the meantime."""
        for owner, held, wrapped in self._replaced.values():
            if class_attributes(owner).get(_NAME) is wrapped:
                type.__setattr__(owner, _NAME, held)
        self._replaced.clear()
