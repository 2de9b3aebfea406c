"""The ids that records of a trace may refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from gradviz.model.item import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRecords:
    """Ids of all records that can be referred to, by kind.

    Attributes:
        nodes: Node ids.
        edges: Source node of each edge, by id.
        calls: Ids of custom Function calls.
        modules: Ids of module calls.
        tensors: Tensor ids.
        matrices: Shapes of the tensors that Jacobian reports refer to, by id.
    """

    nodes: Set[int]
    edges: Mapping[int, int]
    calls: Set[int]
    modules: Set[int]
    tensors: Set[int]
    matrices: Mapping[int, tuple[int, ...]]

    def problems_of(self, place: str, items: Sequence[Item]) -> Iterator[str]:
        """Report items that refer to no tensor of the trace."""
        for item in items:
            if (item.kind == "tensor") != (item.tensor is not None):
                yield f"{place} has an item of kind {item.kind} with tensor {item.tensor}"
            elif item.tensor is not None and item.tensor not in self.tensors:
                yield f"{place} refers to tensor {item.tensor}, which does not exist"

    def has_all(self, items: Sequence[Item]) -> bool:
        """Whether all items are valid; called for every step, so it builds no messages."""
        tensors = self.tensors
        for item in items:
            if item.kind == "tensor":
                if item.tensor not in tensors:
                    return False
            elif item.tensor is not None:
                return False
        return True
