"""A group while the hierarchy is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.group import GroupKind

Item = int
"""A node by its id, or a draft by the complement ``~`` of its number."""


@dataclass(slots=True)
class Draft:
    """A group to be.

    Attributes:
        kind: As in `Group`.
        key: As in `Group`.
        call: As in `Group`.
        span: As in `Group`.
        made_in: As in `Group`.
        items: What is directly in it, in the order of the forward, without leaves.
        leaves: Leaves directly in it.
    """

    kind: GroupKind
    key: str
    call: int | None = None
    span: tuple[int, int, int] | None = None
    made_in: int | None = None
    items: list[Item] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)


class Drafts:
    """All drafts; number 0 is the root."""

    def __init__(self) -> None:
        self.drafts = [Draft(kind="root", key="")]

    def __getitem__(self, number: int) -> Draft:
        return self.drafts[number]

    def __len__(self) -> int:
        return len(self.drafts)

    def add(self, draft: Draft) -> Item:
        """Takes a draft in and returns it as an item for another one."""
        self.drafts.append(draft)
        return ~(len(self.drafts) - 1)

    def inner_nodes(self, item: Item) -> list[int]:
        """The nodes of an item at any depth, without leaves, in the order of the forward."""
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
        """The draft around each node, and the one around each draft; leaves left out."""
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
