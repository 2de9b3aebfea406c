"""The graph as a document: modules with their nodes in the order of the run, leaves last."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial

from gradviz.analysis.index.node_steps import received_gradients
from gradviz.analysis.index.step_queries import (
    is_outside_scope,
    node_at_step,
    node_status,
    step_at,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.search.search_index import node_kind_text
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.model.finding import Severity
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.step import ErrorStep, NodeStep
from gradviz.text.phrases import record_shape_text

LEAVES = "leaves"
"""The key of the row above the leaves; the key of a node is its id."""


@dataclass(frozen=True, slots=True)
class ModuleKey:
    """The key of a module's row.

    Attributes:
        call: ID of the module's call.
    """

    call: int


def graph_outline(index: TraceIndex) -> Document:
    """Return all nodes, without their contents at a step, in time linear in their number."""
    below: dict[Hashable, list[Hashable]] = {None: []}
    leaves: list[Hashable] = []
    for node in sorted(index.trace.nodes, key=partial(_first_step, index)):
        rows = leaves if node.kind == "accumulate" else _rows_in(index, node.module_call, below)
        rows.append(node.id)
    top = below.pop(None)
    if leaves:
        top.append(LEAVES)
        below[LEAVES] = leaves
    titles = (
        say("outline.name"),
        say("outline.state"),
        say("outline.gradient"),
        say("outline.problem"),
        say("outline.kind"),
    )
    return Document(titles=titles, keys=top, below=below)


def _first_step(index: TraceIndex, node: Node) -> tuple[int, int]:
    visits = index.visits.get(node.id, (0,))
    return index.made_at.get(node.id, visits[0]), node.id


def _rows_in(
    index: TraceIndex, call: int | None, below: dict[Hashable, list[Hashable]]
) -> list[Hashable]:
    """The rows inside a module's row, which is added first if it is new."""
    key = None if call is None else ModuleKey(call)
    if key not in below and call is not None:
        _rows_in(index, index.module[call].parent, below).append(key)
        below[key] = []
    return below[key]


@dataclass(frozen=True, slots=True)
class OutlineStep:
    """The rows of an outline at a step.

    Attributes:
        index: The trace.
        number: The step.
        revealed: The results that may be shown.
        is_harmful: Whether NaN and Inf of a tensor in a step are errors.
        hits: The nodes that a search has found.
    """

    index: TraceIndex
    number: int
    revealed: RevealedTrace
    is_harmful: Callable[[int, int], bool]
    hits: frozenset[int] = frozenset()

    def row(self, key: Hashable) -> Row:
        """Return the row of a node, a module or the leaves."""
        if isinstance(key, ModuleKey):
            return self._module_row(key.call)
        if not isinstance(key, int):
            leaves = sum(node.kind == "accumulate" for node in self.index.trace.nodes)
            name = Field(text=say("outline.leaves"))
            return Row(fields=(name, *[Field()] * 3, Field(text=say_count("outline.leaf", leaves))))
        return self._node_row(self.index.node[key])

    def _module_row(self, call: int) -> Row:
        module = self.index.module[call]
        kind = say("outline.module")
        if module.class_name and module.class_name != module.path:
            kind = say("outline.module_of", class_name=module.class_name)
        outer = "" if module.parent is None else f"{self.index.module[module.parent].path}."
        is_now = call in module_now(self.index, self.number)
        fields = (
            Field(text=module.path.removeprefix(outer), tip=f"{module.path}, {kind}"),
            Field(text=say("outline.now_inside") if is_now else ""),
            *[Field()] * 2,
            Field(text=kind),
        )
        return Row(fields=fields, spoken=f"{module.path}, {kind}", is_now=is_now)

    def _node_row(self, node: Node) -> Row:
        index = self.index
        name = node.variable_name or node.name.removeprefix("torch::autograd::")
        kind = say(f"outline.kind.{node_kind_text(node)}")
        state = _state(index, node.id, self.number)
        gradient = " · ".join(_shapes(index, received_gradients(index, node.id, self.number)))
        problem, severity = self._problem(node.id)
        heard = say("outline.spoken_gradient", gradient=gradient) if gradient else ""
        is_found = node.id in self.hits
        spoken = ", ".join(filter(None, (name, kind, state, heard, problem)))
        if is_found:
            spoken = say("outline.found", spoken=spoken)
        tone: FieldTone = "muted" if severity == "info" else severity
        fields = (
            # A narrow panel has no space for the column of problems.
            Field(text=name, tip=spoken, icon=severity if problem else ""),
            Field(text=state),
            Field(text=gradient),
            Field(text=problem, tone=tone),
            Field(text=kind),
        )
        is_now = node_status(index, node.id, self.number) == "now"
        return Row(fields=fields, spoken=spoken, is_now=is_now, is_found=is_found)

    def _problem(self, node: int) -> tuple[str, Severity]:
        for finding in self.revealed.findings:
            if finding.node == node:
                return finding.message, finding.severity
        last = step_at(self.index, len(self.index.trace.steps))
        if isinstance(last, ErrorStep) and last.node == node and self.revealed.shows(last.number):
            return say("outline.raises", exception=last.exception), "error"
        return self._not_finite(node)

    def _not_finite(self, node: int) -> tuple[str, Severity]:
        nans = infinities = 0
        severity: Severity = "info"
        for visit, item in _gradients(self.index, node, min(self.number, self.revealed.until)):
            statistics = None if item.tensor is None else self.index.tensor[item.tensor].statistics
            if item.tensor is not None and statistics is not None and not statistics.all_finite:
                nans += statistics.nans
                infinities += statistics.infinities
                if self.is_harmful(item.tensor, visit):
                    severity = "error"
        parts = [
            say("outline.nan", nans=format_count(nans)) if nans else "",
            say("outline.inf", infinities=format_count(infinities)) if infinities else "",
        ]
        return ", ".join(filter(None, parts)), severity


def module_now(index: TraceIndex, number: int) -> frozenset[int]:
    """IDs of the module calls in which the node of a step was created."""
    node = node_at_step(index, number)
    call = None if node is None else index.node[node].module_call
    outer = []
    while call is not None:
        outer.append(call)
        call = index.module[call].parent
    return frozenset(outer)


def _shapes(index: TraceIndex, items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if item.tensor is None:
            yield say("outline.none")
        else:
            yield record_shape_text(index.tensor[item.tensor])


def _gradients(index: TraceIndex, node: int, number: int) -> Iterator[tuple[int, Item]]:
    """All gradients that a node has received and returned by a step, with their own steps."""
    for visit in index.visits.get(node, ()):
        if visit > number:
            return
        step = step_at(index, visit)
        if isinstance(step, NodeStep):
            for item in (*step.incoming, *step.returned):
                yield visit, item
            for each in step.passed:
                if each.change != "unchanged":
                    yield visit, each.item


def _state(index: TraceIndex, node: int, number: int) -> str:
    if is_outside_scope(index, node):
        return say("outline.not_recorded")
    return say(f"outline.state.{node_status(index, node, number)}")
