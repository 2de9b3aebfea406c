"""Memory that nodes save for a backward pass, and the steps that free it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from gradviz.analysis.index.step_queries import made_step, pass_at, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.model.step import AccumulateStep, NodeStep, PassBeginStep
from gradviz.model.tensor import ITEM_SIZES, TensorRecord


class NodeMemory(Struct, frozen=True, kw_only=True):
    """What one node saves.

    Attributes:
        node: The node.
        size: Bytes that it saves and that no earlier node saves.
        freed: The step that frees its saved tensors; None if none does.
    """

    node: int
    size: int
    freed: int | None


class ModuleMemory(Struct, frozen=True, kw_only=True):
    """What the nodes of a module save, or those of several modules that differ in a number.

    Attributes:
        path: Path such as ``blocks.*.norm``; empty outside of modules.
        class_name: Name of the class; empty outside of modules.
        modules: Number of modules.
        nodes: The nodes that save something, those with the most bytes first.
    """

    path: str
    class_name: str
    modules: int
    nodes: tuple[NodeMemory, ...]

    @property
    def size(self) -> int:
        """Bytes that its nodes save and no earlier ones."""
        return sum(each.size for each in self.nodes)


class SavedMemory(Struct, frozen=True, kw_only=True):
    """What is saved when a pass begins, in the part of the graph that it runs through.

    Attributes:
        span: The pass; None if the run has none.
        nodes: The nodes that save tensors, in the order in which they were made.
        leaves: Bytes of leaves that are saved too. They exist anyway, so they do not count.
        unknown: Number of saved tensors whose size is unknown, which do not count either.
    """

    span: PassSpan | None
    nodes: tuple[NodeMemory, ...]
    leaves: int
    unknown: int

    @property
    def size(self) -> int:
        """Bytes of all; memory that several saved tensors share counts once."""
        return sum(each.size for each in self.nodes)


def freed_at(index: TraceIndex, node: int, number: int) -> int | None:
    """The step before another one that freed what a node had saved; None if there is none."""
    visits = index.visits.get(node, ())
    return next((each for each in visits if each < number and _frees(index, each)), None)


def _frees(index: TraceIndex, number: int) -> bool:
    """Whether torch frees the saved tensors of a node after a step that executes it."""
    step, span = step_at(index, number), pass_at(index, number)
    begin = None if span is None else step_at(index, span.first)
    if not isinstance(step, NodeStep) or not isinstance(begin, PassBeginStep):
        return False
    # A node that raises keeps them.
    return step.finished and not begin.keep_graph


def pass_for(index: TraceIndex, number: int) -> PassSpan | None:
    """The outermost pass of a step, the next one after it, or the last one; None for no pass."""
    outermost = [each for each in index.passes if not each.numbers[1:]]
    last = outermost[-1] if outermost else None
    return next((each for each in outermost if each.last >= number), last)


def saved_memory(index: TraceIndex, span: PassSpan | None) -> SavedMemory | None:
    """Measure what is saved for a pass, or in the whole graph if there is no pass.

    Returns:
        None if nothing is known to be saved.
    """
    begins = len(index.trace.steps) + 1 if span is None else span.first
    reached = index.node.keys() if span is None else _reached(index, span)
    saving = [each for each in reached if next(_saved_records(index, each), None) is not None]
    held = [each for each in saving if freed_at(index, each, begins) is None]
    held.sort(key=lambda node: (made_step(index, node), node))
    areas = _Areas()
    leaves = _leaf_storages(index, reached, span)
    leaf_areas = _Areas()
    found, unknown = [], 0
    for node in held:
        size = 0
        for record in _saved_records(index, node):
            end = _end(record)
            if end is None:
                unknown += 1
            elif record.storage in leaves:
                leaf_areas.add(record, end)
            else:
                size += areas.add(record, end)
        freed = freed_at(index, node, len(index.trace.steps) + 1)
        found.append(NodeMemory(node=node, size=size, freed=freed))
    if not found:
        return None
    return SavedMemory(span=span, nodes=tuple(found), leaves=leaf_areas.size, unknown=unknown)


def by_module(index: TraceIndex, nodes: Sequence[NodeMemory]) -> tuple[ModuleMemory, ...]:
    """Group nodes by their innermost modules, those with the most bytes first.

    Modules of one class whose paths differ only in numbers are one group.
    """
    groups: dict[tuple[str, str], list[NodeMemory]] = {}
    paths: dict[tuple[str, str], set[str]] = {}
    for each in nodes:
        call = index.node[each.node].module_call
        module = None if call is None else index.module[call]
        path = "" if module is None else module.path
        key = _NUMBER.sub("*", path), "" if module is None else module.class_name
        groups.setdefault(key, []).append(each)
        paths.setdefault(key, set()).add(path)
    found = [
        ModuleMemory(
            path=key[0] if len(paths[key]) > 1 else next(iter(paths[key])),
            class_name=key[1],
            modules=len(paths[key]),
            nodes=tuple(sorted(group, key=lambda each: -each.size)),
        )
        for key, group in groups.items()
    ]
    return tuple(sorted(found, key=lambda each: -each.size))


_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")
"""A part of a path that is a number, as of a module in a list."""


def _reached(index: TraceIndex, span: PassSpan) -> set[int]:
    """The nodes that a pass can run through."""
    waiting = [root.node for root in span.roots]
    seen = set(waiting)
    while waiting:
        targets = {edge.target for edge in index.leaving.get(waiting.pop(), ())} - seen
        seen |= targets
        waiting += targets
    return seen


def _saved_records(index: TraceIndex, node: int) -> Iterator[TensorRecord]:
    for slot in index.saved.get(node, ()):
        if slot.item.tensor is not None:
            yield index.tensor.bare(slot.item.tensor)


def _leaf_storages(
    index: TraceIndex, reached: Collection[int], span: PassSpan | None
) -> frozenset[int | None]:
    variables = [each.variable for each in index.trace.nodes if each.variable is not None]
    # `p.data = ...` has given a leaf another memory since its node was made.
    steps = range(0) if span is None else range(span.first, span.last + 1)
    for node in (each for each in reached if index.node[each].variable is not None):
        for number in index.visits.get(node, ()):
            step = step_at(index, number) if number in steps else None
            if isinstance(step, AccumulateStep) and step.leaf and step.leaf.tensor is not None:
                variables.append(step.leaf.tensor)
    return frozenset(index.tensor.bare(each).storage for each in variables) - {None}


def _end(record: TensorRecord) -> int | None:
    """End of a tensor in its storage, in bytes; None if it is unknown."""
    size = ITEM_SIZES.get(record.dtype)
    if size is None or record.strides is None:
        return None
    steps = zip(record.shape, record.strides, strict=True)
    last = sum((count - 1) * stride for count, stride in steps) if record.count else -1
    return ((record.offset or 0) + last + 1) * size


class _Areas:
    """Parts of storages, each counted once."""

    def __init__(self) -> None:
        self.size = 0
        self._of: dict[int, list[tuple[int, int]]] = {}

    def add(self, record: TensorRecord, end: int) -> int:
        """Add the part from the first to the last element; return how many bytes are new."""
        area = (record.offset or 0) * ITEM_SIZES[record.dtype], end
        known = [] if record.storage is None else self._of.setdefault(record.storage, [])
        touching = [each for each in known if each[0] < area[1] and area[0] < each[1]]
        union = min((area, *touching))[0], max(each[1] for each in (area, *touching))
        added = union[1] - union[0] - sum(last - first for first, last in touching)
        known[:] = [*(each for each in known if each not in touching), union]
        self.size += added
        return added
