"""Traversal of the grad_fn graph that records nodes, edges and saved values."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Set
from threading import get_ident
from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.model.graph import Edge, Node, NodeKind
from gradviz.recorder import compat
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.open_function_call import CallFacts, NodeFacts
from gradviz.recorder.forward.saved_values import SavedValueRecorder
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.safe_text import class_module
from gradviz.recorder.sources import code_of
from gradviz.recorder.tensor_names import TensorNames
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.thread_state import ProducingNode, ThreadStates
from gradviz.recorder.training.modules import ModuleCallRecorder
from gradviz.store.packed_rows import TraceRow

_FoundNode = tuple[Any, NodeFacts, tuple[tuple[Any, int], ...]]
"""A node, its facts, and its ``next_functions``."""

_KINDS: dict[str, NodeKind] = {
    "torch::autograd::AccumulateGrad": "accumulate",
    compat.ERROR_NODE: "error",
}
_recordings = itertools.count(1)
_FIRST_PRUNING = 10_000


class SeenLeaves:
    """The leaves that recorded graphs reach, without keeping them alive."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[weakref.ref[torch.Tensor], str]] = {}
        self._taken: dict[str, weakref.ref[torch.Tensor]] = {}
        # That of the thread whose graphs reach the leaf; 0 if those of several do.
        self._threads: dict[int, int] = {}
        self._handed_on: set[int] = set()
        self._most = _FIRST_PRUNING

    def see(self, leaf: torch.Tensor, name: str) -> None:
        """Note a leaf; if another living one has its name, it gets a number."""
        known, thread = self._names.get(id(leaf)), get_ident()
        if known is not None and known[0]() is leaf:
            if self._threads[id(leaf)] != thread:
                # It may be handed to another thread once, which is not yet to be shared.
                self._threads[id(leaf)] = 0 if id(leaf) in self._handed_on else thread
                self._handed_on.add(id(leaf))
            return
        free, copies = name, itertools.count(2)
        while self._is_taken(free):
            free = f"{name} ({next(copies)})"
        name = free
        reference = self._taken[name] = weakref.ref(leaf)
        self._names[id(leaf)], self._threads[id(leaf)] = (reference, name), thread
        self._handed_on.discard(id(leaf))
        if len(self._names) > self._most:
            self._prune()

    def _is_taken(self, name: str) -> bool:
        known = self._taken.get(name)
        return known is not None and known() is not None

    def living(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Yield the leaves that are still alive, in the order in which they were seen.

        Only the name of one whose gradient another thread may be freeing, which torch does without
        Python's lock: to read it then would end the process.
        """
        thread = get_ident()
        for key, (reference, name) in tuple(self._names.items()):
            leaf = reference()
            if leaf is not None:
                yield name, leaf if self._threads[key] == thread else None

    def _prune(self) -> None:
        self._names = {key: each for key, each in self._names.items() if each[0]() is not None}
        self._taken = {name: reference for reference, name in self._names.values()}
        self._threads = {key: self._threads[key] for key in self._names}
        self._handed_on &= self._names.keys()
        self._most = 2 * len(self._names) + _FIRST_PRUNING


class AutogradGraphRecorder:
    """Numbers nodes and records them.

    Call with the log's lock held, inside `disabled_torch_modes`.

    Attributes:
        leaves: The leaves that the recorded graphs reach.
    """

    def __init__(
        self,
        log: RecordLog,
        options: RecordingOptions,
        tensors: TensorRecorder,
        names: TensorNames,
        thread_states: ThreadStates,
        modules: ModuleCallRecorder,
    ) -> None:
        self.error_boundary = self._log = log
        self._tensors = tensors
        self._names = names
        self._thread_states = thread_states
        self._modules = modules
        self._saved = SavedValueRecorder(log, tensors) if options.saved else None
        self._types: dict[type, tuple[NodeKind, bool]] = {}
        self._outputs: list[weakref.ref[torch.Tensor]] = []
        self._most_outputs = _FIRST_PRUNING
        self._shared: set[str] = set()
        self._pruned = 0
        self._kept: Set[int] = frozenset()
        self.leaves = SeenLeaves()
        self._is_partial = bool(options.scope.only)
        self.forget()

    def find_facts(self, node: Any) -> NodeFacts | None:
        """Facts of a node; None if it has no number yet, or is not in the trace any more."""
        facts: NodeFacts | None = node.metadata.get(self._mark)
        if facts is not None and facts.id <= self._pruned and facts.id not in self._kept:
            return None
        return facts

    def find_node_number(self, node: Any) -> int | None:
        """Number of a node; None if it has none yet, or none in the trace any more."""
        facts = self.find_facts(node)
        return None if facts is None else facts.id

    def discover(
        self,
        roots: Iterable[Any],
        made_since: int | None = None,
        producer_at: Callable[[int], ProducingNode | None] | None = None,
    ) -> list[tuple[int, int]]:
        """Number every reachable node that has no number yet.

        Args:
            roots: Nodes to start from.
            made_since: Sequence number from which nodes count as created by the current call.
            producer_at: Finds what created an older node, from its sequence number.

        Returns:
            Sequence and number of each node created since then, in the order of creation.
        """
        if self._is_partial and made_since is None:
            return []
        mark, pruned, kept, ids = self._mark, self._pruned, self._kept, self._log.ids
        found: list[_FoundNode] = []
        # A stack, because a chain of 10,000 nodes exceeds Python's recursion limit.
        waiting = [*roots]
        waiting.reverse()
        try:
            while waiting:
                node = waiting.pop()
                if node is None:
                    continue
                metadata = node.metadata
                facts = metadata.get(mark)
                if facts is not None and (facts.id > pruned or facts.id in kept):
                    continue
                ids["node"] = number = ids["node"] + 1
                facts, targets = NodeFacts(number), node.next_functions
                # First, as an exception of a signal may come in between.
                found.append((node, facts, targets))
                metadata[mark] = facts
                if self._is_partial and made_since and compat.sequence_of(node) < made_since:
                    # It is older. That of a leaf has no age, which is a high number.
                    facts.is_outside = True
                    continue
                for target, _ in reversed(targets):
                    if target is not None:
                        waiting.append(target)
            return self._record(found, made_since, producer_at) if found else []
        except BaseException:
            # No step is to use the number of a node that could not be recorded.
            for node, _, _ in found:
                node.metadata.pop(mark, None)
            raise

    def begin_call(self, node: Any, call: CallFacts) -> None:
        """Number the node of a custom Function's call that begins, and all nodes below it."""
        facts, targets = NodeFacts(self._log.next("node"), call=call), node.next_functions
        running = self._thread_states.current().torch_call
        try:
            node.metadata[self._mark] = facts
            below = [target for target, _ in targets]
            if running is not None:
                running.made += self.discover(below, running.since)
            else:
                self.discover(below, compat.sequence_of(node) if self._is_partial else None)
            self._record([(node, facts, targets)], 0, None)
        except BaseException:
            node.metadata.pop(self._mark, None)
            raise
        call.node = facts.id

    def _record(
        self,
        found: list[_FoundNode],
        made_since: int | None,
        producer_at: Callable[[int], ProducingNode | None] | None,
    ) -> list[tuple[int, int]]:
        """Record numbered nodes with their saved values and edges, as `discover` describes.

        It removes those that are recorded from ``found``, even if it is interrupted.
        """
        log, saved, types, threads = self._log, self._saved, self._types, self._thread_states
        since = compat.NO_SEQUENCE if made_since is None else made_since
        thread, rows, recorded = threads.current(), list[TraceRow](), 0
        made: list[tuple[int, int]] = []
        try:
            for node, facts, _ in found:
                number, name, call = facts.id, compat.node_name(node), facts.call
                sequence = compat.sequence_of(node)
                by = module_call = None
                if since <= sequence < compat.NO_SEQUENCE:
                    by = threads.producer() if thread.steps else None
                    module_call = self._modules.current()
                    made.append((sequence, number))
                elif made_since is not None and name == compat.ERROR_NODE:
                    by = threads.producer()
                if producer_at is not None and by is None and sequence < compat.NO_SEQUENCE:
                    by = producer_at(sequence)
                kind, facts.altered = types.get(type(node)) or self._type_of(node, name, call)
                facts.kind = kind
                leaf = self._record_leaf(node, facts) if kind == "accumulate" else (None, "")
                record = Node(
                    id=number,
                    name=name,
                    kind=kind,
                    sequence_nr=sequence if sequence < compat.NO_SEQUENCE else None,
                    call=None if call is None else call.id,
                    variable=leaf[0],
                    variable_name=leaf[1],
                    made_by=None if by is None else by.facts.id,
                    module_call=module_call,
                    made_in=None if by is None else by.step,
                )
                rows.append(("node", number, record, None))
                if kind == "error":
                    made_in = None if by is None else by.facts.call
                    facts.once_differentiable_function = "" if made_in is None else made_in.function
                # The recorder of a custom Function's call records what it has saved.
                elif kind != "accumulate" and call is None and not facts.is_outside and saved:
                    saved.record(node, facts, rows)
                recorded += 1
            self._record_edges(found, rows)
            log.put_later(rows)
            found.clear()
        except BaseException:
            if recorded:
                log.put_later(rows)
                del found[:recorded]
            raise
        made.sort()
        return made

    def _record_edges(self, found: Iterable[_FoundNode], rows: list[TraceRow]) -> None:
        """Record the edges of nodes, after all nodes, as an edge needs the numbers of both ends."""
        mark, ids = self._mark, self._log.ids
        for _, facts, targets in found:
            if facts.is_outside:
                continue
            edges: list[int | None] = []
            source = facts.id
            for slot, (target, target_slot) in enumerate(targets):
                if target is None:
                    edges.append(None)
                    continue
                ids["edge"] = number = ids["edge"] + 1
                at = target.metadata[mark].id
                edge = Edge(id=number, source=source, slot=slot, target=at, target_slot=target_slot)
                rows.append(("edge", number, edge, None))
                edges.append(number)
            facts.edges = tuple(edges)

    def _type_of(self, node: Any, name: str, call: CallFacts | None) -> tuple[NodeKind, bool]:
        """Kind of a node, and whether torch computes it differently if its ops are recorded."""
        if call is not None:
            return "custom", False
        if isinstance(node, compat.BackwardNode):
            # Not kept for a type that the run has made: it would live as long as the recording.
            is_torch = is_torch_class(getattr(node, "_forward_cls", None))
            return "builtin" if is_torch else "custom", False
        kind = _KINDS.get(name, "builtin")
        self._types[type(node)] = found = kind, name in compat.ALTERED_NODES
        return found

    def _record_leaf(self, node: Any, facts: NodeFacts) -> tuple[int | None, str]:
        """Record the leaf of a node; return the number of its tensor, and its name."""
        variable = getattr(node, "variable", None)
        if variable is None:
            return None, ""
        leaf = self._describe_leaf(variable, facts.id)
        self._check_leaf(variable, facts)
        return leaf or (None, "")

    @within_error_boundary
    def _describe_leaf(self, leaf: torch.Tensor, number: int) -> tuple[int, str]:
        """Record a leaf; return the number of its tensor, and its name."""
        name = self._names.unique_leaf_name(leaf)
        self.leaves.see(leaf, name or say("training.leaf", number=number))
        return self._tensors.record(leaf), name

    @within_error_boundary
    def _check_leaf(self, leaf: torch.Tensor, facts: NodeFacts) -> None:
        """Report once that modules share a parameter, and note if none has registered it."""
        others = self._names.others_of(leaf)
        name = self._names.find_leaf_name(leaf) if others else ""
        if others and name not in self._shared:
            self._shared.add(name)
            text = say("shared_parameter", name=name, others=others)
            self._log.find("shared_parameter", text, node=facts.id)
        modules = self._thread_states.current().modules
        if modules and isinstance(leaf, torch.nn.Parameter) and not self._names.is_owned(leaf):
            facts.unregistered_in = modules[-1].path
            # The module itself may not outlive its call.
            facts.module_forward = code_of(getattr(type(modules[-1].module()), "forward", None))

    def reachable(self, roots: Iterable[Any]) -> Iterator[tuple[Any, NodeFacts]]:
        """Yield each numbered node that is reachable from other nodes, with its facts."""
        mark, pruned, kept, is_partial = self._mark, self._pruned, self._kept, self._is_partial
        seen: set[Any] = set()
        waiting = [root for root in roots if root is not None]
        while waiting:
            node = waiting.pop()
            facts = node.metadata.get(mark)
            if facts is None or (facts.id <= pruned and facts.id not in kept):
                # It leads to numbered ones only in a recording of some calls.
                if not is_partial or node in seen:
                    continue
                seen.add(node)
            elif facts in seen:
                continue
            else:
                seen.add(facts)
                yield node, facts
            for target, _ in node.next_functions:
                if target is not None:
                    waiting.append(target)

    def watch(self, tensor: torch.Tensor) -> None:
        """Keep a weak reference to an output of the run from which the graph can be reached."""
        self._outputs.append(weakref.ref(tensor))
        # Pruned only after the list has doubled, so that a tensor costs constant time on average.
        if len(self._outputs) > self._most_outputs:
            self._outputs = [each for each in self._outputs if each() is not None]
            self._most_outputs = 2 * len(self._outputs) + _FIRST_PRUNING

    def _living(self) -> list[Any]:
        living = [each for each in (reference() for reference in self._outputs) if each is not None]
        return [tensor_compat.readable_grad_fn(each) for each in living]

    def living_nodes(self) -> list[int]:
        """Numbers of the nodes of outputs that are still alive, unless they have none yet."""
        numbers = (self.find_node_number(node) for node in self._living())
        return [number for number in numbers if number is not None]

    def keep_only(self, numbers: Set[int]) -> None:
        """Forget the nodes that are no longer in the trace; the next use records them again."""
        self._pruned, self._kept = self._log.highest("node"), numbers

    def forget(self) -> None:
        """Forget all nodes, whose numbers may be used again."""
        # Nodes outlive a recording, so each recording has a key of its own in their metadata. A
        # table of nodes would keep graphs alive, and one of numbers would grow with the run.
        self._mark = f"gradviz recording {next(_recordings)}"

    def finish(self) -> None:
        """Discover the nodes that are reachable from outputs that are still alive."""
        self.discover(self._living())

    def remove_graph_marks(self) -> None:
        """Remove the numbers from nodes that are reachable from outputs that are still alive."""
        living = self._living()
        self._outputs.clear()
        self.remove_marks(living)

    def remove_marks(self, roots: Iterable[Any]) -> None:
        """Remove the numbers from nodes that are reachable from other nodes."""
        waiting = [root for root in roots if root is not None]
        while waiting:
            node = waiting.pop()
            if node.metadata.pop(self._mark, None) is not None:
                waiting.extend([target for target, _ in node.next_functions if target is not None])


def is_torch_class(cls: Any) -> bool:
    """Whether a class is defined in torch."""
    module = class_module(cls)
    return module == "torch" or module.startswith("torch.")
