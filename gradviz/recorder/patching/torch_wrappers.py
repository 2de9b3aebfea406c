"""Replacements for functions of torch during a recording, each calling the original.

Exceptions of the user pass through unchanged. Each wrapper that calls user code keeps a
`FrameContext`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from torch.autograd import graph as autograd_graph

from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import complete_interrupted
from gradviz.recorder.autograd_graph import is_torch_class
from gradviz.recorder.backward.backward_passes import BackwardPassRecorder, engine_call_of
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.backward.open_passes import is_in_pass
from gradviz.recorder.dispatch.function_mode import FunctionMode
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder
from gradviz.recorder.forward.function_calls import FunctionCallRecorder
from gradviz.recorder.forward.grad_history import GradHistoryTracker
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.patching.patches import Apply, FunctionClassPatches
from gradviz.recorder.patching.signals import calls_user_code, ends_recorder_code
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.run_errors import FrameContext
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.torch_functions import torch_function

OriginalFunction = Callable[..., Any]


class TorchWrappers:
    """Creates the wrappers of one recording."""

    def __init__(
        self,
        context: RecordingContext,
        calls: FunctionCallRecorder,
        passes: BackwardPassRecorder,
        execution: NodeExecutionRecorder,
        steps: ForwardStepRecorder,
        histories: GradHistoryTracker,
        mode: FunctionMode,
        lines: LineRecorder,
    ) -> None:
        self._log = context.log
        self._listener = context.listener
        self._calls = calls
        self._passes = passes
        self._execution = execution
        self._steps = steps
        self._mode = mode
        self._ops = context.ops
        self._lines = lines
        self._histories = histories
        self.classes = FunctionClassPatches(self.method)

    def apply(self, original: OriginalFunction) -> Apply:
        """Wrap ``Function.apply``."""

        @calls_user_code
        def apply(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if not self._log.alive or self._calls.is_functorch_reapply(cls):
                return original(cls, *args, **kwargs)
            # Functions of torch itself, such as checkpoint's, are recorded like ops.
            if is_torch_class(cls):
                return self._apply_of_torch(original, cls, args, kwargs)
            return self._apply_of_user(original, cls, args, kwargs)

        return apply

    @calls_user_code
    def _apply_of_user(
        self, original: OriginalFunction, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        self.classes.prepare(cls)
        call = self._calls.begin(cls, args, kwargs)
        if call is None:
            return original(cls, *args, **kwargs)
        # An exception of a signal may come after each call.
        try:
            call.histories = self._histories.begin_forward(call)
            try:
                with self._op_recording(on=True):
                    result = original(cls, *args, **kwargs)
            finally:
                if call.histories is not None:
                    self._histories.end(call.histories)
            self._calls.finish(call, result)
        # KeyboardInterrupt and SystemExit leave the step open as well.
        except BaseException as error:
            complete_interrupted(error)
            # `frames_of` finds this local in the traceback by its name, see `FrameContext`.
            gradviz_mark = FrameContext("forward", call=call.facts, pass_id=call.pass_id)
            gradviz_mark.node = call.facts.node
            self._calls.abandon(call)
            raise
        return result

    def _op_recording(self, *, on: bool) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self._ops is None else self._ops.set_enabled(on=on)

    @calls_user_code
    def _apply_of_torch(
        self, original: OriginalFunction, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if self._mode.is_recording_call():
            # As that of an op of ``torch.library.custom_op``: the step of the op has its node.
            return original(cls, *args, **kwargs)
        since, started = compat.sequence_number(), self._log.now()
        call = TorchCall(torch_function(cls), args, kwargs, since, started=started)
        part = None
        if self._ops is not None:
            part = self._steps.begin_op_stage(call)
        try:
            with contextlib.nullcontext() if part is None else self._op_recording(on=True):
                call.result = result = original(cls, *args, **kwargs)
        except BaseException as error:
            complete_interrupted(error)
            self._steps.end_op_stage(part)
            raise
        if compat.sequence_number() != call.since:
            self._steps.record(call, part)
        else:
            self._steps.end_op_stage(part)
        return result

    @calls_user_code
    def method(
        self, name: str, original: OriginalFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run ``forward`` or ``setup_context`` of a user's Function and record it."""
        call = self._calls.enter(name, original, args)
        if call is None:
            return original(*args, **kwargs)
        result = self._lines.call(call.part, original, args, kwargs)
        self._calls.leave(call, name, args, result)
        return result

    def backward(self, original: OriginalFunction) -> OriginalFunction:
        """Wrap ``BackwardCFunction.apply``, which the engine calls to run a user's backward."""
        execution = self._execution

        @calls_user_code
        def apply(node: Any, *gradients: Any) -> Any:
            entry = execution.running(node)
            if entry is None or entry.facts.kind != "custom":
                return original(node, *gradients)
            call = entry.facts.call
            method = None if call is None else self._histories.begin_backward(call.stale)
            try:
                result = self._run_backward(entry, original, node, gradients)
            finally:
                if method is not None:
                    self._histories.end(method)
            if method is not None and call is not None:
                needs, once = call.needs, call.once
                cuts = self._histories.returned(method, needs, gradients, result, once=once)
                execution.cut(entry, cuts or [])
            return result

        return apply

    @calls_user_code
    def _run_backward(
        self, entry: OpenNode, original: OriginalFunction, node: Any, gradients: tuple[Any, ...]
    ) -> Any:
        """Run a user's backward, and record what it receives and returns."""
        call = entry.facts.call
        gradviz_mark = FrameContext("backward", entry.facts.id, call, entry.pass_id)
        # Torch calls ``apply_boxed`` with all gradients in one list.
        boxed = len(gradients) == 1 and isinstance(gradients[0], list)
        self._execution.received(entry, tuple(gradients[0] if boxed else gradients))
        result = self._lines.call(entry.part, original, (node, *gradients), {})
        self._execution.returned(entry, result, () if boxed else gradients)
        # Only a traceback reads it.
        del gradviz_mark
        return result

    def materialize(self, original: OriginalFunction) -> OriginalFunction:
        """Wrap ``FunctionCtx.set_materialize_grads``."""

        @calls_user_code
        def set_materialize_grads(ctx: Any, value: bool) -> None:
            original(ctx, value)
            self._calls.materialize(value)

        return set_materialize_grads

    def thread(self, original: OriginalFunction) -> OriginalFunction:
        """Wrap what a new thread runs first, because torch's modes are enabled per thread."""
        mode = self._mode

        @calls_user_code
        def _bootstrap_inner(thread: Any) -> Any:
            with mode.active_in_this_thread():
                return original(thread)

        return _bootstrap_inner

    def engine(self, original: OriginalFunction) -> OriginalFunction:
        """Wrap ``_engine_run_backward``, which every backward pass goes through."""
        original = self._listener.passes.uncounted.get(id(original), original)

        @ends_recorder_code
        @calls_user_code
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._log.alive:
                if self._listener.remove_ended():
                    # What stands there now counts the passes.
                    engine = vars(autograd_graph)["_engine_run_backward"]
                    return engine(t_outputs, *args, **kwargs)
                return original(t_outputs, *args, **kwargs)
            is_outermost = not is_in_pass()
            if is_outermost:
                self._listener.passes.enter()
            # It may be an iterator, which can be read only once.
            outputs = tuple(t_outputs)
            running = self._passes.begin(engine_call_of(outputs, args, kwargs))
            gradviz_mark = FrameContext("engine", pass_id=None if running is None else running.id)
            try:
                # Under a dispatch mode, the engine would no longer sum gradients in place.
                with self._mode.active_in_this_thread(), self._op_recording(on=False):
                    result = original(outputs, *args, **kwargs)
            except BaseException as error:
                complete_interrupted(error)
                if running is not None:
                    set_failure_context(gradviz_mark, self._passes.fail(running, error))
                raise
            else:
                if running is not None:
                    self._passes.end(running, result)
                return result
            finally:
                if is_outermost:
                    self._listener.passes.leave()
                    self._listener.pass_ended(outputs)

        return _engine_run_backward


def set_failure_context(mark: FrameContext, failed: OpenNode | None) -> None:
    """Add to a mark which node failed in a pass, and whether its own code raised."""
    if failed is None:
        return
    mark.node = failed.facts.id
    mark.call = failed.facts.call
    if failed.raw is None:
        mark.stage = "backward"
