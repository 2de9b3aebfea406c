"""Groups while the hierarchy is being built."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.grouping.groups import GroupKind

# The complement keeps 0 apart, which a minus sign would not: node 0 and draft 0 both exist.
DraftItem = int
"""A node by its id, or a draft by the complement ``~`` of its number."""


@dataclass(slots=True)
class GroupDraft:
    """A group under construction.

    Attributes:
        kind: As in `Group`.
        key: As in `Group`.
        call: As in `Group`.
        span: As in `Group`.
        made_in: As in `Group`.
        items: Direct members in forward order, without leaves.
        leaves: Leaves that are direct members.
    """

    kind: GroupKind
    key: str
    call: int | None = None
    span: tuple[int, int, int] | None = None
    made_in: int | None = None
    items: list[DraftItem] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)


class GroupDrafts:
    """All drafts of a hierarchy; number 0 is the root."""

    def __init__(self) -> None:
        self.drafts = [GroupDraft(kind="root", key="")]

    def __getitem__(self, number: int) -> GroupDraft:
        return self.drafts[number]

    def __len__(self) -> int:
        return len(self.drafts)

    def add(self, draft: GroupDraft) -> DraftItem:
        """Append a draft and return the item that refers to it."""
        self.drafts.append(draft)
        return ~(len(self.drafts) - 1)

    def inner_nodes(self, item: DraftItem) -> list[int]:
        """All nodes in an item, at any depth, in forward order, without leaves."""
        found: list[int] = []
        waiting = [item]
        while waiting:
            each = waiting.pop()
            if each >= 0:
                found.append(each)
            else:
                waiting += reversed(self.drafts[~each].items)
        return found

    def homes(self) -> tuple[dict[int, int], dict[int, int]]:
        """Map each node, except leaves, and each draft to the draft around it."""
        nodes: dict[int, int] = {}
        parents: dict[int, int] = {}
        waiting = [0]
        while waiting:
            number = waiting.pop()
            for item in self.drafts[number].items:
                if item >= 0:
                    nodes[item] = number
                else:
                    parents[~item] = number
                    waiting.append(~item)
        return nodes, parents
