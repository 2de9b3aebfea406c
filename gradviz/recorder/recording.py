"""Recording of everything that autograd does inside a ``with`` block."""

from __future__ import annotations

import threading
import warnings
from types import TracebackType
from typing import Any, Self

import torch
from msgspec import structs
from torch.autograd import function as autograd_function
from torch.autograd import graph as autograd_graph
from torch.nn.modules import module as torch_module

from gradviz.catalogue.messages import say
from gradviz.model.inside import records_ops
from gradviz.model.step import ErrorStep
from gradviz.model.trace import Outcome
from gradviz.recorder import compat
from gradviz.recorder.autograd_graph import AutogradGraphRecorder
from gradviz.recorder.backward.backward_passes import BackwardPassRecorder
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.node_hook_watch import NodeHookWatch
from gradviz.recorder.backward.open_passes import OpenPasses
from gradviz.recorder.backward.silent_writes import SilentWriteDetector
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.call_filter import CallFilter
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.console_capture import ConsoleCapture
from gradviz.recorder.dispatch.function_mode import FunctionMode
from gradviz.recorder.dispatch.override_calls import OverrideCallRecorder
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.captured_tensors import CapturedTensorFinder
from gradviz.recorder.forward.forward_rules import ForwardRuleChecker
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder
from gradviz.recorder.forward.function_calls import FunctionCallRecorder
from gradviz.recorder.forward.grad_history import GradHistoryTracker
from gradviz.recorder.forward.in_place_writes import InPlaceWriteRecorder
from gradviz.recorder.forward.source_rules import SourceRuleReporter
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.inside.op_dispatch_mode import OpDispatchMode
from gradviz.recorder.inside.op_recorder import OpRecorder
from gradviz.recorder.inside.python_conversions import PATCHED, PythonConversionRecorder
from gradviz.recorder.inside.stage_recorder import StageRecorder
from gradviz.recorder.listener import RecordingListener, WholeRunListener
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.own_errors import is_bug
from gradviz.recorder.patching.builtin_apply import make_apply_patch
from gradviz.recorder.patching.compiled_callers import CompiledCodeNotice
from gradviz.recorder.patching.force_eager import ForceEager
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.patching.stack_limit import enlarge_stack
from gradviz.recorder.patching.torch_wrappers import TorchWrappers
from gradviz.recorder.patching.warning_locations import locate_shown_warnings, locate_warnings
from gradviz.recorder.refusals import report_refusal
from gradviz.recorder.run_errors import exception_sentence, failed_call, make_error_step
from gradviz.recorder.sources import SourceRecorder
from gradviz.recorder.tensor_names import TensorNames
from gradviz.recorder.tensors.numpy_arrays import ArrayRecorder
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.thread_state import ThreadStates
from gradviz.recorder.training.modules import ModuleCallRecorder
from gradviz.recorder.training.optimizers import OptimizerRecorder
from gradviz.recorder.what_if import WhatIfChanges
from gradviz.store.writer import TraceWriter

# Patches of torch apply to the whole process, so two recordings would wrap each other.
_one_at_a_time = threading.Lock()
# The lock's twin in torch: the run may import this package again after it has purged `sys.modules`.
# Its value is the key of the sentence with which another recording is refused.
_OPEN = "_gradviz_recording"
# The open recording, if it gives way to another one.
_giving_way: list[Recording] = []


class RecordingError(RuntimeError):
    """A recording cannot begin."""


def end_giving_way() -> None:
    """End the open recording if its options say that it gives way."""
    for each in tuple(_giving_way):
        each.end()


