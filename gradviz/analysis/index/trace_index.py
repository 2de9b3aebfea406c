"""A trace with its cross references resolved once, for fast queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, pairwise
from operator import attrgetter, itemgetter
from typing import Protocol, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.derivative_orders import DerivativeOrders, derivative_orders
from gradviz.analysis.index.gradient_flows import GradientFlow, GradientFlows
from gradviz.analysis.index.hook_effects import HookEffects, hook_effects
from gradviz.analysis.index.node_times import Times
from gradviz.analysis.index.non_finite_flags import BlobReader, NonFiniteFlags, blobs_of
from gradviz.analysis.index.phases import RunPhase, run_phases
from gradviz.model.columns import (
    ACCUMULATE,
    FORWARD,
    NODE,
    OPTIMIZER,
    PASS_BEGIN,
    StepColumns,
    TensorColumns,
    step_columns,
    tensor_columns,
)
from gradviz.model.console import ConsoleText
from gradviz.model.function_call import FunctionCall
from gradviz.model.gc_pause import gc_paused
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.inside import Inside
from gradviz.model.item import Item
from gradviz.model.source import SourceFile
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep, PassBeginStep, Root, Step
from gradviz.model.tensor import TensorValue, TensorValues
from gradviz.model.tensor_table import TensorTable
from gradviz.model.trace import Trace

_POLLED: int = 256
"""Number of steps after which a search asks whether it is cancelled."""


class WrittenStorages:
    """The steps that may have written to each storage, collected at the first query."""

    def __init__(
        self,
        steps: Sequence[Step],
        columns: StepColumns,
        tensors: TensorColumns,
        calls: Mapping[int, FunctionCall],
        inside: Mapping[int, Inside],
    ) -> None:
        """Use these parts of a `TraceIndex`."""
        self._steps = steps
        self._columns = columns
        self._tensors = tensors
        self._calls = calls
        self._inside = inside
        self._found: dict[int, list[int]] | None = None

    def steps_of(self, storage: int, cancelled: Callable[[], bool] = bool) -> Sequence[int]:
        """Numbers of the steps, ascending; a few of them may not have written after all.

        Args:
            storage: Number of the storage.
            cancelled: Called from time to time; if it returns True, the result is empty.
        """
        if self._found is None:
            self._found = self._search(cancelled)
        return () if self._found is None else self._found.get(storage, ())

    def _search(self, cancelled: Callable[[], bool]) -> dict[int, list[int]] | None:
        tensors = self._tensors
        storage_of = dict(zip(tensors.ids.tolist(), tensors.storages.tolist(), strict=True))
        dirty = [each.id for each in self._calls.values() if each.dirty]
        kinds = self._columns.kinds
        wanted = (kinds == ACCUMULATE) | (kinds == OPTIMIZER) | np.isin(self._columns.calls, dirty)
        numbers = np.union1d(np.flatnonzero(wanted) + 1, np.array(list(self._inside), np.int64))
        found: dict[int, list[int]] = {}
        for at, number in enumerate(numbers.tolist()):
            if at % _POLLED == 0 and cancelled():
                return None
            written = {storage_of.get(item.tensor or 0, 0) for item in self._written(number)}
            for storage in written - {0}:
                found.setdefault(storage, []).append(number)
        return found

    def _written(self, number: int) -> Iterator[Item]:
        step = self._steps[number - 1]
        if isinstance(step, AccumulateStep):
            yield step.total
        elif isinstance(step, OptimizerStep):
            yield from step.after
        elif isinstance(step, ForwardStep) and step.call is not None:
            yield from step.outputs
        inside = self._inside.get(number)
        for part in () if inside is None else inside.parts:
            for op in part.ops:
                yield from (op.inputs[each] for each in op.writes if each < len(op.inputs))


class InsideByStep(Mapping[int, Inside]):
    """A mapping from step numbers to records, each created on demand."""

    def __init__(self, records: Sequence[Inside], numbers: Sequence[int] | None = None) -> None:
        """Map step numbers to the given records.

        Args:
            records: One for each step that has something inside.
            numbers: The ``id`` of each record, if known without creating the records.
        """
        self._records = records
        known = [record.id for record in records] if numbers is None else numbers
        self._places = {number: place for place, number in enumerate(known)}

    def __getitem__(self, number: int) -> Inside:
        """What was recorded inside a step.

        Raises:
            KeyError: If nothing was recorded there.
        """
        return self._records[self._places[number]]

    def __contains__(self, number: object) -> bool:
        """Whether something was recorded inside a step."""
        return number in self._places

    def __len__(self) -> int:
        """Number of steps that have something inside."""
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        """The numbers of these steps, ascending."""
        return iter(self._places)


def inside_by_step(records: Sequence[Inside]) -> InsideByStep:
    """Map the records of a trace by step, without loading those still in a file."""
    return InsideByStep(records, getattr(records, "numbers", None))


T = TypeVar("T")


class PassSpan(Struct, frozen=True, kw_only=True):
    """One backward pass as a range of steps.

    Attributes:
        pass_id: Key of the pass.
        first: Number of its `PassBeginStep`.
        last: Number of its last step.
        roots: Roots at which it starts.
        numbers: Its number in the run among outermost passes, as in `PassRange`, followed by its
            numbers inside of each pass that it runs inside of.
    """

    pass_id: int
    first: int
    last: int
    roots: tuple[Root, ...]
    numbers: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its number in texts, such as ``3``, or ``3.1`` for the first one inside of pass 3."""
        return ".".join(map(str, self.numbers))


