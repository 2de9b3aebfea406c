"""The rows of the outline: modules with their nodes in the order of the run, leaves last."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.graph import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """One row of the outline; its number is its position in the tuple of all rows.

    Attributes:
        parent: Number of the parent row; -1 for none.
        at: Position among the parent's children, from 0.
        children: Numbers of the rows inside it.
        node: ID of the node; None for a module and for the group of leaves.
        module: ID of the module's call; None for other rows.
    """

    parent: int
    at: int
    children: tuple[int, ...]
    node: int | None = None
    module: int | None = None


def outline_of(index: TraceIndex) -> tuple[OutlineEntry, ...]:
    """Build all rows in time linear in the number of nodes."""
    return _Builder(index).entries()


@dataclass(slots=True)
class _Draft:
    parent: int
    at: int
    node: int | None = None
    module: int | None = None
    children: list[int] = field(default_factory=list)


class _Builder:
    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._drafts: list[_Draft] = []
        self._top: list[int] = []
        self._modules: dict[int, int] = {}

    def entries(self) -> tuple[OutlineEntry, ...]:
        leaves = []
        for node in sorted(self._index.trace.nodes, key=self._first_step):
            if node.kind == "accumulate":
                leaves.append(node)
            else:
                self._add(self._module_row(node.module_call), node=node.id)
        if leaves:
            group = self._add(-1)
            for node in leaves:
                self._add(group, node=node.id)
        return tuple(
            OutlineEntry(
                parent=draft.parent,
                at=draft.at,
                children=tuple(draft.children),
                node=draft.node,
                module=draft.module,
            )
            for draft in self._drafts
        )

    def _first_step(self, node: Node) -> tuple[int, int]:
        visits = self._index.visits.get(node.id, (0,))
        return self._index.made_at.get(node.id, visits[0]), node.id

    def _module_row(self, call: int | None) -> int:
        if call is None:
            return -1
        if call not in self._modules:
            parent = self._module_row(self._index.module[call].parent)
            self._modules[call] = self._add(parent, module=call)
        return self._modules[call]

    def _add(self, parent: int, *, node: int | None = None, module: int | None = None) -> int:
        siblings = self._top if parent < 0 else self._drafts[parent].children
        number = len(self._drafts)
        self._drafts.append(_Draft(parent=parent, at=len(siblings), node=node, module=module))
        siblings.append(number)
        return number
