"""Recording of backward passes from start to end, including nested ones."""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from msgspec import Struct

from gradviz.catalogue.messages import say
from gradviz.model.item import Item, object_item
from gradviz.model.step import PassBeginStep, PassEndStep, Root
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.backward.open_passes import OpenBackwardPass, start_nodes
from gradviz.recorder.call_site_names import name_in_call
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import attempt, safe_exception_text, within_error_boundary
from gradviz.recorder.errors.history_ends import HistoryEnds
from gradviz.recorder.errors.history_sentences import end_sentences
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat


class EngineCall(Struct, frozen=True):
    """Arguments of a call of the engine."""

    outputs: tuple[Any, ...]
    gradients: tuple[Any, ...]
    keep_graph: bool
    create_graph: bool
    inputs: tuple[Any, ...]
    accumulate: bool


class BackwardPassRecorder(Recorder):
    """Numbers passes and records their beginning and end."""

    def __init__(
        self,
        context: RecordingContext,
        execution: NodeExecutionRecorder,
        rules: BackwardRuleChecker,
        ends: HistoryEnds,
    ) -> None:
        super().__init__(context)
        self._reporter = context.reporter
        self._ends = ends
        self._open_passes = context.open_passes
        self._execution = execution
        self._rules = rules
        self._listener = context.listener
        self._passes = context.listener.passes
        self._what_if = context.what_if

    @within_error_boundary
    def begin(self, request: EngineCall) -> OpenBackwardPass | None:
        """Record the beginning of a pass; None if torch will refuse it, or if recording fails."""
        frame = caller()
        with self._log.lock, disabled_torch_modes():
            starts = attempt(self._log, lambda: start_nodes(request.outputs))
            if starts is None:
                return None
            self._passes.begin(frees_graph=request.accumulate and not request.keep_graph)
            if not self._log.announce_pass():
                return None
            if isinstance(starts, Exception):
                running: OpenBackwardPass | Exception = starts
            else:
                nodes = starts
                running = attempt(self._log, lambda: self._begin(request, nodes, frame))
            if not isinstance(running, Exception):
                return running
            # The pass runs all the same.
            self._log.report_error("BackwardPassRecorder.begin", running)
            parent = self._thread_states.pass_id()
            self._log.put_missing_step(say("recording.pass"), running, parent)
            return None

    def _begin(
        self, request: EngineCall, starts: Sequence[tuple[Any, int]], frame: FrameType | None
    ) -> OpenBackwardPass:
        nodes = [node for node, _ in starts]
        started = self._log.now()
        # Only now: an in-place change of a base has given its views other nodes since their
        # forward.
        self._graph.discover(nodes)
        errors = self._execution.hook(nodes)
        roots = self._roots(request, starts)
        running = OpenBackwardPass(
            id=self._passes.started,
            thread=get_ident(),
            roots=frozenset(root.node for root in roots),
            inputs=self._input_names(request),
            errors=errors,
            starts=tuple(nodes),
        )
        step = self._log.put_step(
            lambda number: PassBeginStep(
                number=number,
                started_ns=started,
                pass_id=running.id,
                parent=self._thread_states.pass_id(),
                roots=roots,
                create_graph=request.create_graph,
                keep_graph=request.keep_graph,
                accumulate=request.accumulate,
                location=self._sources.at(frame),
            )
        )
        self._report_hidden(request, step)
        self._open_passes.begin(running)
        self._listener.pass_begins(request.outputs)
        self._change_saved(nodes)
        return running

    def _report_hidden(self, request: EngineCall, step: int) -> None:
        """Report a pass that only reaches a leaf made of a result without a history."""
        root = request.outputs[0] if len(request.outputs) == 1 else None
        if not isinstance(root, torch.Tensor) or isinstance(root, torch.nn.Parameter):
            return
        ends, left = self._ends.of(root), self._ends.left
        if root.dim() or tensor_compat.grad_fn_of(root) is not None or not (ends or left):
            return
        name = self._names.find_leaf_name(root) or say("refused.result")
        message, end = end_sentences(say("hidden.root", name=name), ends, left)
        line, node = None if end is None else end.location, self._ends.node_before(end)
        self._reporter.report(
            "history_hidden", message, "error", step=step, node=node, location=line
        )

    def _change_saved(self, nodes: Sequence[Any]) -> None:
        """Apply What If changes of saved values, in the step that begins a pass."""
        if self._what_if is not None:
            step = self._log.highest("step")
            for node, facts in self._graph.reachable(nodes):
                self._what_if.saved(node, facts, step)

    def _roots(self, request: EngineCall, starts: Sequence[tuple[Any, int]]) -> tuple[Root, ...]:
        roots = []
        for position, (node, output_nr) in enumerate(starts):
            output = request.outputs[position]
            many = len(starts) > 1
            label = f"output {position}" if many else "output"
            gradient = request.gradients[position] if position < len(request.gradients) else None
            number = self._graph.find_node_number(node)
            if number is None:
                continue  # Only some calls are recorded, and the one that made it is not.
            roots.append(
                Root(
                    node=number,
                    output_nr=output_nr,
                    value=self._value(label, output),
                    gradient=self._tensors.item(
                        f"gradient {position}" if many else "gradient", gradient
                    ),
                )
            )
        return tuple(roots)

    def _value(self, label: str, output: Any) -> Item:
        if isinstance(output, torch.Tensor):
            name = self._names.of(output) or name_in_call(output, caller())
            return self._tensors.item(name or label, output)
        return object_item(label, say("root.edge"))

    def _input_names(self, request: EngineCall) -> tuple[str, ...]:
        if request.accumulate:
            return ()
        names = [
            self._names.unique_leaf_name(each) if isinstance(each, torch.Tensor) else ""
            for each in request.inputs
        ]
        return tuple([name or f"input {position}" for position, name in enumerate(names)])

    @within_error_boundary
    def end(self, running: OpenBackwardPass, results: Any) -> None:
        """Record the results of a pass that ended without an exception."""
        with self._log.lock, disabled_torch_modes():
            values = tuple(results) if running.inputs and results is not None else ()
            # Before the pass is forgotten: its spans say during which node a sum was made.
            self._execution.record_gradient_sums(values)
            totals = self._execution.later_totals(running.id)
            self._execution.forget_pass(running)
            step = self._log.put_step(
                lambda number: PassEndStep(
                    number=number,
                    started_ns=self._log.now(),
                    pass_id=running.id,
                    results=self._tensors.items(running.inputs[: len(values)], values),
                    totals=totals,
                )
            )
            self._report_skipped_nodes(running, step)
            self._passes.note_recorded()
            # A program that is killed while it does other things keeps its passes.
            self._log.flush_soon()

    def _report_skipped_nodes(self, running: OpenBackwardPass, step: int) -> None:
        """Report error nodes in the graph; the pass did not reach them, as it did not raise."""
        for facts in running.errors:
            self._log.find(
                "second_order_cut_skipped",
                say("cut.skipped", function=facts.once_differentiable_function),
                severity="warning",
                step=step,
                node=facts.id,
            )

    @within_error_boundary
    def fail(self, running: OpenBackwardPass, error: BaseException) -> OpenNode | None:
        """Close a pass that raised, and return the node that was being executed."""
        with self._log.lock:
            self._execution.forget_pass(running)
            failed = self._execution.abandon_open_records(running.id)
            if failed is not None:
                self._rules.refused(failed, safe_exception_text(error))
            return failed


def engine_call_of(outputs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> EngineCall:
    """Read the arguments of torch's ``_engine_run_backward``."""
    gradients, keep_graph, create_graph, inputs = (*args[:4], *(None,) * (4 - len(args)))[:4]
    return EngineCall(
        outputs=tuple(outputs),
        gradients=tuple(gradients or ()),
        keep_graph=bool(keep_graph),
        create_graph=bool(create_graph),
        inputs=tuple(inputs or ()),
        accumulate=bool(kwargs.get("accumulate_grad", False)),
    )