class TraceIndex(Struct, frozen=True, kw_only=True):
    """Lookup tables for one trace, created by `index_trace`.

    Attributes:
        trace: The indexed trace.
        steps: The steps as columns.
        tensors: The tensors as columns.
        node: Nodes by id.
        edge: Edges by id.
        module: Module calls by id.
        call: Calls of custom Functions by id.
        tensor: Tensors by id, with statistics.
        finite: Finds the tensors that are not finite.
        value: Reads the elements of a tensor by id; returns None if that is not possible.
        source: Sources by id.
        saved: Saved slots by node.
        leaving: Edges by source node, in order of slot.
        arriving: Edges by target node.
        made_at: Number of the forward step that created a node, by node.
        visits: Numbers of the steps that executed a node, ascending, by node.
        times: Steps that created or executed a node, for thousands of nodes at once.
        written: Steps that may have written to a storage.
        flows: Gradients along an edge, by edge, in order of step.
        passes: The backward passes, in the order in which they began.
        span: The passes of the whole run, by key.
        inside: What was recorded inside a step, by step number.
        phases: Forward, backward passes and optimizer steps; together they cover all steps.
        printed: Console texts by step.
        orders: Order of differentiation of nodes and passes.
        leaves_named_alike: Names of leaves that differ only in their number, as ``x`` and ``x#2``.
        hooks_by_step: What hooks did to gradients, by step.
        iteration: Number of the iteration that it is limited to; 0 for the whole run.
    """

    trace: Trace
    steps: StepColumns
    tensors: TensorColumns
    node: dict[int, Node]
    edge: dict[int, Edge]
    module: dict[int, ModuleCall]
    call: dict[int, FunctionCall]
    tensor: TensorTable
    finite: NonFiniteFlags
    value: TensorValues
    source: dict[int, SourceFile]
    saved: dict[int, tuple[SavedSlot, ...]]
    leaving: dict[int, tuple[Edge, ...]]
    arriving: dict[int, tuple[Edge, ...]]
    made_at: dict[int, int]
    visits: dict[int, tuple[int, ...]]
    times: Times
    written: WrittenStorages
    flows: Mapping[int, tuple[GradientFlow, ...]]
    passes: tuple[PassSpan, ...]
    span: dict[int, PassSpan]
    inside: InsideByStep
    phases: tuple[RunPhase, ...]
    printed: dict[int, tuple[ConsoleText, ...]]
    leaves_named_alike: frozenset[str]
    hooks_by_step: dict[int, HookEffects]
    orders: DerivativeOrders
    iteration: int = 0

    @property
    def begins_with_the_run(self) -> bool:
        """Whether the run was recorded from its beginning, so that phases can be counted."""
        return self.trace.scope.first_pass in (None, 1)

    @property
    def numbers_passes(self) -> bool:
        """Whether texts give the numbers of passes."""
        return len(self.passes) > 1 or not self.begins_with_the_run

    def pass_name(self, pass_id: int) -> str:
        """The number of a pass in texts; `PassSpan.name`."""
        return self.span[pass_id].name


