"""Texts of the outline's cells, and a sentence for a whole row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.phrases import shape_text
from gradviz.model.query import node_now, node_status, step_at
from gradviz.model.search.book import kind_of
from gradviz.model.step import ErrorStep, NodeStep
from gradviz.model.visits import received
from gradviz.viewer.outline.tree import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The texts of one row.

    Attributes:
        name: Name of the node, leaf or module.
        kind: Kind of the node, leaf or module.
        state: State at the step; empty for a module or group.
        gradient: Shapes of the gradients received so far; empty before the first one.
        problem: A known problem; empty without one.
        path: Full path of a module, whose name is the last part of it; empty for other rows.
    """

    name: str
    kind: str
    state: str = ""
    gradient: str = ""
    problem: str = ""
    path: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts in the order of the columns; a narrow panel shows only the first ones."""
        return (self.name, self.state, self.gradient, self.problem, self.kind)

    @property
    def sentence(self) -> str:
        """The whole row as a sentence for screen readers."""
        gradient = _tr("gradient {0}").format(self.gradient) if self.gradient else ""
        parts = (self.path or self.name, self.kind, self.state, gradient, self.problem)
        return ", ".join(part for part in parts if part)


def words_of(index: Index, entry: Entry, number: int, told: int) -> Words:
    """Return the texts of a row at a step.

    Args:
        index: The trace.
        entry: The row.
        number: The step.
        told: The last step whose results may be shown.
    """
    if entry.module is not None:
        return _module_words(index, entry)
    if entry.node is None:
        return Words(name=_tr("Leaves"), kind=_count(len(entry.children)))
    node = index.node[entry.node]
    name = node.variable_name or node.name.removeprefix("torch::autograd::")
    return Words(
        name=name,
        kind=_kinds()[kind_of(node)],
        state=_states()[node_status(index, node.id, number)],
        gradient=" · ".join(_shapes(index, received(index, node.id, number))),
        problem=_problem(index, node.id, min(number, told), told),
    )


def module_now(index: Index, number: int) -> frozenset[int]:
    """IDs of the module calls in which the node of a step was created."""
    node = node_now(index, number)
    call = None if node is None else index.node[node].module_call
    around = []
    while call is not None:
        around.append(call)
        call = index.module[call].parent
    return frozenset(around)


def _module_words(index: Index, entry: Entry) -> Words:
    assert entry.module is not None
    module = index.module[entry.module]
    kind = _tr("module")
    if module.class_name and module.class_name != module.path:
        kind = _tr("module {0}").format(module.class_name)
    around = "" if module.parent is None else f"{index.module[module.parent].path}."
    return Words(name=module.path.removeprefix(around), kind=kind, path=module.path)


def _shapes(index: Index, items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if item.tensor is None:
            yield _tr("None")
        else:
            yield shape_text(index.tensor[item.tensor].shape)


def _problem(index: Index, node: int, number: int, told: int) -> str:
    for finding in index.trace.findings:
        if finding.node == node and (finding.step or 0) <= told:
            return finding.message
    last = step_at(index, len(index.trace.steps))
    if isinstance(last, ErrorStep) and last.node == node and last.number <= told:
        return _tr("raises {0}").format(last.exception)
    return _not_finite(index, node, number)


def _not_finite(index: Index, node: int, number: int) -> str:
    nans = infinities = 0
    for item in _gradients(index, node, number):
        statistics = None if item.tensor is None else index.tensor[item.tensor].statistics
        if statistics is not None:
            nans += statistics.nans
            infinities += statistics.infinities
    parts = [
        _tr("{0:,} NaN").format(nans) if nans else "",
        _tr("{0:,} Inf").format(infinities) if infinities else "",
    ]
    return ", ".join(part for part in parts if part)


def _gradients(index: Index, node: int, number: int) -> Iterator[Item]:
    """All gradients that a node has received and returned by a step."""
    for visit in index.visits.get(node, ()):
        if visit > number:
            return
        step = step_at(index, visit)
        if isinstance(step, NodeStep):
            yield from (*step.incoming, *step.returned)
            yield from (each.item for each in step.passed if each.change != "unchanged")


def _kinds() -> dict[str, str]:
    return {
        "custom": _tr("custom Function"),
        "builtin": _tr("built-in node"),
        "leaf": _tr("leaf"),
        "error": _tr("node that raises an error"),
    }


def _states() -> dict[str, str]:
    return {
        "done": _tr("done"),
        "now": _tr("now"),
        "to come": _tr("to come"),
        "untouched": _tr("not reached"),
    }


def _count(number: int) -> str:
    return _tr("1 leaf") if number == 1 else _tr("{0:,} leaves").format(number)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Outline", text)
