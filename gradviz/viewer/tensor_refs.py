"""References to tensors and elements, as panels pass them around."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.analysis.provenance.value_problem import ValueProblemKind


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
