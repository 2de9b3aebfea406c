"""Recording of everything that autograd does inside a ``with`` block."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

import torch
from torch.autograd import function as autograd_function
from torch.autograd import graph as autograd_graph

from gradviz.model.step import ErrorStep
from gradviz.model.trace import Outcome
from gradviz.recorder import compat
from gradviz.recorder.activity import Activity
from gradviz.recorder.arrays import Arrays
from gradviz.recorder.border import bordered
from gradviz.recorder.calls import Calls
from gradviz.recorder.compat import Quiet
from gradviz.recorder.compiled import CompiledCallers
from gradviz.recorder.console import Console
from gradviz.recorder.dispatches import Dispatches
from gradviz.recorder.failures import error_step, sentence
from gradviz.recorder.forward_steps import ForwardSteps
from gradviz.recorder.function_mode import FunctionMode
from gradviz.recorder.functions import ApplySwap, Patches
from gradviz.recorder.graph_walk import Graph
from gradviz.recorder.insides import Insides
from gradviz.recorder.lines import Lines
from gradviz.recorder.log import Log
from gradviz.recorder.modules import Modules
from gradviz.recorder.names import Names
from gradviz.recorder.op_mode import OpMode
from gradviz.recorder.ops import Ops
from gradviz.recorder.optimizers import Optimizers
from gradviz.recorder.options import Options
from gradviz.recorder.passes import Passes
from gradviz.recorder.protocols import Protocols
from gradviz.recorder.sources import Sources
from gradviz.recorder.tensors import Tensors
from gradviz.recorder.unseen import PATCHED, Unseen
from gradviz.recorder.what_if import WhatIf
from gradviz.recorder.wrappers import Wrappers
from gradviz.store.writer import TraceWriter

_one_at_a_time = threading.Lock()


class RecordingError(RuntimeError):
    """A recording cannot begin."""


class Recording:
    """Records what autograd does inside the ``with`` block, without changing it.

    An exception that leaves the block becomes the last step and is not suppressed. Afterwards all
    hooks and patches are removed and the trace has an outcome; the writer stays open.
    """

    def __init__(self, writer: TraceWriter, options: Options | None = None) -> None:
        """Prepare a recording; torch is not touched until the block begins.

        Args:
            writer: Receives the records.
            options: What to record; the defaults if omitted.
        """
        options = options or Options()
        self._log = log = Log(writer, strict=options.strict)
        self._activity = activity = Activity()
        self._console = Console(log, options, activity.step)
        self._tensors = tensors = Tensors(log, options)
        self._names = names = Names()
        self._sources = sources = Sources(log)
        self._modules = modules = Modules(log, names, activity)
        self._graph = graph = Graph(log, options, tensors, names, activity, modules)
        insides = Insides(log, activity, options.level)
        shared = (log, tensors, graph, names, sources, activity, insides)
        self._steps = ForwardSteps(*shared)
        ops: OpMode | None = None
        self._unseen: Unseen | None = None
        if options.level != "nodes":
            records = Ops(log, tensors, Arrays(tensors), sources, insides)
            ops, self._unseen = OpMode(log, records), Unseen(log, records)
        self._mode = mode = FunctionMode(log, self._steps, ops, self._unseen)
        self._calls = Calls(*shared)
        self._what_if = WhatIf(log, tensors, options.changes) if options.changes else None
        self._passes = Passes(*shared, ops, self._what_if)
        mode.hooks = self._passes.hooks
        self._steps.compiled = self._calls.compiled = CompiledCallers(log, sources)
        self._lines = lines = Lines(log, tensors, sources, insides)
        dispatches = Dispatches(log, tensors, names, sources, activity, insides, self._steps)
        self._protocols = mode.protocols = Protocols(dispatches, mode, lines)
        self._wrappers = Wrappers(log, self._calls, self._passes, self._steps, mode, ops, lines)
        self._optimizers = Optimizers(log, tensors, names, sources)
        self._apply = ApplySwap()
        self._patches = Patches()
        self._eager = compat.ForceEager()
        self.outcome: Outcome | None = None

    @property
    def border(self) -> Log:
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

    @property
    def ran_pass(self) -> bool:
        """Whether the recorded code has started a backward pass."""
        return self._passes.any

    @property
    def used_graph_up(self) -> bool:
        """Whether the recorded code has called ``backward()`` without retaining the graph."""
        return self._passes.used_up

    def flush(self) -> None:
        """Commit everything recorded so far."""
        with self._log.lock:
            self._log.flush()

    def __enter__(self) -> Self:
        if not _one_at_a_time.acquire(blocking=False):
            raise RecordingError("Another recording is open in this process. End it first.")
        try:
            self._install()
            if self._what_if is not None:
                self._what_if.begin()
        except BaseException as error:
            self._remove()
            _one_at_a_time.release()
            if isinstance(error, (AttributeError, KeyError, TypeError, ValueError)):
                raise RecordingError(
                    f"This version of gradviz cannot record torch {torch.__version__} "
                    f"({type(error).__name__}: {error})."
                ) from error
            raise
        return self

    def _install(self) -> None:
        wrappers = self._wrappers
        self._apply.install(wrappers.apply)
        replace = self._patches.replace
        replace(compat.BackwardNode, "apply", wrappers.backward)
        replace(compat.BackwardNode, "apply_boxed", wrappers.backward)
        replace(autograd_function.FunctionCtx, "set_materialize_grads", wrappers.materialize)
        replace(autograd_graph, "_engine_run_backward", wrappers.engine)
        replace(torch.autograd, "_engine_run_backward", wrappers.engine)
        replace(*compat.THREAD_START, wrappers.thread)
        replace(torch, "compile", self._eager.compile)
        if self._unseen is not None:
            for name in PATCHED:
                replace(torch, name, self._unseen.patch)
        self._lines.install(self._patches)
        self._eager.install()
        self._modules.install()
        self._optimizers.install()
        self._console.install()
        compat.put_on(self._mode)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._remove()
            self._finish(error)
        finally:
            _one_at_a_time.release()

    def _remove(self) -> None:
        self._lines.remove()
        self._mode.leave()
        self._console.remove()
        self._optimizers.remove()
        self._modules.remove()
        self._patches.remove()
        self._eager.remove()
        self._apply.remove()
        self._wrappers.classes.remove()
        self._protocols.remove()
        self._passes.execution.remove_hooks()

    def _finish(self, error: BaseException | None) -> None:
        log = self._log
        with log.lock, Quiet():
            self._conclude(error)
            self._graph.unmark()
            self._lines.forget()
            self._tensors.forget()
            log.alive = False

    @bordered
    def _conclude(self, error: BaseException | None) -> None:
        log = self._log
        message = "" if error is None else sentence(error)
        ended: ErrorStep | None = None
        if error is not None:
            self._optimizers.give_up()
            ended = error_step(log, self._sources, error)
            log.put(ended)
        self._passes.judge.conclude(ended)
        self.outcome = Outcome(
            kind="finished" if error is None else "failed",
            message=message,
            duration_ns=log.now(),
        )
        self._graph.finish()
        if self._what_if is not None:
            self._what_if.finish()
        log.finish(self.outcome)
