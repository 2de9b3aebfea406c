"""Fast path for torch's own nodes and leaves, which most nodes of a run are.

It records the same as the slow path in less time: it tests once for everything that is rare, and
leaves a node for which any of it applies to the slow path.
"""

from __future__ import annotations

from typing import Any

from gradviz.model.item import tensor_item
from gradviz.recorder import compat
from gradviz.recorder.backward.backward_rules import BackwardRuleChecker
from gradviz.recorder.backward.node_execution import NodeExecutionRecorder
from gradviz.recorder.backward.open_node import (
    NodeGradients,
    OpenNode,
    has_gradient,
    passed_gradients,
)
from gradviz.recorder.backward.tensor_hooks import TensorHookRecorder
from gradviz.recorder.error_boundary import attempt
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.thread_state import thread_name
from gradviz.recorder.trace_function import get_trace_function


class FastNodeExecutionRecorder(NodeExecutionRecorder):
    """Records nodes while nothing is recorded inside of them and no What If change applies."""

    def __init__(
        self,
        context: RecordingContext,
        rules: BackwardRuleChecker,
        hooks: TensorHookRecorder,
    ) -> None:
        super().__init__(context, rules, hooks)
        self._hooks_by_kind = {
            "builtin": (self.before_fast, self.after_fast),
            "accumulate": (self.before_leaf_fast, self.after_leaf_fast),
        }

    def _is_applicable(self) -> bool:
        """Whether no code is traced, no mode is active, and no hook on a tensor is followed."""
        return (
            self._log.alive
            and get_trace_function() is None
            and not self._hooks.is_following
            and not self._node_hook_watch.is_following
            and compat.has_only_function_modes()
        )

    def before_fast(self, facts: NodeFacts, gradients: NodeGradients) -> None:
        """Open the step of a node that the engine is about to execute."""
        if not self._is_applicable() or not self._begin_fast(facts, gradients):
            self.before(facts, gradients)

    def before_leaf_fast(self, facts: NodeFacts, gradients: NodeGradients) -> None:
        """Open the step of a leaf that the engine is about to accumulate into."""
        if not self._is_applicable() or not self._begin_fast(facts, gradients[:1]):
            self.before_leaf(facts, gradients)

    def _begin_fast(self, facts: NodeFacts, gradients: NodeGradients) -> bool:
        """Open a step; False if the pass is not known yet."""
        log = self._log
        with log.lock, compat.DISABLED_FUNCTIONS():
            task = compat.current_pass()
            pass_id = self._thread_states.pass_of_task.get(task)
            if pass_id is None:
                return False
            failure = attempt(log, self._open_fast, task, facts, pass_id, gradients)
            if failure is not None:
                self.replace_failed(facts, pass_id, failure)
        return True

    def _open_fast(
        self, task: int, facts: NodeFacts, pass_id: int, gradients: NodeGradients
    ) -> None:
        log, states = self._log, self._thread_states
        started = log.now()
        is_leaf = facts.kind == "accumulate"
        only_torch = (facts.is_native or is_leaf) and states.is_alone
        self._tensors.content_keys.set_caching(on=only_torch)
        arrived = self._tensors.numbers(gradients)
        since = compat.sequence_number()
        thread = "" if is_leaf else thread_name()
        entry = OpenNode(facts, pass_id, 0, started, since, thread, arrived)
        if is_leaf:
            entry.added = has_gradient(compat.current_node())
        entry.step = log.begin(entry.unfinished)
        self._open[task, facts.id] = entry
        states.current().steps.append((entry.step, facts))
        if facts.saved is not None:
            self._silent_writes.check(facts, entry.step)

    def after_fast(self, facts: NodeFacts, made: NodeGradients, gradients: NodeGradients) -> Any:
        """Close the step of a node that the engine has executed."""
        if not self._is_applicable():
            return self.after(facts, made, gradients)
        with self._log.lock, compat.DISABLED_FUNCTIONS():
            task = compat.current_pass()
            entry = self._open.get((task, facts.id))
            if entry is not None:
                failure = attempt(self._log, self._end_fast, entry, made)
                if failure is not None:
                    self.replace_failed(facts, entry.pass_id, failure)
                self._open.pop((task, facts.id), None)
        return None

    def _end_fast(self, entry: OpenNode, made: NodeGradients) -> None:
        log, tensors, facts = self._log, self._tensors, entry.facts
        if not self._node_hooks.is_only(facts.id):
            tensors.content_keys.set_caching(on=False)
        functions = [
            tensor_compat.grad_fn_of(each)
            for each in made
            if each is not None and tensor_compat.requires_grad_of(each)
        ]
        if functions:
            self._graph.discover(functions, entry.since)
        passed = passed_gradients(tensors, entry, made)
        tensors.content_keys.set_caching(on=False)
        self._thread_states.leave(entry.step)
        log.end(entry.step, entry.node_step(passed, log.now() - entry.started))

    def after_leaf_fast(
        self, facts: NodeFacts, made: NodeGradients, gradients: NodeGradients
    ) -> None:
        """Close the step of a leaf that the engine has accumulated into."""
        if not self._is_applicable():
            self.after_leaf(facts, made, gradients)
            return
        with self._log.lock, compat.DISABLED_FUNCTIONS():
            task = compat.current_pass()
            entry = self._open.get((task, facts.id))
            if entry is not None:
                failure = attempt(self._log, self._end_leaf_fast, entry)
                if failure is not None:
                    self.replace_failed(facts, entry.pass_id, failure)
                self._open.pop((task, facts.id), None)

    def _end_leaf_fast(self, entry: OpenNode) -> None:
        log, tensors, facts = self._log, self._tensors, entry.facts
        # The leaf is reached through the running node: a hook that holds its tensor is never
        # freed.
        node: Any = compat.current_node()
        variable: Any = None if node is None else node.variable
        grad = None if variable is None else variable.grad
        if grad is None or entry.arrived[0] is None or facts.unregistered_in:
            self.end_leaf(entry, False)
            return
        if not self._node_hooks.is_only(facts.id) or compat.hooks_after(variable):
            tensors.content_keys.set_caching(on=False)
        total, step, started = tensors.record(grad), entry.step, entry.started
        self._thread_states.leave(step)
        leaf = tensors.record(variable)
        items = (tensor_item("grad", total), tensor_item("leaf", leaf))
        log.end(step, entry.leaf_step(*items, log.now() - started))
        self._totals.accumulated(entry.pass_id, facts.id, variable, total)
        tensors.content_keys.set_caching(on=False)
