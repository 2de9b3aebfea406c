"""Go one step back from an element with a problem to the inputs that caused it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.analysis.dependence.element_dependence import (
    DependenceQuery,
    ElementDependence,
    ElementIndex,
    InputElements,
)
from gradviz.analysis.dependence.op_rules import element_dependence
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.producer import Producer
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.model.item import Item

KeptArray = npt.NDArray[Any]

SOURCES_SHOWN: Final = 64
"""Up to this many elements of one input are listed individually."""

MOST_ELEMENTS: Final = 32
"""How many elements of a tensor are traced if no single element is selected."""

_MOST_ARRAYS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributingElements:
    """Elements of one input tensor that contributed to an element.

    Attributes:
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        elements: Indices of the elements, at most a few; None if unknown.
        count: How many elements contributed; None if unknown.
    """

    name: str
    tensor: int
    elements: tuple[ElementIndex, ...] | None
    count: int | None


class ElementLookup:
    """Cached access to the elements of a trace's tensors, for one thread at a time."""

    def __init__(self, index: TraceIndex) -> None:
        """Read elements from the given trace."""
        self.index = index
        self._arrays: dict[int, KeptArray | None] = {}

    def array(self, tensor: int) -> KeptArray | None:
        """All elements of a tensor; None unless it was stored in full."""
        if tensor not in self._arrays:
            # A search can go through all tensors of a run.
            if len(self._arrays) > _MOST_ARRAYS:
                self._arrays.clear()
            whole = self.index.tensor.bare(tensor).content == "whole"
            value = self.index.value(tensor) if whole else None
            self._arrays[tensor] = None if value is None else value.array()
        return self._arrays[tensor]

    def query(
        self, producer: Producer, output: int, tensor: int, element: ElementIndex
    ) -> DependenceQuery:
        """A query for what contributed to an element.

        Args:
            producer: What produced the tensor.
            output: Index of the tensor among the outputs.
            tensor: Number of the tensor.
            element: Index of its element.
        """
        inputs = contributing_inputs(producer)
        given = {at: item.tensor for at, item in enumerate(inputs) if item.tensor is not None}
        return DependenceQuery(
            inputs=inputs,
            shapes={at: self.index.tensor.bare(each).shape for at, each in given.items()},
            output=output,
            shape=self.index.tensor.bare(tensor).shape,
            element=element,
            values=lambda at: self.array(given[at]) if at in given else None,
        )

    def problem_elements(
        self, target_problem: ValueProblem, array: KeptArray
    ) -> Iterator[ElementIndex]:
        """Indices of the first elements that have the problem, at most `MOST_ELEMENTS`."""
        for number in np.flatnonzero(target_problem.mask(array))[:MOST_ELEMENTS].tolist():
            yield tuple([int(each) for each in np.unravel_index(number, array.shape)])

    def anywhere(self, target_problem: ValueProblem, tensor: int) -> bool | None:
        """Whether any element of a tensor has the problem; None if unknown."""
        array = self.array(tensor)
        if array is not None:
            return bool(target_problem.mask(array).any())
        known = self.index.tensor.bare(tensor).statistics
        return None if known is None else target_problem.counted(known)

    def first(self, target_problem: ValueProblem, tensor: int) -> ElementIndex | None:
        """Index of a tensor's first element with the problem; None if none or unknown."""
        array = self.array(tensor)
        return None if array is None else next(self.problem_elements(target_problem, array), None)


def contributing_inputs(producer: Producer) -> tuple[Item, ...]:
    """The inputs of a producer without ``out``, whose old contents contribute nothing."""
    return tuple(item for item in producer.inputs if item.name != "out")


