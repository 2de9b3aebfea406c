"""Wrappers around the ``__torch_function__`` of types, installed while recording."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.dispatch.function_mode import FunctionMode, starts_backward
from gradviz.recorder.dispatch.open_override_call import OpenOverrideCall
from gradviz.recorder.dispatch.override_calls import OverrideCallRecorder
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.patching.clone_signature import with_signature_of

_NAME = "__torch_function__"


class OverridePatches:
    """Calls functions that types override; wraps each ``__torch_function__`` on its first use."""

    def __init__(
        self, dispatches: OverrideCallRecorder, mode: FunctionMode, lines: LineRecorder
    ) -> None:
        self._dispatches = dispatches
        self._mode = mode
        self._lines = lines
        self._replaced: dict[type, tuple[Any, Any]] = {}

    def prepare(self, kinds: tuple[type, ...]) -> None:
        """Wrap the ``__torch_function__`` of these types, where that is possible."""
        for kind in kinds:
            owner = compat.protocol_owner(kind)
            if owner is not None and owner not in self._replaced:
                self._replace(owner)

    def _replace(self, owner: type) -> None:
        held = owner.__dict__[_NAME]
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
        self._replaced[owner] = held, wrapped

    def call(
        self,
        function: Callable[..., Any],
        kinds: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a torch function that asks types for its answer, and record who answers."""
        self.prepare(kinds)
        since = compat.sequence_number(), self._dispatches.border.now()
        looked_into = not starts_backward(function)
        call = self._dispatches.begin(function, kinds, args, kwargs, inside=looked_into)
        if call is None:
            return function(*args, **kwargs)
        try:
            with self._mode.looking(function, call.part):
                result = function(*args, **kwargs)
        except BaseException as error:
            self._dispatches.abandon(call, error)
            raise
        if compat.sequence_number() != since[0] and looked_into:
            self._dispatches.note_nodes(call, args, kwargs, result, since)
        self._dispatches.finish(call, result)
        return result

    def again(self, function: Callable[..., Any]) -> OpenOverrideCall | None:
        """The overridden call that torch itself answers with this call, if any."""
        return self._dispatches.again(function)

    def _body(self, original: FunctionType) -> Callable[..., Any]:
        def body(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            call = self._dispatches.ask(original.__code__, args)
            if call is None or call.watch is None:
                return original(*args, **kwargs)
            try:
                with self._mode.active_in_this_thread(), call.watch:
                    result = self._lines.call(call.part, original, args, kwargs)
            except BaseException as error:
                self._dispatches.answered(call, None, error)
                raise
            self._dispatches.answered(call, result, None)
            return result

        return body

    def remove(self) -> None:
        """Restore every method that nobody else has replaced in the meantime."""
        for owner, (held, wrapped) in self._replaced.items():
            if owner.__dict__.get(_NAME) is wrapped:
                type.__setattr__(owner, _NAME, held)
        self._replaced.clear()
