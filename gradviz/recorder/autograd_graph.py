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
        found: list[_FoundNode] = []
        made: list[tuple[int, int]] = []
        rows: list[TraceRow] = []
        recorded = 0
        try:
            self._find_unknown(found, roots, made_since)
            if not found:
                return made
            maker = None if made_since is None else self._thread_states.producer()
            for node, facts, _ in found:
                sequence = compat.node_sequence(node)
                is_new = made_since is not None and sequence is not None and sequence >= made_since
                name = node.name()
                by = maker if is_new or name == compat.ERROR_NODE else None
                if producer_at is not None and sequence is not None:
                    by = by or producer_at(sequence)
                self._record(rows, node, facts, name, sequence, by, is_new=is_new)
                recorded += 1
                if is_new and sequence is not None:
                    made.append((sequence, facts.id))
            # After all nodes: an edge needs the numbers of both ends.
            for _, facts, targets in found:
                if not facts.is_outside:
                    self._record_edges(rows, facts, targets)
            recorded = 0
            self._log.put_rows(rows)
        except BaseException:
            self._unnumber([each for each, _, _ in found[recorded:]])
            if recorded:
                self._log.put_rows(rows)
            raise
        made.sort()
        return made

    def _find_unknown(
        self, found: list[_FoundNode], roots: Iterable[Any], made_since: int | None
    ) -> None:
        mark, pruned, kept = self._mark, self._pruned, self._kept
        # A stack, because a chain of 10,000 nodes exceeds Python's recursion limit.
        waiting = [*roots]
        waiting.reverse()
        while waiting:
            node = waiting.pop()
            if node is None:
                continue
            facts = node.metadata.get(mark)
            if facts is None or (facts.id <= pruned and facts.id not in kept):
                facts, targets = self._new_facts(), node.next_functions
                # First, as an exception of a signal may come in between.
                found.append((node, facts, targets))
                node.metadata[mark] = facts
                if self._is_partial and _is_older(node, made_since):
                    facts.is_outside = True
                    continue
                for target, _ in reversed(targets):
                    waiting.append(target)

    def _new_facts(self, call: CallFacts | None = None) -> NodeFacts:
        return NodeFacts(self._log.next("node"), call=call)

    def _unnumber(self, nodes: Iterable[Any]) -> None:
        """Remove the numbers of nodes that could not be recorded, so that no step uses them."""
        for node in nodes:
            node.metadata.pop(self._mark, None)

    def begin_call(self, node: Any, call: CallFacts) -> None:
        """Number the node of a custom Function's call that begins, and all nodes below it."""
        facts = self._new_facts(call)
        sequence, maker = compat.node_sequence(node), self._thread_states.producer()
        targets = [target for target, _ in node.next_functions]
        running = self._thread_states.current().torch_call
        try:
            node.metadata[self._mark] = facts
            if running is not None:
                running.made += self.discover(targets, running.since)
            else:
                self.discover(targets, sequence if self._is_partial else None)
            rows: list[TraceRow] = []
            self._record(rows, node, facts, node.name(), sequence, maker, is_new=True)
            self._record_edges(rows, facts, node.next_functions)
            self._log.put_rows(rows)
        except BaseException:
            self._unnumber((node,))
            raise
        call.node = facts.id

    def _record(
        self,
        rows: list[TraceRow],
        node: Any,
        facts: NodeFacts,
        name: str,
        sequence: int | None,
        maker: ProducingNode | None,
        *,
        is_new: bool,
    ) -> None:
        number, call = facts.id, facts.call
        facts.kind = kind = _kind_of(node, call, name)
        is_leaf = kind == "accumulate"
        variable = getattr(node, "variable", None) if is_leaf else None
        leaf = None if variable is None else self._describe_leaf(variable, number)
        record = Node(
            id=number,
            name=name,
            kind=kind,
            sequence_nr=sequence,
            call=None if call is None else call.id,
            variable=None if leaf is None else leaf[0],
            variable_name="" if leaf is None else leaf[1],
            made_by=None if maker is None else maker.facts.id,
            module_call=self._modules.current() if is_new else None,
            made_in=None if maker is None else maker.step,
        )
        rows.append(("node", number, record, None))
        if variable is not None:
            self._check_leaf(variable, facts)
        elif kind == "error":
            if maker is not None and maker.facts.call is not None:
                facts.once_differentiable_function = maker.facts.call.function
        elif not is_leaf:
            facts.altered = kind == "builtin" and name in compat.ALTERED_NODES
            # The recorder of a custom Function's call records what it has saved.
            if self._saved is not None and call is None and not facts.is_outside:
                self._saved.record(node, facts, rows)

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

    def _record_edges(
        self, rows: list[TraceRow], facts: NodeFacts, targets: tuple[tuple[Any, int], ...]
    ) -> None:
        edges: list[int | None] = []
        source, mark = facts.id, self._mark
        for slot, (target, target_slot) in enumerate(targets):
            number = None
            if target is not None:
                number, at = self._log.next("edge"), target.metadata[mark].id
                edge = Edge(id=number, source=source, slot=slot, target=at, target_slot=target_slot)
                rows.append(("edge", number, edge, None))
            edges.append(number)
        facts.edges = tuple(edges)

    def reachable(self, roots: Iterable[Any]) -> Iterator[tuple[Any, NodeFacts]]:
        """Yield each numbered node that is reachable from other nodes, with its facts."""
        # A node without a number leads to numbered ones only in a recording of some calls.
        seen: set[Any] = set()
        waiting = [root for root in roots if root is not None]
        while waiting:
            node = waiting.pop()
            facts = self.find_facts(node)
            key = node if self._is_partial else facts
            if key is None or key in seen:
                continue
            seen.add(key)
            if facts is not None:
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


def _is_older(node: Any, made_since: int | None) -> bool:
    """Whether a node existed before a call; the node of a leaf has no age."""
    sequence = compat.node_sequence(node)
    if sequence is None or made_since is None or _kind_of(node, None, node.name()) == "accumulate":
        return False
    return sequence < made_since


def _kind_of(node: Any, call: CallFacts | None, name: str) -> NodeKind:
    if call is not None:
        return "custom"
    if name == "torch::autograd::AccumulateGrad":
        return "accumulate"
    if name == compat.ERROR_NODE:
        return "error"
    if isinstance(node, compat.BackwardNode) and not is_torch_function(node):
        return "custom"
    return "builtin"


def is_torch_function(node: Any) -> bool:
    """Whether a Python node belongs to one of torch's own Functions, like checkpoint's."""
    return is_torch_class(getattr(node, "_forward_cls", None))


def is_torch_class(cls: Any) -> bool:
    """Whether a class is defined in torch."""
    module = class_module(cls)
    return module == "torch" or module.startswith("torch.")
