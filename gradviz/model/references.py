"""What the records of a trace may refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from gradviz.model.item import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """Numbers of all records that can be referred to, by kind.

    Attributes:
        nodes: Nodes.
        edges: Edges, each with the node that it leaves.
        calls: Calls of custom Functions.
        modules: Calls of modules.
        tensors: Tensors.
        matrices: Of the tensors to which Jacobian reports refer, their shapes.
    """

    nodes: Set[int]
    edges: Mapping[int, int]
    calls: Set[int]
    modules: Set[int]
    tensors: Set[int]
    matrices: Mapping[int, tuple[int, ...]]

    def problems_of(self, place: str, items: Sequence[Item]) -> Iterator[str]:
        """Says which items refer to no tensor of the trace."""
        for item in items:
            if (item.kind == "tensor") != (item.tensor is not None):
                yield f"{place} has an item of kind {item.kind} with tensor {item.tensor}"
            elif item.tensor is not None and item.tensor not in self.tensors:
                yield f"{place} refers to tensor {item.tensor}, which is not there"

    def has_all(self, items: Sequence[Item]) -> bool:
        """Whether there is no such item; asked of every step, so without a word."""
        tensors = self.tensors
        for item in items:
            if item.kind == "tensor":
                if item.tensor not in tensors:
                    return False
            elif item.tensor is not None:
                return False
        return True
