"""Index of everything that can be searched in a trace, built once to make searches fast."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.search.query import SearchKind
from gradviz.analysis.search.tensor_uses import MOST_CHARACTERS, TensorUseBuilder, TensorUses
from gradviz.model.gc_pause import gc_paused
from gradviz.model.graph import Node
from gradviz.model.item import tensor_item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import values_of

_ABOUT_NO_NODE = PassBeginStep | PassEndStep | DispatchStep | OptimizerStep | MissingStep

IndexedField = Literal["name", "function", "op", "module", "class", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEntry:
    """Something that a search can find: a node, or a step without a node.

    Attributes:
        node: A node of the graph; None for a step without a node.
        step: The step itself, or the first one that created or executed the node; 0 for none.
    """

    node: int | None
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndex:
    """Search index of a trace. Create it with `build_search_index`.

    Attributes:
        things: Everything that can be found, nodes first.
        kinds: Positions of things, by kind of node.
        texts: Positions of things by text, for each field.
        uses: All uses of tensors by things.
        problems: By position of the thing, the message and its step (0 for none).
        steps: For each step, the position of the thing that it is about.
    """

    things: tuple[SearchEntry, ...]
    kinds: dict[SearchKind, tuple[int, ...]]
    texts: dict[IndexedField, dict[str, list[int]]]
    uses: TensorUses
    problems: dict[int, tuple[str, int]]
    steps: tuple[int, ...]


def build_search_index(index: TraceIndex) -> SearchIndex:
    """Build the search index of a trace, in time linear in its size."""
    # Very many objects are created and all of them stay, so collections would be in vain.
    with gc_paused():
        return _IndexBuilder(index).build()


class _IndexBuilder:
    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._things = [_thing_of(index, node) for node in index.trace.nodes]
        self._place = {node.id: at for at, node in enumerate(index.trace.nodes)}
        self._texts: dict[IndexedField, dict[str, list[int]]] = {
            field: defaultdict(list) for field in get_args(IndexedField)
        }
        self._uses = TensorUseBuilder()
        self._problems: dict[int, tuple[str, int]] = {}

    def build(self) -> SearchIndex:
        kinds: dict[SearchKind, list[int]] = defaultdict(list)
        for at, node in enumerate(self._index.trace.nodes):
            kinds[node_kind_text(node)].append(at)
            self._note_node(at, node)
        for slot in self._index.trace.saved:
            made = self._index.made_at.get(slot.node, 0)
            self._uses.add(self._place[slot.node], made, "saved", (slot.item,))
        steps = [self._note_step(step) for step in self._index.trace.steps]
        for finding in self._index.trace.findings:
            if finding.node is not None:
                self._note_problem(self._place[finding.node], finding.message, finding.step or 0)
        return SearchIndex(
            things=tuple(self._things),
            kinds={kind: tuple(places) for kind, places in kinds.items()},
            texts={field: dict(texts) for field, texts in self._texts.items()},
            uses=self._uses.uses(self._index),
            problems=self._problems,
            steps=tuple(steps),
        )

    def _note_node(self, at: int, node: Node) -> None:
        self._note("name", node.name, at)
        self._note("name", node.variable_name, at)
        # A parameter is named by its path: ``layers.3.weight`` is in ``layers.3``.
        self._note("module", node.variable_name.rpartition(".")[0], at)
        if node.call is not None:
            call = self._index.call[node.call]
            for text in (f"{call.function}.forward", f"{call.function}.{call.backward_name}"):
                self._note("function", text, at)
        if node.module_call is not None:
            self._note("module", module_path(self._index, node.id), at)
            for name in self._classes(node.module_call):
                self._note("class", name, at)
        if node.variable is not None:
            leaf = tensor_item(node.variable_name, node.variable)
            self._uses.add(at, self._things[at].step, "leaf", (leaf,))

    def _note_step(self, step: Step) -> int:
        """Collect what a step contributes; returns the position of the thing that it is about."""
        number = step.number
        at = self._thing_at(step)
        for role, item in values_of(step):
            self._uses.add(at, number, role, (item,))
        match step:
            case ForwardStep():
                self._note_forward(at, step)
            case ErrorStep():
                self._note_problem(at, f"{step.exception}: {step.message}", number)
            case DispatchStep():
                self._note("name", step.function, at)
                self._note_answers(at, step)
            case OptimizerStep():
                self._note("name", step.optimizer, at)
            case MissingStep():
                self._note("name", step.name, at)
            case NodeStep() | AccumulateStep() | PassBeginStep() | PassEndStep():
                pass
        return at

    def _note_answers(self, at: int, step: DispatchStep) -> None:
        for kind in step.types:
            self._note("class", kind, at)
        for answer in step.answers:
            self._note("function", answer.by, at)

    def _thing_at(self, step: Step) -> int:
        if not isinstance(step, _ABOUT_NO_NODE) and step.node is not None:
            return self._place[step.node]
        self._things.append(SearchEntry(node=None, step=step.number))
        return len(self._things) - 1

    def _note_forward(self, at: int, step: ForwardStep) -> None:
        if step.node is None:
            self._note("name", step.op, at)
        made = step.nodes or (() if step.node is None else (step.node,))
        for node in made:
            if self._index.node[node].call is None:
                self._note("op", step.op, self._place[node])

    def _note_problem(self, at: int, message: str, number: int) -> None:
        self._problems.setdefault(at, (message, number))
        self._note("problem", message, at)

    def _classes(self, call: int | None) -> Iterator[str]:
        """Class names of a module call and of the calls that enclose it."""
        while call is not None:
            module = self._index.module[call]
            yield module.class_name
            call = module.parent

    def _note(self, field: IndexedField, text: str, at: int) -> None:
        if text:
            places = self._texts[field][text[:MOST_CHARACTERS]]
            if not places or places[-1] != at:
                places.append(at)


def node_kind_text(node: Node) -> SearchKind:
    """The kind of a node in a search, where an ``AccumulateGrad`` counts as its leaf."""
    return "leaf" if node.kind == "accumulate" else node.kind


def _thing_of(index: TraceIndex, node: Node) -> SearchEntry:
    visits = index.visits.get(node.id, (0,))
    return SearchEntry(node=node.id, step=index.made_at.get(node.id, visits[0]))