class Recording:
    """Records what autograd does inside the ``with`` block, without changing it.

    An exception that leaves the block becomes the last step and is not suppressed. Afterwards all
    hooks and patches are removed and the trace has an outcome; the writer stays open.
    """

    outcome: Outcome | None = None
    _is_open = False

    def __init__(
        self,
        writer: TraceWriter,
        options: RecordingOptions | None = None,
        listener: RecordingListener | None = None,
    ) -> None:
        """Prepare a recording; torch is not touched until the block begins.

        Args:
            writer: Receives the records.
            options: What to record; the defaults if omitted.
            listener: Counts passes, and may end the recording before the block ends.
        """
        options = options or RecordingOptions()
        listener = listener or WholeRunListener()
        self._thread_states = thread_states = ThreadStates()
        accepts = CallFilter(options.scope.only, thread_states).accepts_call
        self._log = log = RecordLog(writer, strict=options.strict, accepts_call=accepts)
        self._console = ConsoleCapture(log, options, thread_states.step)
        self._tensors = tensors = TensorRecorder(log, options)
        self._names = names = TensorNames()
        self._sources = sources = SourceRecorder(log, keeps_text=options.scope.source)
        self._modules = modules = ModuleCallRecorder(log, names, thread_states)
        self._optimizers = optimizers = OptimizerRecorder(log, tensors, names, sources)
        writes = InPlaceWriteRecorder(log, tensors, sources, thread_states, optimizers)
        self._graph = graph = AutogradGraphRecorder(
            log, options, tensors, names, thread_states, modules
        )
        stages = StageRecorder(log, thread_states, options.level)
        self._lines = lines = LineRecorder(log, tensors, sources, stages)
        self._arrays = ArrayRecorder(tensors)
        op_recorder = OpRecorder(log, tensors, self._arrays, sources, stages)
        has_ops = records_ops(options.level)
        ops = OpDispatchMode(log, op_recorder) if has_ops else None
        self._conversions = PythonConversionRecorder(log, op_recorder) if has_ops else None
        what_if = WhatIfChanges(log, tensors, options.changes) if options.changes else None
        self._what_if = what_if
        shared = (log, tensors, graph, names, sources, thread_states)
        self._reporter = reporter = FindingReporter(log, sources)
        self._source_rules = SourceRuleReporter(reporter)
        forward_rules = ForwardRuleChecker(reporter, tensors, self._source_rules)
        compiled_code = CompiledCodeNotice(log, sources)
        captured = CapturedTensorFinder(sources, names)
        histories = GradHistoryTracker(log, sources, thread_states, captured)
        calls = FunctionCallRecorder(*shared, stages, forward_rules, compiled_code)
        steps = ForwardStepRecorder(*shared, stages, compiled_code)
        open_passes = OpenPasses(thread_states)
        hooks = TensorHookRecorder(log, tensors, graph, names, sources, thread_states)
        silent = SilentWriteDetector(tensors)
        self._backward_rules = rules = BackwardRuleChecker(log, reporter, tensors, silent)
        followed = silent, hooks, NodeHookWatch(log, tensors, sources), ops, what_if
        around = thread_states, stages, open_passes, rules, *followed
        self._execution = execution = NodeExecutionRecorder(log, tensors, graph, *around)
        after = open_passes, execution, rules, listener, what_if
        self._passes = BackwardPassRecorder(*shared, *after)
        overrides = OverrideCallRecorder(log, tensors, names, sources, thread_states, stages, steps)
        seen = steps, writes, thread_states, histories, hooks, overrides, lines, ops
        self._mode = FunctionMode(log, *seen, self._conversions, listener)
        self._wrappers = TorchWrappers(
            log, calls, self._passes, execution, steps, histories, self._mode, ops, lines, listener
        )
        self._apply = make_apply_patch()
        self._patches = AttributePatches()
        self._eager = ForceEager()
        self._options = options

    @property
    def error_boundary(self) -> RecordLog:
        """Receiver of errors that are raised while recording."""
        return self._log

    def name(self, tensor: torch.Tensor, name: str) -> None:
        """Name a tensor that the source of the run does not name."""
        with self._log.lock:
            self._names.give(tensor, name)

    def change_inputs(self, names: tuple[str, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments of the recorded call, with the changes from the options applied."""
        return values if self._what_if is None else self._what_if.inputs(names, values)

    def change_parameters(self, module: torch.nn.Module) -> None:
        """Apply the changes from the options to parameters of the module that will be called."""
        if self._what_if is not None:
            self._what_if.parameters(module)

    def remove_before(self, first_step: int, first_console: int) -> bool:
        """Remove the first steps from the trace. Call with the log's lock held.

        Args:
            first_step: The first step to keep.
            first_console: The first printed text to keep, of those outside of steps.

        Returns:
            False if nothing was removed, because something that has begun before is still going on.
        """
        if not (self._log.is_idle and self._optimizers.is_idle and self._thread_states.is_idle):
            return False
        with disabled_torch_modes():
            kept = self._log.remove_before(first_step, first_console, self._graph.living_nodes())
            self._tensors.keep_only(kept.tensors)
            self._graph.keep_only(kept.nodes)
            self._execution.keep_only(kept.nodes)
            self._thread_states.keep_modules(kept.modules)
            self._arrays.forget()
        return True

    @property
    def is_at_line_start(self) -> bool:
        """Whether the last text that the run has printed ended its line."""
        return self._console.is_at_line_start

    def put_printed(self) -> None:
        """Record what the run has printed so far. Call with the log's lock held."""
        self._console.put()

    @property
    def has_seen_non_finite(self) -> bool:
        """Whether the NaN or Inf that ends the recording has been recorded."""
        watch = self._tensors.non_finite
        return watch is not None and watch.has_seen_one

    @property
    def ran_pass(self) -> bool:
        """Whether the recorded code has started a backward pass."""
        return self._passes.any

    @property
    def used_graph_up(self) -> bool:
        """Whether the recorded code has called ``backward()`` without retaining the graph."""
        return self._passes.has_freed_graph

    def raise_problem(self) -> None:
        """Say that the recording ended before the run did.

        Raises:
            TraceError: If the trace could not be written at some time.
        """
        if self._log.problem is not None:
            raise self._log.problem

    def flush(self) -> None:
        """Commit everything recorded so far."""
        with self._log.lock:
            self._log.flush()

    def __enter__(self) -> Self:
        end_giving_way()
        is_first = _one_at_a_time.acquire(blocking=False)
        if (problem := vars(autograd_function).get(_OPEN)) is not None or not is_first:
            if is_first:
                _one_at_a_time.release()
            raise RecordingError(say(problem or "recording.open"))
        around = self._options.around_program
        setattr(autograd_function, _OPEN, "recording.around" if around else "recording.open")
        self._is_open = True
        HANDLERS.install()
        if self._options.gives_way:
            _giving_way.append(self)
        try:
            self._install()
            if self._what_if is not None:
                self._what_if.begin()
        except BaseException as error:
            self.remove()
            self._release()
            # What patching raises if this version of torch is built differently.
            if isinstance(error, (AttributeError, KeyError, TypeError, ValueError)):
                kind, version = type(error).__name__, torch.__version__
                problem = say("recording.torch", version=version, kind=kind, error=error)
                raise RecordingError(problem) from error
            raise
        return self

    def _install(self) -> None:
        enlarge_stack()
        wrappers = self._wrappers
        self._apply.install(wrappers.apply)
        replace = self._patches.replace
        replace(compat.BackwardNode, "apply", wrappers.backward)
        if compat.HAS_BOXED_APPLY:
            replace(compat.BackwardNode, "apply_boxed", wrappers.backward)
        replace(autograd_function.FunctionCtx, "set_materialize_grads", wrappers.materialize)
        # `torch.autograd` has imported the function by name, so both names need the wrapper.
        replace(autograd_graph, "_engine_run_backward", wrappers.engine)
        replace(torch.autograd, "_engine_run_backward", wrappers.engine)
        replace(*compat.THREAD_START, wrappers.thread)
        replace(torch, "compile", self._eager.compile)
        replace(warnings, "warn", locate_warnings)
        replace(warnings, "_showwarnmsg", locate_shown_warnings)
        if self._conversions is not None:
            for name in PATCHED:
                replace(torch, name, self._conversions.patch)
        if hasattr(torch_module, "_has_any_global_hook"):
            replace(torch_module, "_has_any_global_hook", self._modules.ignore_own_hooks)
        self._lines.install(self._patches)
        self._eager.install()
        self._modules.install()
        self._optimizers.install()
        self._console.install()
        # Last, so that it sees nothing of the installation.
        compat.push_mode(self._mode)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end(error)

    def end(self, error: BaseException | None = None) -> None:
        """End the recording of a run, which an exception may have ended."""
        # One that has given way has ended already.
        if not self._is_open:
            return
        try:
            self.remove()
            self._finish(error)
        finally:
            self._release()

    def _release(self) -> None:
        self._is_open = False
        _giving_way.clear()
        vars(autograd_function).pop(_OPEN, None)
        _one_at_a_time.release()
        HANDLERS.remove()

    def complete(self) -> None:
        """Write the last records now; what the block does from here on is not recorded.

        The hooks and patches stay until `remove` is called.
        """
        self._finish(None)

    def remove(self, *, during_run: bool = False) -> None:
        """Remove all hooks and patches.

        Args:
            during_run: Whether the recorded block goes on.
        """
        self._lines.remove()
        self._mode.remove(during_run=during_run)
        self._console.remove()
        self._optimizers.remove()
        self._modules.remove()
        self._patches.remove()
        self._eager.remove()
        self._apply.remove()
        self._wrappers.classes.remove()
        self._execution.remove_hooks()

    def _finish(self, error: BaseException | None) -> None:
        log = self._log
        with log.lock, disabled_torch_modes():
            self._conclude(error)
            self._graph.remove_graph_marks()
            self._lines.forget()
            self._tensors.forget()
            log.close()

    @within_error_boundary
    def _conclude(self, error: BaseException | None) -> None:
        log = self._log
        log.report_rest()
        message = "" if error is None else exception_sentence(error)
        ended: ErrorStep | None = None
        if error is not None:
            self._optimizers.abandon_open_records()
            ended = make_error_step(log, self._sources, error)
            if is_bug(error):
                message = say("recording.bug", error=message)
                ended = structs.replace(ended, message=message, location=None)
            rejected = self._backward_rules.rejected_line(ended.message)
            ended = ended if rejected is None else structs.replace(ended, location=rejected)
            log.put(ended)
            report_refusal(self._reporter, self._source_rules, ended, failed_call(error))
        self._backward_rules.conclude(ended)
        self._source_rules.conclude()
        self.outcome = Outcome(
            kind="finished" if error is None else "failed",
            message=message,
            duration_ns=log.now(),
        )
        self._graph.finish()
        if self._what_if is not None:
            self._what_if.finish()
        log.finish(self.outcome)
