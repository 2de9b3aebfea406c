"""Order of differentiation of nodes and backward passes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from gradviz.catalogue.messages import say
from gradviz.model.columns import NODE, PASS_BEGIN, StepColumns
from gradviz.model.graph import Node
from gradviz.model.step import PassBeginStep, Step


class DerivativeOrders(Struct, frozen=True, kw_only=True):
    """Orders of differentiation above the first; anything not listed is of first order.

    The forward creates nodes of first order. A pass has the highest order of the nodes that it
    executes, and with ``create_graph`` it creates nodes one order higher.

    Attributes:
        nodes: Orders by node.
        passes: Orders by backward pass; 2 if a pass computes a second derivative.
        sources: For each such pass, the passes that created its nodes of the highest order.
    """

    nodes: Mapping[int, int] = field(default_factory=dict)
    passes: Mapping[int, int] = field(default_factory=dict)
    sources: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def of_node(self, node: int) -> int:
        """Order of differentiation of a node."""
        return self.nodes.get(node, 1)

    def of_pass(self, pass_id: int) -> int:
        """Order of differentiation of a backward pass."""
        return self.passes.get(pass_id, 1)


def order_text(order: int) -> str:
    """An order in words, such as ``2nd order``.

    The first order is also that of nodes that a checkpoint creates again.
    """
    return say(
        {1: "order.first", 2: "order.second", 3: "order.third"}.get(order, "order.higher"),
        order=order,
    )


def short_order_text(order: int) -> str:
    """An order in one short word, such as ``2nd``."""
    return say(
        {2: "order.short.second", 3: "order.short.third"}.get(order, "order.short.higher"),
        order=order,
    )


def derivative_orders(
    nodes: Sequence[Node], steps: Sequence[Step], columns: StepColumns
) -> DerivativeOrders:
    """Find the orders in a trace; almost free if everything is of first order.

    Args:
        nodes: Nodes of the trace.
        steps: Steps of the trace.
        columns: The steps as columns.
    """
    made = [node for node in nodes if node.made_by is not None]
    if not made:
        return DerivativeOrders()
    work = _OrderWalk(columns)
    for node in made:
        work.take(node)
    for at in np.flatnonzero(columns.kinds == PASS_BEGIN).tolist():
        begin = steps[at]
        if isinstance(begin, PassBeginStep):
            work.run(begin)
    return DerivativeOrders(nodes=work.nodes, passes=work.passes, sources=work.sources)


class _OrderWalk:
    """Computes orders, pass by pass in the order in which they began."""

    def __init__(self, columns: StepColumns) -> None:
        self.nodes: dict[int, int] = {}
        self.passes: dict[int, int] = {}
        self.sources: dict[int, tuple[int, ...]] = {}
        self._columns = columns
        self._made_in: dict[int, int] = {}
        self._made: dict[int, list[int]] = defaultdict(list)
        self._executed: dict[int, set[int]] = defaultdict(set)
        at = np.flatnonzero(columns.kinds == NODE)
        pairs = zip(columns.passes[at].tolist(), columns.nodes[at].tolist(), strict=True)
        for pass_id, node in pairs:
            self._executed[pass_id].add(node)

    def take(self, node: Node) -> None:
        """Record the pass in which a node was created."""
        if node.made_in is not None and 0 < node.made_in <= len(self._columns.passes):
            pass_id = int(self._columns.passes[node.made_in - 1])
            self._made_in[node.id] = pass_id
            self._made[pass_id].append(node.id)
        elif node.made_by is not None:
            # Older formats do not store the step, so which pass created the node is unknown.
            self.nodes[node.id] = self.nodes.get(node.made_by, 1) + 1

    def run(self, begin: PassBeginStep) -> None:
        """Set the order of a pass and of the nodes it created; earlier orders are known."""
        through = self._executed[begin.pass_id] | {root.node for root in begin.roots}
        order = max((self.nodes.get(node, 1) for node in through), default=1)
        if order > 1:
            self.passes[begin.pass_id] = order
            makers = {self._made_in.get(n, 0) for n in through if self.nodes.get(n, 1) == order}
            self.sources[begin.pass_id] = tuple(sorted(makers - {0}))
        new = order + 1 if begin.create_graph else order
        for node in self._made[begin.pass_id] if new > 1 else ():
            self.nodes[node] = new