class BackwardSlice:
    """The step from one element back to the inputs that contributed to it.

    Attributes:
        producer: What produced the element's tensor.
        is_known: Whether enough was stored to find the cause; valid after `carried`.
    """

    def __init__(
        self,
        elements: ElementLookup,
        target_problem: ValueProblem,
        producer: Producer,
        output: int | None,
        tensor: int,
        element: ElementIndex | None,
    ) -> None:
        """Start at the given element.

        Args:
            elements: Elements of the trace.
            target_problem: Problem that is followed.
            producer: What produced the tensor.
            output: Index of the tensor among the outputs; None if it is a view of their memory.
            tensor: Number of the tensor.
            element: Index of its element; None if unknown.
        """
        self._elements = elements
        self._target_problem = target_problem
        self.producer = producer
        self._inputs = contributing_inputs(producer)
        self.is_known = True
        self._reach = None
        if output is not None and element is not None:
            requested = elements.query(producer, output, tensor, element)
            self._reach = _find_dependence(producer, requested)

    def _values(self, at: int) -> KeptArray | None:
        tensor = self._inputs[at].tensor
        return None if tensor is None else self._elements.array(tensor)

    @property
    def sources(self) -> tuple[ContributingElements, ...]:
        """Inputs and elements that contributed, for display."""
        if self._reach is None:
            return tuple(
                [
                    ContributingElements(
                        name=item.name, tensor=item.tensor, elements=None, count=None
                    )
                    for item in self._inputs
                    if item.tensor is not None
                ]
            )
        found: dict[int, list[ElementIndex]] = {}
        for given in self._reach.given:
            found.setdefault(given.at, []).extend(given.elements)
        return tuple(
            [
                ContributingElements(
                    name=self._inputs[at].name,
                    tensor=tensor,
                    elements=tuple(elements[:SOURCES_SHOWN]),
                    count=len(elements),
                )
                for at, elements in sorted(found.items())
                if (tensor := self._inputs[at].tensor) is not None
            ]
        )

    def carried(self) -> list[tuple[Item, ElementIndex | None, bool]]:
        """The inputs that already had the problem, each with one such element.

        Returns:
            Input, index of the element (None if unknown), and whether it certainly contributed.
        """
        if self._reach is None:
            return self._carried_tensors()
        if self._target_problem.kind == "zero":
            return self._carried_zeros(self._reach)
        found: dict[int, ElementIndex] = {}
        for given in self._reach.given:
            # Dividing by Inf or a large number makes zero or less; only NaN comes through.
            counts = given.role == "factor" or (
                given.role == "divisor" and self._target_problem.kind == "nan"
            )
            elements = self._elements_with_problem(given.at, given.elements) if counts else []
            if elements:
                found.setdefault(given.at, elements[0])
        return [(self._inputs[at], element, True) for at, element in sorted(found.items())]

    def _carried_tensors(self) -> list[tuple[Item, ElementIndex | None, bool]]:
        """Any input that has the problem, if it is not known which elements contributed."""
        found: list[tuple[Item, ElementIndex | None, bool]] = []
        # Tensors in a list may have been recorded as text only.
        self.is_known = not any("Tensor(" in item.text for item in self._inputs)
        for item in self._inputs:
            if item.tensor is None or any(each.tensor == item.tensor for each, _, _ in found):
                continue
            has_problem = self._elements.anywhere(self._target_problem, item.tensor)
            if has_problem is None:
                self.is_known = False
            elif has_problem:
                found.append((item, self._elements.first(self._target_problem, item.tensor), False))
        return found

    def _carried_zeros(
        self, reach: ElementDependence
    ) -> list[tuple[Item, ElementIndex | None, bool]]:
        """Zero factors, if every summand has one; otherwise the sum itself created the zero."""
        found: dict[int, ElementIndex] = {}
        for product in reach.sums:
            factors = [given for given in product if given.role == "factor"]
            for at in range(max((len(given.elements) for given in factors), default=0)):
                zero = next(
                    (
                        (given.at, given.elements[at])
                        for given in factors
                        if self._elements_with_problem(given.at, given.elements[at : at + 1])
                    ),
                    None,
                )
                if zero is not None:
                    found.setdefault(*zero)
                elif not reach.chooses:
                    return []
        return [(self._inputs[at], element, True) for at, element in sorted(found.items())]

    def _elements_with_problem(
        self, at: int, elements: tuple[ElementIndex, ...]
    ) -> list[ElementIndex]:
        array = self._values(at)
        if array is None:
            self.is_known = False
            return []
        return [element for element in elements if self._target_problem.has(array[element])]


def _find_dependence(producer: Producer, requested: DependenceQuery) -> ElementDependence | None:
    # What the engine does itself has no op name, but follows the rules of these ops.
    names = {"accumulate": "add", "engine": "sum_to_size"}
    if producer.kind == "sum":
        return _added(requested)
    if producer.kind not in ("op", "call", "accumulate", "engine"):
        return None
    if producer.kind == "engine" and producer.name not in ("unchanged", "reduced", "cast"):
        return None
    return element_dependence(
        names.get(producer.kind, producer.name), requested, aten=producer.kind == "op"
    )


def _added(requested: DependenceQuery) -> ElementDependence:
    """Element-wise contributions, because the engine adds gradients of one shape."""
    parts = [(InputElements(at=at, elements=(requested.element,)),) for at in requested.shapes]
    return ElementDependence(sums=tuple(parts))
