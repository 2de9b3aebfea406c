"""Recording of everything that autograd does inside a ``with`` block."""

from __future__ import annotations

import threading
import warnings
from typing import Any, Self

import torch
from msgspec import structs
from torch.autograd import function as autograd_function
from torch.autograd import graph as autograd_graph
from torch.nn.modules import module as torch_module

from gradviz.catalogue.messages import say
from gradviz.late_import import import_in_thread
from gradviz.model.step import ErrorStep
from gradviz.model.trace import Outcome
from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import completes_interrupted
from gradviz.recorder.autograd_graph import SeenLeaves
from gradviz.recorder.backward.backward_passes import BackwardPassRecorder
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.dispatch.function_mode import FunctionMode
from gradviz.recorder.error_boundary import attempt, within_error_boundary
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.forward.forward_rules import ForwardRuleChecker, SourceRuleReporter
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder
from gradviz.recorder.forward.function_calls import FunctionCallRecorder
from gradviz.recorder.forward.grad_history import GradHistoryTracker
from gradviz.recorder.forward.in_place_writes import InPlaceWriteRecorder
from gradviz.recorder.inside.line_recorder import LineRecorder
from gradviz.recorder.inside.python_conversions import PATCHED
from gradviz.recorder.listener import RecordingListener
from gradviz.recorder.log import RecordingPlace
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.patching.builtin_apply import make_apply_patch
from gradviz.recorder.patching.force_eager import ForceEager
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.patching.stack_limit import enlarge_stack
from gradviz.recorder.patching.torch_wrappers import TorchWrappers
from gradviz.recorder.patching.warning_locations import locate_shown_warnings, locate_warnings
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.run_errors import (
    ending_sentence,
    failed_call,
    make_error_step,
)
from gradviz.recorder.training.optimizers import OptimizerRecorder
from gradviz.recorder.training.training_rules import TrainingRuleChecker
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

    Attributes:
        console: What the run prints.
    """

    outcome: Outcome | None = None
    _is_open = False
    _has_paused = False

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
        self._context = context = RecordingContext(writer, options, listener)
        self.error_boundary = self._log = context.log
        self.console = context.console
        self._options = context.options
        self._optimizers = optimizers = OptimizerRecorder(context)
        self._lines = lines = LineRecorder(context)
        self._source_rules = SourceRuleReporter(context.log, context.reporter)
        checker = ForwardRuleChecker(context.reporter, self._source_rules)
        histories = GradHistoryTracker(context)
        calls, steps = FunctionCallRecorder(context, checker), ForwardStepRecorder(context)
        hooks = TensorHookRecorder(context)
        self._backward_rules = rules = BackwardRuleChecker(context.log, context.reporter)
        self._execution = execution = NodeExecutionRecorder(context, rules, hooks)
        self._ends = ends = HistoryEnds(context)
        passes = BackwardPassRecorder(context, execution, rules, ends)
        self._training_rules = TrainingRuleChecker(context, ends)
        writes = InPlaceWriteRecorder(context, optimizers)
        self._mode = mode = FunctionMode(context, steps, writes, histories, hooks, ends, lines)
        self._wrappers = TorchWrappers(
            context, calls, passes, execution, steps, histories, mode, lines
        )
        self._apply = make_apply_patch()
        self._patches = AttributePatches()
        self._eager = ForceEager()

    def name(self, tensor: torch.Tensor, name: str) -> None:
        """Name a tensor that the source of the run does not name."""
        with self._log.lock:
            self._context.names.give(tensor, name)

    def change_inputs(self, names: tuple[str, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments of the recorded call, with the changes from the options applied."""
        what_if = self._context.what_if
        return values if what_if is None else what_if.inputs(names, values)

    def change_parameters(self, module: torch.nn.Module) -> None:
        """Apply the changes from the options to parameters of the module that will be called.

        A change names a parameter by its path, so that path is its name in the trace.
        """
        self._context.names.add_named_root(module, "")
        if self._context.what_if is not None:
            self._context.what_if.parameters(module)

    @completes_interrupted
    def remove_before(self, first_step: int, first_console: int) -> bool:
        """Remove the first steps from the trace. Call with the log's lock held.

        Args:
            first_step: The first step to keep.
            first_console: The first printed text to keep, of those outside of steps.

        Returns:
            False if nothing was removed, because something that has begun before is still going on.
        """
        context = self._context
        log, threads, graph = context.log, context.thread_states, context.graph
        if not (log.is_idle and self._optimizers.is_idle and threads.is_idle):
            return False
        with disabled_torch_modes():
            kept = log.remove_before(first_step, first_console, graph.living_nodes())
            context.tensors.keep_only(kept.tensors)
            graph.keep_only(kept.nodes)
            self._execution.keep_only(kept.nodes)
            threads.keep_modules(kept.modules)
            context.arrays.forget()
        return True

    @completes_interrupted
    def remove_after(self, place: RecordingPlace) -> None:
        """Remove what was recorded from a place on. Call between `pause` and `resume`.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        context = self._context
        with context.log.lock, disabled_torch_modes():
            context.log.remove_after(place)
            context.tensors.keep_only(range(1, place["tensor"] + 1))
            context.graph.forget()
            context.arrays.forget()

    @property
    def has_seen_non_finite(self) -> bool:
        """Whether the NaN or Inf that ends the recording has been recorded."""
        watch = self._context.tensors.non_finite
        return watch is not None and watch.has_seen_one

    @property
    def is_updating(self) -> bool:
        """Whether an optimizer's step goes on, as while it calls a closure."""
        return not self._optimizers.is_idle

    @property
    def leaves(self) -> SeenLeaves:
        """The leaves that the recorded graphs reach."""
        return self._context.graph.leaves

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
            if self._context.what_if is not None:
                self._context.what_if.begin()
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
        replace(compat.NodeHookMixin, "_register_hook", self._execution.node_hooks.patch)
        # `torch.autograd` has imported the function by name, so both names need the wrapper.
        replace(autograd_graph, "_engine_run_backward", wrappers.engine)
        replace(torch.autograd, "_engine_run_backward", wrappers.engine)
        replace(*compat.THREAD_START, wrappers.thread)
        replace(torch, "compile", self._eager.compile)
        replace(warnings, "warn", locate_warnings)
        replace(warnings, "_showwarnmsg", locate_shown_warnings)
        if self._context.conversions is not None:
            for name in PATCHED:
                replace(torch, name, self._context.conversions.patch)
        if hasattr(torch_module, "_has_any_global_hook"):
            replace(torch_module, "_has_any_global_hook", self._context.modules.ignore_own_hooks)
        self._lines.install(self._patches)
        self._eager.install()
        self._context.modules.install()
        self._optimizers.install()
        self.console.install()
        # Last, so that it sees nothing of the installation.
        self._mode.install()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        self.end(error)

    def end(self, error: BaseException | None = None) -> None:
        """End the recording of a run, which an exception may have ended."""
        # One that has given way has ended already.
        if not self._is_open:
            return
        try:
            self.remove()
            self.complete(error)
        finally:
            self._release()

    def _release(self) -> None:
        self._is_open = False
        _giving_way.clear()
        vars(autograd_function).pop(_OPEN, None)
        _one_at_a_time.release()
        HANDLERS.remove()

    @completes_interrupted
    def pause(self) -> None:
        """Record nothing from here on, until `resume`. Call with the log's lock held.

        The hooks and patches stay until `remove` is called.
        """
        with disabled_torch_modes():
            self._optimizers.abandon_open_records()
        if not self._has_paused:
            # What is missing between recorded parts would look like a mistake of the program.
            self._has_paused = True
            self._training_rules.conclude()
        with disabled_torch_modes():
            self._context.graph.remove_graph_marks()
            self._context.tensors.known.distrust_versions()
        self._log.pause()

    def resume(self) -> None:
        """Record again after `pause` and `remove`.

        Raises:
            AttributeError, KeyError, TypeError, ValueError: If torch cannot be patched any more.
        """
        self.reopen()
        self._install()

    def reopen(self) -> None:
        """Take records again after `pause`, without seeing anything of the run."""
        context = self._context
        with self._log.lock:
            context.thread_states.forget_open()
            self._log.resume()

    def remove(self, *, during_run: bool = False) -> None:
        """Remove all hooks and patches.

        Args:
            during_run: Whether the recorded block goes on.
        """
        self._lines.remove()
        self._mode.remove(during_run=during_run)
        if self._context.ops is not None:
            # An exception that another thread raised may have kept it on.
            self._context.ops.pop_mode()
        if during_run:
            self.console.pause()
        else:
            self.console.remove()
            # Not before: another thread may be going through torch's hooks.
            self._optimizers.remove()
        self._context.modules.remove()
        self._patches.remove()
        self._eager.remove()
        self._apply.remove()
        self._wrappers.classes.remove()
        self._execution.remove_hooks()

    @completes_interrupted
    def complete(self, error: BaseException | None = None) -> None:
        """Write the last records now; what the block does from here on is not recorded.

        The hooks and patches stay until `remove` is called.
        """
        log = self._log
        with log.lock, disabled_torch_modes():
            self._conclude(error)
            self._context.graph.remove_graph_marks()
            self._context.arrays.forget()
            self._context.tensors.forget()
            log.close()

    def _explain(self, error: BaseException, ended: ErrorStep) -> None:
        # Most runs raise nothing, and all rules come with it.
        import_in_thread(
            "gradviz.recorder.errors.refusals", "gradviz.recorder.errors.refused_rules"
        )
        from gradviz.recorder.errors.refusals import explain_refusal
        from gradviz.recorder.errors.refused_rules import report_refusal

        if not explain_refusal(self._context, self._ends, error, ended):
            call = failed_call(error)
            report_refusal(self._context.reporter, self._source_rules, ended, call)

    @within_error_boundary
    def _conclude(self, error: BaseException | None) -> None:
        log = self._log
        log.report_rest()
        message = ""
        ended: ErrorStep | None = None
        if error is not None:
            self._optimizers.abandon_open_records()
            message = ending_sentence(error)
            ended = make_error_step(error, self._context.sources, log.next("step"), log.now())
            rejected = self._backward_rules.rejected_line(ended.message)
            ended = ended if rejected is None else structs.replace(ended, location=rejected)
            log.put(ended)
            # A program that has used up its files cannot import what explains it.
            problem = attempt(log, self._explain, error, ended)
            if problem is not None:
                log.report_error("explain_refusal", problem)
        self._backward_rules.conclude(ended, self._execution.silent_writes.found)
        self._source_rules.conclude()
        has_trained = self._context.listener.passes.started or self._optimizers.any
        if has_trained and not self._has_paused:
            self._training_rules.conclude()
        self.outcome = Outcome(
            kind="finished" if error is None else "failed",
            message=message,
            duration_ns=log.now(),
        )
        self._context.graph.finish()
        if self._context.what_if is not None:
            self._context.what_if.finish()
        log.finish(self.outcome)
