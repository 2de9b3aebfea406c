"""Gradients that flowed along the edges of a graph, found on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from gradviz.model.graph import Edge
from gradviz.model.item import Item
from gradviz.model.step import NodeStep, Step


class GradientFlow(Struct, frozen=True, kw_only=True):
    """A gradient that flowed along an edge.

    Attributes:
        step: Number of the step that sent it.
        item: The gradient.
    """

    step: int
    item: Item


class GradientFlows(Mapping[int, tuple[GradientFlow, ...]]):
    """Gradients along each edge, in order of step, for edges that carried any.

    Only the steps that executed an edge's source can have sent something along it.
    """

    def __init__(
        self,
        edges: Mapping[int, Edge],
        visits: Mapping[int, tuple[int, ...]],
        steps: Sequence[Step],
    ) -> None:
        """Use edges by id, numbers of the executing steps by node, and all steps."""
        self._edges = edges
        self._visits = visits
        self._steps = steps
        self._known: dict[int, tuple[GradientFlow, ...]] = {}

    def __getitem__(self, edge: int) -> tuple[GradientFlow, ...]:
        """The gradients that flowed along an edge."""
        flows = self._known.get(edge)
        if flows is None:
            flows = self._known[edge] = tuple(self._found(self._edges[edge]))
        # As in any mapping, a key without a value is missing.
        if not flows:
            raise KeyError(edge)
        return flows

    def _found(self, edge: Edge) -> Iterator[GradientFlow]:
        for number in self._visits.get(edge.source, ()):
            step = self._steps[number - 1]
            if isinstance(step, NodeStep):
                for passed in step.passed:
                    if passed.edge == edge.id:
                        yield GradientFlow(step=number, item=passed.item)

    def __iter__(self) -> Iterator[int]:
        """The edges that carried a gradient; reads all steps that executed a node."""
        return (edge for edge in self._edges if self.get(edge))

    def __len__(self) -> int:
        """Number of edges that carried a gradient."""
        return sum(1 for _ in self)
