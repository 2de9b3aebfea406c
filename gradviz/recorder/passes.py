"""Recording of backward passes from start to end, including nested ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gradviz.model.item import Item, object_item
from gradviz.model.messages import say
from gradviz.model.step import PassBeginStep, PassEndStep, Root
from gradviz.recorder import compat
from gradviz.recorder.activity import Activity
from gradviz.recorder.backward_judge import BackwardJudge
from gradviz.recorder.border import bordered
from gradviz.recorder.compat import Quiet
from gradviz.recorder.execution import Execution, OpenNode
from gradviz.recorder.graph_walk import Graph, NodeFacts
from gradviz.recorder.insides import Insides
from gradviz.recorder.judge import Judge
from gradviz.recorder.log import Log
from gradviz.recorder.names import Names
from gradviz.recorder.op_mode import OpMode
from gradviz.recorder.sources import Sources, caller
from gradviz.recorder.tensor_hooks import TensorHooks
from gradviz.recorder.tensors import Tensors
from gradviz.recorder.what_if import WhatIf


@dataclass(slots=True)
class Pass:
    """A running pass.

    Attributes:
        thread: Identity of the thread that started it.
        roots: Numbers of the nodes at which it starts.
        inputs: Names of the tensors whose gradients are requested; empty for ``backward()``.
        errors: Nodes in its graph that raise when executed.
    """

    id: int
    thread: int
    roots: frozenset[int]
    inputs: tuple[str, ...]
    errors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """Arguments of a call of the engine."""

    outputs: tuple[Any, ...]
    gradients: tuple[Any, ...]
    keep_graph: bool
    create_graph: bool
    inputs: tuple[Any, ...]
    accumulate: bool


class Passes:
    """Numbers passes and records their beginning and end."""

    def __init__(
        self,
        log: Log,
        tensors: Tensors,
        graph: Graph,
        names: Names,
        sources: Sources,
        activity: Activity,
        insides: Insides,
        ops: OpMode | None = None,
        what_if: WhatIf | None = None,
    ) -> None:
        self._log = log
        self._tensors = tensors
        self._graph = graph
        self._names = names
        self._sources = sources
        self._activity = activity
        self._count = 0
        self._starting: list[Pass] = []
        self._used_up = False
        self._what_if = what_if
        self.judge = BackwardJudge(log, Judge(log, sources), tensors)
        self.hooks = TensorHooks(log, tensors, graph, names, sources)
        self.execution = Execution(
            log,
            tensors,
            graph,
            activity,
            insides,
            self._pass_of,
            ops,
            what_if,
            judge=self.judge,
            hooks=self.hooks,
        )

    @property
    def border(self) -> Log:
        """Receiver of errors that are raised while recording."""
        return self._log

    @property
    def any(self) -> bool:
        """Whether a pass has been started."""
        return self._count > 0

    @property
    def used_up(self) -> bool:
        """Whether a ``backward()`` that frees its graph has been started."""
        return self._used_up

    @bordered
    def begin(self, request: Request) -> Pass | None:
        """Record the beginning of a pass; None if torch will refuse it."""
        frame = caller()
        with self._log.lock, Quiet():
            starts = [compat.root_node(output) for output in request.outputs]
            nodes = [node for node, _ in starts]
            if not nodes or any(node is None for node in nodes):
                return None
            started = self._log.now()
            self._graph.discover(nodes)
            errors = self._prepared(nodes)
            self._count += 1
            self._used_up |= request.accumulate and not request.keep_graph
            roots = self._roots(request, starts)
            running = Pass(
                id=self._count,
                thread=self._activity.ident(),
                roots=frozenset(root.node for root in roots),
                inputs=self._input_names(request),
                errors=errors,
            )
            self._log.put(
                PassBeginStep(
                    number=self._log.next("step"),
                    started_ns=started,
                    pass_id=running.id,
                    parent=self._activity.pass_id(),
                    roots=roots,
                    create_graph=request.create_graph,
                    keep_graph=request.keep_graph,
                    accumulate=request.accumulate,
                    location=self._sources.at(frame),
                )
            )
            self._starting.append(running)
            self._change_saved(nodes)
            return running

    def _prepared(self, nodes: Sequence[Any]) -> tuple[int, ...]:
        """Hook all nodes of a pass; return those that raise when executed."""
        errors: list[int] = []

        def hook(node: Any, facts: NodeFacts) -> None:
            self.execution.hook(node, facts)
            if facts.kind == "error":
                errors.append(facts.id)

        self._graph.each(nodes, hook)
        return tuple(errors)

    def _change_saved(self, nodes: Sequence[Any]) -> None:
        """Apply What If changes of saved values, in the step that begins a pass."""
        what_if = self._what_if
        if what_if is not None:
            step = self._log.highest("step")
            self._graph.each(nodes, lambda node, facts: what_if.saved(node, facts, step))

    def _roots(self, request: Request, starts: Sequence[tuple[Any, int]]) -> tuple[Root, ...]:
        roots = []
        for position, (node, output_nr) in enumerate(starts):
            output = request.outputs[position]
            many = len(starts) > 1
            label = f"output {position}" if many else "output"
            gradient = request.gradients[position] if position < len(request.gradients) else None
            number = self._graph.id_of(node)
            assert number is not None
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
            return self._tensors.item(self._names.of(output) or label, output)
        return object_item(label, "gradient edge")

    def _input_names(self, request: Request) -> tuple[str, ...]:
        if request.accumulate:
            return ()
        names = [
            self._names.of_leaf(each) if isinstance(each, torch.Tensor) else ""
            for each in request.inputs
        ]
        return tuple([name or f"input {position}" for position, name in enumerate(names)])

    def _pass_of(self, node: int) -> int | None:
        """The pass for which the engine executes a node in this thread."""
        task = compat.current_pass()
        known = self._activity.pass_of_task.get(task)
        if known is not None or not self._starting or task < 0:
            return known
        here = self._activity.ident()
        likely = [each for each in self._starting if each.thread == here]
        likely = likely or [each for each in self._starting if node in each.roots]
        chosen = (likely or self._starting)[-1]
        self._starting.remove(chosen)
        self._activity.pass_of_task[task] = chosen.id
        return chosen.id

    @bordered
    def end(self, running: Pass, results: Any) -> None:
        """Record the results of a pass that ended without an exception."""
        with self._log.lock, Quiet():
            values = tuple(results) if running.inputs and results is not None else ()
            self.execution.find_sums(values)
            self._forget(running)
            step = self._log.next("step")
            self._tell_skipped(running, step)
            self._log.put(
                PassEndStep(
                    number=step,
                    started_ns=self._log.now(),
                    pass_id=running.id,
                    results=self._tensors.items(running.inputs[: len(values)], values),
                )
            )

    def _tell_skipped(self, running: Pass, step: int) -> None:
        """Report error nodes in the graph; the pass did not reach them, as it did not raise."""
        for node in running.errors:
            functions = self._graph.facts[node].made_for
            self._log.find(
                "second_order_cut_skipped",
                say("cut.skipped", function=functions),
                severity="warning",
                step=step,
                node=node,
            )

    @bordered
    def fail(self, running: Pass, error: BaseException) -> OpenNode | None:
        """Close a pass that raised, and return the node that was being executed."""
        with self._log.lock:
            self._forget(running)
            failed = self.execution.give_up(running.id)
            if failed is not None:
                self.judge.refused(failed, error)
            return failed

    def _forget(self, running: Pass) -> None:
        if running in self._starting:
            self._starting.remove(running)
        self.execution.forget_pass(running.id)
        tasks = self._activity.pass_of_task
        for task in [task for task, number in tasks.items() if number == running.id]:
            del tasks[task]


def request_of(outputs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Request:
    """Read the arguments of torch's ``_engine_run_backward``."""
    gradients, keep_graph, create_graph, inputs = (*args[:4], *(None,) * (4 - len(args)))[:4]
    return Request(
        outputs=tuple(outputs),
        gradients=tuple(gradients or ()),
        keep_graph=bool(keep_graph),
        create_graph=bool(create_graph),
        inputs=tuple(inputs or ()),
        accumulate=bool(kwargs.get("accumulate_grad", False)),
    )
