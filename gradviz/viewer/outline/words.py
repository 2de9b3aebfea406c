"""What stands in the cells of the outline, and the sentence that says a whole row."""

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
    """The cells of one row.

    Attributes:
        name: Of the node, leaf or module.
        kind: What it is.
        state: How far it is at the step; empty for a group that is not under way.
        gradient: Shapes of the gradients that it has received; empty before it has.
        problem: What is wrong with it; empty for nothing known.
        path: Of a module, its whole path, where the name is only the last part of it.
    """

    name: str
    kind: str
    state: str = ""
    gradient: str = ""
    problem: str = ""
    path: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """In the order of the columns; the first ones are in sight in a narrow panel."""
        return (self.name, self.state, self.gradient, self.problem, self.kind)

    @property
    def sentence(self) -> str:
        """The whole row, for a screen reader."""
        gradient = _tr("gradient {0}").format(self.gradient) if self.gradient else ""
        parts = (self.path or self.name, self.kind, self.state, gradient, self.problem)
        return ", ".join(part for part in parts if part)


def words_of(index: Index, entry: Entry, number: int, told: int) -> Words:
    """A row at a step.

    Args:
        index: The trace.
        entry: The row.
        number: The step.
        told: The last step that may be told of: what it and those before it computed is known.
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
    """The calls of modules in which the node of a step was made, from the inside out."""
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
    """All gradients that the node has received and made by a step."""
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
        "error": _tr("node that raises"),
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