def _no_values(_number: int) -> TensorValue | None:
    return None


def index_trace(
    trace: Trace, values: TensorValues = _no_values, blobs: BlobReader | None = None
) -> TraceIndex:
    """Resolve the cross references of a trace.

    Args:
        trace: Trace to index.
        values: Reads the elements of a tensor, for statistics and thumbnails on demand, such as
            `TraceReader.value`. Without it, only recorded statistics are known.
        blobs: Reads the elements of many tensors, such as `TraceReader.blobs`; by default,
            ``values`` is called for each.
    """
    # Millions of objects are created and all of them stay, so collections would be in vain.
    with gc_paused():
        return _indexed(trace, values, blobs or blobs_of(values))


class IndexableReader(Protocol):
    """An open trace, such as `gradviz.store.reader.TraceReader`."""

    def trace(self, pause: Callable[[], None] = ...) -> Trace:
        """Everything except the elements of tensors."""

    def value(self, tensor: int) -> TensorValue | None:
        """The stored elements of a tensor; None if none were stored."""

    def blobs(self, tensors: Sequence[int]) -> Iterable[tuple[int, bytes]]:
        """Reads the elements of many tensors at once."""


def index_reader(reader: IndexableReader, pause: Callable[[], None] = lambda: None) -> TraceIndex:
    """Reads all records of an open trace and resolves their cross references.

    Args:
        reader: The open trace.
        pause: Called regularly; an exception from it ends the reading.
    """
    return index_trace(reader.trace(pause), reader.value, reader.blobs)


def extend_index(index: TraceIndex, trace: Trace, reader: IndexableReader) -> TraceIndex:
    """Index what a check has appended to a trace.

    Args:
        index: Index of the trace before the check.
        trace: The same trace with the appended records, such as from `TraceReader.read_appended`.
        reader: Reads the elements of its tensors.
    """
    tensors = tensor_columns(trace.tensors)
    # A check appends no steps, nodes or edges, so the other tables stay valid.
    return replace(
        index,
        trace=trace,
        tensors=tensors,
        tensor=TensorTable(trace.tensors, reader.value),
        finite=index.finite.extended(tensors, reader.blobs),
        value=reader.value,
        source={source.id: source for source in trace.sources},
        hooks_by_step=hook_effects(trace.findings),
    )


def _indexed(trace: Trace, values: TensorValues, blobs: BlobReader) -> TraceIndex:
    steps, tensors = step_columns(trace.steps), tensor_columns(trace.tensors)
    edges = {edge.id: edge for edge in trace.edges}
    calls = {call.id: call for call in trace.calls}
    inside = inside_by_step(trace.insides)
    by_slot = sorted(trace.edges, key=attrgetter("slot"))
    visits = _visits(steps)
    made_at = _made_at(steps)
    arriving = _grouped(by_slot, attrgetter("target"))
    run = (text for text in trace.console if text.activity == "run")
    passes = _passes(trace, steps)
    return TraceIndex(
        trace=trace,
        steps=steps,
        tensors=tensors,
        node={node.id: node for node in trace.nodes},
        edge=edges,
        module={module.id: module for module in trace.modules},
        call=calls,
        tensor=TensorTable(trace.tensors, values),
        finite=NonFiniteFlags(tensors, blobs),
        value=values,
        source={source.id: source for source in trace.sources},
        saved=_grouped(trace.saved, attrgetter("node")),
        leaving=_grouped(by_slot, attrgetter("source")),
        arriving=arriving,
        made_at=made_at,
        visits=visits,
        times=Times(trace.nodes, steps, arriving),
        written=WrittenStorages(trace.steps, steps, tensors, calls, inside),
        flows=GradientFlows(edges, visits, trace.steps),
        passes=passes,
        span={each.pass_id: each for each in passes},
        inside=inside,
        phases=run_phases(steps.passes, steps.kinds == OPTIMIZER),
        leaves_named_alike=_named_alike(trace.nodes),
        hooks_by_step=hook_effects(trace.findings),
        printed=_grouped((text for text in run if text.step is not None), attrgetter("step")),
        orders=derivative_orders(trace.nodes, trace.steps, steps),
    )


