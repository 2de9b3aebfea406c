"""Recording of a backward pass's nodes in the order in which the engine executes them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence, Set
from threading import get_ident
from typing import Any

import torch

from gradviz.model.inside import StageKind
from gradviz.model.source import Location
from gradviz.model.step import LaterTotal
from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.later_totals import GradientSumTracker, LaterTotals
from gradviz.recorder.backward.node_hook_watch import NodeHookWatch
from gradviz.recorder.backward.node_hooks import NodeHooks
from gradviz.recorder.backward.open_node import (
    NodeGradients,
    OpenNode,
    argument_names,
    form_of,
    gradient_names,
    has_gradient,
    passed_gradients,
)
from gradviz.recorder.backward.open_passes import OpenBackwardPass
from gradviz.recorder.backward.silent_writes import SilentWriteDetector
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.function_source import return_lines
from gradviz.recorder.forward.grad_history import CutGradient
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.inside.open_stage import write_location
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.sources import shown_path
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.version_watch import TensorVersionWatch
from gradviz.recorder.thread_state import ProducingNode


class NodeExecutionRecorder(Recorder):
    """Records nodes in hooks, which hold the facts of their node, never the node itself.

    Attributes:
        node_hooks: Its hooks on nodes.
        silent_writes: Finds saved tensors that were changed unseen.
    """

    def __init__(
        self,
        context: RecordingContext,
        rules: BackwardRuleChecker,
        hooks: TensorHookRecorder,
    ) -> None:
        super().__init__(context)
        self._open_passes = context.open_passes
        self._rules = rules
        self._hooks = hooks
        self._ops = context.ops
        self._has_stages = context.stages.level != "nodes"
        self._what_if = context.what_if
        self._gradient_sums = GradientSumTracker()
        self._totals = LaterTotals(context.tensors)
        self._node_hook_watch = NodeHookWatch(context)
        # Bound once: each object that a node keeps alive brings forward the next full collection.
        self.node_hooks = NodeHooks(self._node_hook_watch, self.before, self.after)
        self.silent_writes = SilentWriteDetector(context.tensors)

    def hook(self, roots: Iterable[Any]) -> tuple[NodeFacts, ...]:
        """Register our hooks on all nodes of a pass, after the user's, which may change gradients.

        Returns:
            Facts of those that raise when executed.
        """
        errors: list[NodeFacts] = []
        register = self.node_hooks.register
        # These are many objects at once, and none of them is garbage.
        was_on = gc.isenabled()
        try:
            # No function in Python, in which an exception of a signal may come.
            gc.disable()
            for node, facts in self._graph.reachable(roots):
                if facts.is_outside:
                    continue
                is_new = register(facts, node)
                if facts.kind == "accumulate" and is_new:
                    self._hooks.watch_leaf(node)
                elif facts.kind == "error":
                    errors.append(facts)
        finally:
            if was_on:
                gc.enable()
        return tuple(errors)

    def keep_only(self, numbers: Set[int]) -> None:
        """Remove our hooks from nodes that are no longer in the trace."""
        self.node_hooks.keep_only(numbers)

    def remove_hooks(self) -> None:
        """Remove our hooks from all nodes that are still alive."""
        self._hooks.remove()
        self.node_hooks.remove()

    @within_error_boundary
    def before(self, facts: NodeFacts, gradients: NodeGradients) -> None:
        """Open the step of a node or leaf that the engine is about to execute."""
        since = compat.sequence_number()
        # Read here, because `disabled_torch_modes` turns grad mode off.
        differentiable = torch.is_grad_enabled()
        with self._log.lock, disabled_torch_modes():
            pass_id = self._thread_states.pass_of_task.get(compat.current_pass())
            # Torch numbers a pass when it runs, so the first hook that is called tells the number.
            if pass_id is None and (pass_id := self._open_passes.find_pass(facts.id)) is None:
                return
            try:
                entry = self._begin(facts, pass_id, gradients, since, differentiable)
            except Exception as error:
                if self._log.strict or is_asynchronous(error):
                    raise
                self._replace_failed(self._thread_states.executing(facts), pass_id, error)
                return
        # Last, because `disabled_torch_modes` may take dispatch modes off the stack and put them
        # back.
        if self._ops is not None:
            if facts.altered:
                self._stages.report_ops_left_out(entry.step, facts.id)
            else:
                self._ops.push_mode()

    def _begin(
        self,
        facts: NodeFacts,
        pass_id: int,
        gradients: NodeGradients,
        since: int,
        differentiable: bool,
    ) -> OpenNode:
        is_leaf, log, ident = facts.kind == "accumulate", self._log, get_ident()
        if differentiable:
            self.record_gradient_sums(gradients)
        if is_leaf:
            gradients = gradients[:1]
        started, threads = log.now(), self._thread_states
        names = gradient_names(facts, len(gradients))
        # `map` in place of `TensorRecorder.items`, as most nodes receive one gradient.
        incoming = tuple(map(self._tensors.item, names, gradients))
        thread = "" if is_leaf or ident == threads.main else threads.thread_name()
        entry = OpenNode(facts, pass_id, 0, started, since, thread, incoming)
        if is_leaf:
            entry.added = has_gradient(compat.current_node())
        entry.step = step = log.begin(entry.unfinished)
        threads.threads[ident].steps.append((step, entry))
        if differentiable and not is_leaf:
            self._gradient_sums.begin(since, pass_id, ProducingNode(facts, step))
        if self._hooks.is_watching:
            self._hooks.arrived(entry, gradients)
        if self._node_hook_watch.seen:
            self._node_hook_watch.received(entry, gradients)
        if facts.saved is not None or facts.call is not None:
            self.silent_writes.check(facts, step)
        if self._has_stages:
            stage: StageKind = "accumulate" if is_leaf else "backward"
            is_custom = facts.kind == "custom"
            entry.part = self._stages.begin(stage, step, runs_user_code=is_custom)
        return entry

    @within_error_boundary
    def _replace_failed(self, entry: OpenNode | None, pass_id: int, error: Exception) -> None:
        """Record a placeholder for the step of a node of which recording a part has failed.

        Its contents would be incomplete.
        """
        if entry is not None:
            self._close(entry)
        node: Any = compat.current_node()
        name = "" if node is None else compat.node_name(node)
        self._log.report_error(NodeExecutionRecorder.__name__, error)
        step = None if entry is None else entry.step
        self._log.put_missing_step(name, error, pass_id, step)

    def _close(self, entry: OpenNode) -> None:
        if self._has_stages:
            self._stages.end(entry.part)
            self._stages.close(entry.step)
        self._thread_states.leave(entry.step)

    def running(self, node: Any) -> OpenNode | None:
        """Data of a node if the engine is executing it in this thread; None otherwise."""
        facts = self._graph.find_facts(node)
        return None if facts is None else self._thread_states.executing(facts)

    @within_error_boundary
    def received(self, entry: OpenNode, gradients: tuple[Any, ...]) -> None:
        """Record the gradients just before the user's ``backward`` is called."""
        with self._log.lock, disabled_torch_modes():
            names = gradient_names(entry.facts, len(gradients))
            entry.received = self._tensors.items(names, gradients)
            self._rules.received(entry)
            if entry.facts.call is not None:
                entry.watch = TensorVersionWatch(self._tensors, gradients)
            entry.passes_before = self._open_passes.count
            self._log.mark_changed(entry.step)
            call = entry.facts.call
            self._log.flush_before(None if call is None else call.backward)

    @within_error_boundary
    def returned(self, entry: OpenNode, result: Any, gradients: tuple[Any, ...] = ()) -> None:
        """Record what the user's ``backward`` has returned."""
        values = result if isinstance(result, tuple) else (result,)
        with self._log.lock, disabled_torch_modes():
            names = argument_names(entry.facts, len(values))
            entry.returned = self._tensors.items(names, values)
            entry.raw, entry.outputs = form_of(values), form_of(gradients)
            entry.generation = self._tensors.known.generation
            entry.return_location = _executed_return(entry)
            began_pass = self._open_passes.count != entry.passes_before
            written = () if entry.watch is None else entry.watch.changed(gradients)
            changed = [(at, write_location(entry.part, gradients[at])) for at in written]
            self._rules.returned(entry, changed, began_pass=began_pass)
            self._log.mark_changed(entry.step)
            self._stages.end(entry.part)
            entry.part = self._stages.begin("engine", entry.step)

    @within_error_boundary
    def cut(self, entry: OpenNode, gradients: list[CutGradient]) -> None:
        """Report what the user's ``backward`` has returned and that has lost a history."""
        with self._log.lock:
            self._rules.cut(entry, gradients)

    @within_error_boundary
    def after(
        self, facts: NodeFacts, made: NodeGradients, _gradients: NodeGradients
    ) -> NodeGradients | None:
        """Close the step of a node that the engine has executed, or leaf it has accumulated into.

        Returns:
            Replacement gradients if a What If change applies; None otherwise.
        """
        differentiable = torch.is_grad_enabled()
        if self._ops is not None:
            self._ops.pop_mode()
        with self._log.lock, disabled_torch_modes():
            entry = self._thread_states.executing(facts)
            if entry is None:
                return None
            try:
                if facts.kind != "accumulate":
                    return self._end_node(entry, made, differentiable)
                self._end_leaf(entry, differentiable)
            except Exception as error:
                if self._log.strict or is_asynchronous(error):
                    raise
                self._replace_failed(entry, entry.pass_id, error)
            return None

    def _end_node(
        self, entry: OpenNode, made: NodeGradients, differentiable: bool
    ) -> NodeGradients | None:
        facts = entry.facts
        if self._node_hook_watch.seen:
            self._node_hook_watch.passed(entry, made)
        given = made
        if self._what_if is not None:
            made = self._what_if.gradients(
                facts, entry.pass_id, entry.step, made, differentiable=differentiable
            )
        # With create_graph, backward has created nodes itself. They were made by this node.
        functions = [
            tensor_compat.grad_fn_of(each)
            for each in made
            if each is not None and tensor_compat.requires_grad_of(each)
        ]
        if functions:
            self._graph.discover(functions, entry.since)
        passed = passed_gradients(self._tensors, entry, made)
        if facts.kind == "custom":
            sparse = [
                slot
                for slot, each in enumerate(made)
                if each is not None and each.layout is not torch.strided
            ]
            self._rules.passed(entry, form_of(made), passed, sparse)
        self._close(entry)
        duration = self._log.now() - entry.started
        self._log.end(entry.step, entry.node_step(passed, duration))
        return None if made is given else made

    def _end_leaf(self, entry: OpenNode, differentiable: bool) -> None:
        # The leaf is reached through the running node: a hook that holds its tensor is never
        # freed.
        node: Any = compat.current_node()
        leaf = None if node is None else node.variable
        grad = None if leaf is None else leaf.grad
        if differentiable and grad is not None and tensor_compat.requires_grad_of(grad):
            self._graph.discover((tensor_compat.grad_fn_of(grad),), entry.since)
        total = self._tensors.item("grad", grad)
        if self._hooks.is_watching:
            self._hooks.accumulated(entry, total, grad)
        self._rules.accumulated(entry)
        self._close(entry)
        item = None if leaf is None else self._tensors.item("leaf", leaf)
        duration = self._log.now() - entry.started
        self._log.end(entry.step, entry.leaf_step(total, item, duration))
        if leaf is not None:
            self._totals.accumulated(entry.pass_id, entry.facts.id, leaf, total.tensor)

    def record_gradient_sums(self, gradients: Sequence[Any]) -> None:
        """Number the nodes of gradients that the engine has summed, once those are used."""
        functions = [
            tensor_compat.grad_fn_of(each)
            for each in gradients
            if isinstance(each, torch.Tensor)
            and tensor_compat.requires_grad_of(each)
            and tensor_compat.grad_fn_of(each) is not None
        ]
        if functions:
            self._graph.discover(functions, producer_at=self._gradient_sums.producer_at)

    def later_totals(self, pass_id: int) -> tuple[LaterTotal, ...]:
        """Gradients of leaves that have changed since their steps in a pass that ends."""
        return self._totals.changed(pass_id)

    def forget_pass(self, running: OpenBackwardPass) -> None:
        """Discard bookkeeping of a pass that is over."""
        self._open_passes.forget(running)
        self._gradient_sums.forget(running.id)
        self._totals.forget(running.id)
        self._hooks.forget_tasks(self._open_passes.is_over)
        self._node_hook_watch.forget_tasks(self._open_passes.is_over)

    def abandon_open_records(self, pass_id: int) -> OpenNode | None:
        """Leave the open nodes of a failed pass unfinished.

        Returns:
            The node that began last, which is the one that failed; None if none was open.
        """
        entries = self._thread_states.executing_for(pass_id)
        for entry in entries:
            self._stages.close(entry.step)
            self._thread_states.leave(entry.step)
            self._log.abandon(entry.step)
        return entries[-1] if entries else None


def _executed_return(entry: OpenNode) -> Location | None:
    """The last ``return`` that ran in a user's backward; None if lines are not recorded."""
    code = None if entry.facts.call is None else entry.facts.call.backward
    lines = () if entry.part is None else entry.part.lines
    if code is None or not lines:
        return None
    returns = return_lines(code)
    path = shown_path(code.co_filename)
    for line in reversed(lines):
        if line.location.path == path and line.location.line in returns:
            return line.location
    return None
