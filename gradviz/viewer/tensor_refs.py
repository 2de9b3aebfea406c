"""References to tensors and elements, as panels pass them around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradviz.analysis.index.node_steps import steps_of
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import named_tensors_in
from gradviz.analysis.provenance.value_problem import ValueProblemKind
from gradviz.analysis.revealed_trace import RevealedTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementRef:
    """One element of a tensor of the trace.

    Attributes:
        tensor: Id of the tensor.
        index: Index into the whole tensor, one number for each dimension.
    """

    tensor: int
    index: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRef:
    """A tensor the user wants to see enlarged.

    Attributes:
        tensor: Id of the tensor.
        name: Name under which it was shown.
        step: Number of the step at which it was shown.
    """

    tensor: int
    name: str
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginQuery:
    """A query for the origin of a wrong value in a tensor.

    Attributes:
        tensor: Id of the tensor.
        name: Name under which it was shown.
        step: Number of the step at which it was shown.
        index: Index of the element in question; None for any wrong element.
        kind: What is wrong with the value; None for any kind.
    """

    tensor: int
    name: str
    step: int
    index: tuple[int, ...] | None = None
    kind: ValueProblemKind | None = None


def origin_query_of_node(revealed: RevealedTrace, node: int) -> OriginQuery | None:
    """Return a query for the first non-finite tensor of a node; None if it has none.

    Args:
        revealed: The trace, with the steps that may be searched.
        node: Id of the node.
    """
    index = revealed.index
    if index is None:
        return None
    steps = [number for number in steps_of(index, node) if revealed.shows(number)]
    return origin_query_of_steps(index, steps)


def origin_query_of_steps(index: TraceIndex, numbers: Iterable[int]) -> OriginQuery | None:
    """Return a query for the first non-finite tensor of some steps; None if there is none."""
    non_finite = index.finite.not_finite()
    if not non_finite:
        return None
    found = (each for each in _origin_queries(index, numbers) if each.tensor in non_finite)
    return next(found, None)


def _origin_queries(index: TraceIndex, numbers: Iterable[int]) -> Iterator[OriginQuery]:
    for number in numbers:
        step = step_at(index, number)
        if step is not None:
            for name, tensor in named_tensors_in(index, step):
                yield OriginQuery(tensor=tensor, name=name, step=number)