def base_name(leaf: str) -> str:
    """The name of a leaf without the number that tells it from others: ``x`` for ``x#2``."""
    base, _, number = leaf.rpartition("#")
    return base if base and number.isdecimal() else leaf


def _named_alike(nodes: Iterable[Node]) -> frozenset[str]:
    names = {node.variable_name for node in nodes if node.variable_name}
    numbered = {name for name in names if base_name(name) != name}
    return frozenset(numbered | (names & set(map(base_name, numbered))))


def _grouped(records: Iterable[T], key: Callable[[T], int]) -> dict[int, tuple[T, ...]]:
    groups: dict[int, list[T]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return {number: tuple(group) for number, group in groups.items()}


def _made_at(steps: StepColumns) -> dict[int, int]:
    """Number of the first forward step of each node."""
    at = np.flatnonzero((steps.kinds == FORWARD) & (steps.nodes != 0))
    pairs = list(zip(steps.nodes[at].tolist(), (at + 1).tolist(), strict=True))
    if steps.several:
        pairs += [(node, number) for number, nodes in steps.several.items() for node in nodes]
        pairs.sort(key=itemgetter(1))
    # Reversed, so that of several steps of a node, the first is inserted last and wins.
    return dict(reversed(pairs))


def _visits(steps: StepColumns) -> dict[int, tuple[int, ...]]:
    executed = np.flatnonzero((steps.kinds == NODE) | (steps.kinds == ACCUMULATE))
    # A stable sort keeps the steps of each node in order.
    ordered = executed[np.argsort(steps.nodes[executed], kind="stable")]
    nodes, starts = np.unique(steps.nodes[ordered], return_index=True)
    numbers = (ordered + 1).tolist()
    ends = [*starts.tolist(), len(numbers)]
    spans = zip(nodes.tolist(), pairwise(ends), strict=True)
    return {node: tuple(numbers[start:end]) for node, (start, end) in spans}


def _passes(trace: Trace, columns: StepColumns) -> tuple[PassSpan, ...]:
    begins = [trace.steps[at] for at in np.flatnonzero(columns.kinds == PASS_BEGIN).tolist()]
    # `unique` returns first positions; in the reversed column, these are the last steps.
    passes, from_end = np.unique(columns.passes[::-1], return_index=True)
    last = dict(zip(passes.tolist(), (len(trace.steps) - from_end).tolist(), strict=True))
    rows = trace.scope.kept or ((trace.scope.first_pass or 1, None),)
    outermost = chain.from_iterable(count(a) if b is None else range(a, b + 1) for a, b in rows)
    numbers: dict[int, tuple[int, ...]] = {}
    inner: Counter[int] = Counter()
    spans = []
    for begin in begins:
        if not isinstance(begin, PassBeginStep):
            continue
        outer = numbers.get(begin.parent or 0)
        if outer is None or begin.parent is None:
            numbers[begin.pass_id] = (next(outermost, begin.pass_id),)
        else:
            inner[begin.parent] += 1
            numbers[begin.pass_id] = (*outer, inner[begin.parent])
        spans.append(
            PassSpan(
                pass_id=begin.pass_id,
                first=begin.number,
                last=last[begin.pass_id],
                roots=begin.roots,
                numbers=numbers[begin.pass_id],
            )
        )
    return tuple(spans)
