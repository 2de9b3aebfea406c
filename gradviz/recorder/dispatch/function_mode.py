"""Torch-function mode that records each torch call of the user that creates a node.

Wrappers around the ``__torch_function__`` of types, installed while recording.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

import torch
from torch.nn.modules import module as torch_module
from torch.overrides import TorchFunctionMode

from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import complete_interrupted, completed_by
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.dispatch.override_calls import OpenOverrideCall, OverrideCallRecorder
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder
from gradviz.recorder.forward.grad_history import GradHistoryTracker
from gradviz.recorder.forward.in_place_writes import InPlaceWriteRecorder
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.patching.clone_signature import with_signature_of
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.safe_text import class_attributes
from gradviz.recorder.sources import current_frame
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.thread_state import ThreadState
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.torch_functions import TorchFunction, torch_function
from gradviz.recorder.trace_function import pausable_trace_function, set_trace_function

_NAME = "__torch_function__"


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
        self._patches = AttributePatches()

    def _prepare(self, kinds: tuple[type, ...]) -> None:
        """Wrap the ``__torch_function__`` of types, where that is possible."""
        for kind in kinds:
            owner = tensor_compat.torch_function_owner(kind)
            if owner is not None and not self._patches.has(owner, _NAME):
                self._replace(owner)

    def _replace(self, owner: type) -> None:
        held = class_attributes(owner)[_NAME]
        form: Callable[[Any], Any] = type(held)
        original = held if isinstance(held, FunctionType) else getattr(held, "__func__", None)
        if not isinstance(original, FunctionType):
            return
        clone = with_signature_of(original, self._body(original))
        wrapped = clone if held is original else form(clone)
        # A type whose attributes cannot be set is left as it is.
        with contextlib.suppress(TypeError):
            self._patches.replace(owner, _NAME, lambda _: wrapped)

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
        started, known = self._calls.error_boundary.now(), torch_function(function)
        since = compat.sequence_number()
        torch_call = TorchCall(known, args, kwargs, since, started=started)
        records_inside = not known.starts_pass
        call = self._calls.begin(function, kinds, args, kwargs, inside=records_inside)
        if call is None:
            return function(*args, **kwargs)
        try:
            with self._recording_ops(known.function, call.part):
                torch_call.result = result = function(*args, **kwargs)
        except BaseException as error:
            complete_interrupted(error)
            self._calls.abandon(call, error)
            raise
        if compat.sequence_number() != torch_call.since and records_inside:
            self._calls.note_nodes(call, torch_call)
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
                complete_interrupted(error)
                self._calls.end_answer(call, None, error)
                raise
            self._calls.end_answer(call, result, None)
            return result

        return body

    def remove(self) -> None:
        """Restore every method that nobody else has replaced in the meantime."""
        self._patches.remove()


_NOTHING = contextlib.nullcontext()
_OWN_CLASSES = tensor_compat.OWN_CLASSES
_version = tensor_compat.version_counter


def has_torch_function_override(kinds: Iterable[type]) -> bool:
    """Whether torch is about to ask types and at least one of them overrides functions."""
    # Every call of a layer passes parameters.
    if _OWN_CLASSES.issuperset(kinds):
        return False
    asked = [kind for kind in kinds if tensor_compat.torch_function_owner(kind) is not None]
    return bool(asked) and tensor_compat.is_torch_function_enabled()


def _is_update(func: Callable[..., Any], thread: ThreadState) -> bool:
    """Whether an optimizer of torch that runs in a thread calls a function with gradients off."""
    if not torch.is_grad_enabled():
        return True
    # It is about to switch gradients off, or has raised.
    thread.is_updating = func is compat.set_grad_enabled
    return False


@calls_user_code
def _call(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return func(*args, **kwargs)


class FunctionMode(TorchFunctionMode):
    """The torch-function mode of a recording.

    Torch disables the mode while ``__torch_function__`` runs, so calls that a torch function makes
    internally are not steps. Calls that a user's type makes to answer are.
    """

    def __init__(
        self,
        context: RecordingContext,
        steps: ForwardStepRecorder,
        writes: InPlaceWriteRecorder,
        histories: GradHistoryTracker,
        hooks: TensorHookRecorder,
        ends: HistoryEnds,
        lines: LineRecorder,
    ) -> None:
        super().__init__()
        self._log = context.log
        self._steps = steps
        self._writes = writes
        self._thread_states = context.thread_states
        self._histories = histories
        self._hooks = hooks
        self._ends = ends
        self._override_calls = OverrideCallRecorder(context, steps)
        self._overrides = OverridePatches(
            self._override_calls, lines, self.recording_ops, self.active_in_this_thread
        )
        self._ops = context.ops
        self._call = _call if context.conversions is None else context.conversions.call
        self._listener = context.listener
        self._is_traced = lines.traces
        self._over = False
        self._popping: Any = None

    @calls_user_code
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function, and record it if it creates a node or asks types for an answer."""
        thread = self._thread_states.current()
        is_update = thread.is_updating and _is_update(func, thread)
        # Other threads may still have the mode on their stacks, where `remove` cannot reach it.
        if self._over or is_update or (not self._log.alive and self._listener.remove_ended()):
            return func(*args, **kwargs) if kwargs else func(*args)
        kwargs = kwargs or {}
        if types and has_torch_function_override(types):
            return self._overrides.call(func, tuple(types), args, kwargs)
        known, overrides = torch_function(func), self._override_calls
        if known.role == "inert" and self._ops is None and not overrides.running:
            return func(*args, **kwargs)
        # The rest is our own code, but for the call of the function itself.
        trace = pausable_trace_function() if self._is_traced else None
        try:
            set_trace_function(None) if trace is not None else None
            answered = overrides.answered_by(func) if overrides.running else None
            # The counter is per thread, so a change means that this call created a node.
            call = TorchCall(known, args, kwargs, compat.sequence_number(), current_frame(1))
            # Arguments that the function writes to are recorded before the call.
            if known.writes:
                self._steps.before(call)
            counters = self._writes.counters(call.values, lists=known.writes)
            call.started = self._log.now()
            # A backward pass has steps of its own, which record its ops.
            records_ops = self._ops is not None and not known.starts_pass
            part = self._steps.begin_op_stage(call) if records_ops else None
            outer = thread.torch_call
            thread.torch_call = None if known.starts_pass else call
            try:
                if trace is not None:
                    set_trace_function(trace)
                    trace = None
                if self._ops is None:
                    call.result = result = func(*args, **kwargs)
                else:
                    with self.recording_ops(known.function, part):
                        call.result = result = self._call(func, args, kwargs)
                trace = pausable_trace_function() if self._is_traced else None
                set_trace_function(None) if trace is not None else None
                modified = [each for each, before in counters if _version(each) != before]
                part = self._returned(call, known, modified, answered, part)
            except BaseException as error:
                complete_interrupted(error)
                raise
            finally:
                thread.torch_call = outer
                if part is not None:
                    self._steps.end_op_stage(part)
        finally:
            if trace is not None:
                set_trace_function(trace)
        return result

    def _returned(
        self,
        call: TorchCall,
        known: TorchFunction,
        modified: list[torch.Tensor],
        answered: OpenOverrideCall | None,
        part: OpenStage | None,
    ) -> OpenStage | None:
        """Record a call that has returned, and return the stage of its ops if no step has it."""
        if self._histories.running:
            self._histories.called(call)
        if modified or known.role:
            if known.role == "hooks":
                self._hooks.called(call.function, call.args)
            elif known.role == "gradient" and call.result is None:
                self._ends.read_gradient(call.args[0])
            # Until a write is recorded, no other thread may remove the tensor that it names.
            with self._log.lock:
                # Before the step, whose nodes save what is there after the write.
                written = self._writes.written(call, modified, known.role)
                step, part = self._record(call, known, answered, part)
                if written:
                    self._writes.put(written, step)
        else:
            _, part = self._record(call, known, answered, part)
        if answered is not None:
            answered.torch_result = call.result
        return part

    def _record(
        self,
        call: TorchCall,
        known: TorchFunction,
        answered: OpenOverrideCall | None,
        part: OpenStage | None,
    ) -> tuple[int | None, OpenStage | None]:
        """Record the step of a call, if it has one; then the stage of its ops is no longer open."""
        if compat.sequence_number() == call.since:
            self._steps.name_result(call)
            self._ends.called(call)
            return None, part
        if known.starts_pass:
            return None, part
        if answered is not None:
            call.site = answered.site
        step = self._steps.record(call, part)
        self._ends.used(step, call.values)
        return step, None

    def is_recording_call(self) -> bool:
        """Whether this thread is in a torch function that becomes a step if it creates a node."""
        return self._thread_states.current().torch_call is not None

    def recording_ops(
        self, func: Callable[..., Any], part: OpenStage | None
    ) -> contextlib.AbstractContextManager[None]:
        """Context that records the ops of a function, if there is a stage for them."""
        if self._ops is None:
            return _NOTHING
        # Torch computes these differently under a mode, and recording must not change results.
        if getattr(func, "__name__", "") in compat.ALTERED_FUNCTIONS:
            return self._ops.set_enabled(on=False)
        return _NOTHING if part is None else self._ops.set_enabled(on=True)

    def active_in_this_thread(self) -> contextlib.AbstractContextManager[object]:
        """Context in which the mode is enabled in this thread.

        Torch disables it during ``loss.backward()``, but calls that a user's backward makes must be
        recorded. The engine passes the modes on to its own threads.
        """
        return _NOTHING if self._over or self.is_active() else _EnabledMode(self)

    def is_active(self) -> bool:
        """Whether the mode is on the stack of this thread."""
        return id(self) in map(id, compat.function_modes())

    def install(self) -> None:
        """Put the mode on the stack of this thread, also after `remove`."""
        self._over = False
        if self._popping is None:
            compat.push_mode(self)
        else:
            # It was removed while it handled a call, after which torch puts it back.
            self._popping.remove()
            self._popping = None

    def remove(self, *, during_run: bool = False) -> None:
        """Remove the mode from this thread and restore the methods it has wrapped.

        In other threads it only stops recording.

        Args:
            during_run: Whether the run goes on. If the mode is just handling a call, after which
                torch puts it back, the next call of a module then removes it.
        """
        self._over = True
        if self._popping is not None:
            self._popping.remove()
            self._popping = None
        if self.is_active():
            # More than once if another thread's exception has cut what switches it off.
            while self.is_active():
                compat.pop_mode(self)
        elif during_run:
            self._popping = torch_module.register_module_forward_pre_hook(self._pop)
        self._overrides.remove()

    def _pop(self, module: torch.nn.Module, args: Any) -> None:
        if self._popping is not None and self.is_active():
            compat.pop_mode(self)
            self._popping.remove()
            self._popping = None


class _EnabledMode:
    """Context in which a mode is enabled, entered and left in the recorder's own frames."""

    __slots__ = ("_mode",)

    def __init__(self, mode: FunctionMode) -> None:
        self._mode: FunctionMode | None = mode

    @completed_by("__exit__")
    def __enter__(self) -> None:
        compat.push_mode(self._mode)

    @completed_by("__exit__")
    def __exit__(self, *exception: object) -> None:
        # Not if the recording has paused or ended here in between.
        if self._mode is not None and self._mode.is_active():
            compat.pop_mode(self._mode)
        self._mode = None
