"""Find where a NaN, Inf, zero or large element first appeared in a run, and its path.

The search starts at the place where an element is seen and goes backward: what produced the
tensor, which elements contributed to this one, and whether one of them already had the problem.
If none had, the problem appeared here. Nothing is guessed: the result says if an op is not
understood or if values were not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

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
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producer import Moment, Producer, moment_after
from gradviz.analysis.provenance.producers import Producers
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


OriginKind = Literal["made", "given", "unknown", "far"]
"""``made``: from inputs without the problem; ``given``: already there when the run first had the
tensor; ``unknown``: too little is stored of the inputs to decide; ``far``: the search gave up.
"""

_MOST_VISITED: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementLocation:
    """One element of a tensor at one place of the run.

    Attributes:
        place: Place in the run.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        element: Index of the element; None if unknown.
        sure: False if the path from here onwards is likely but not certain, because it is not known
            which input elements of the op contribute to which output elements.
    """

    place: TracePosition
    name: str
    tensor: int
    element: ElementIndex | None
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueOrigin:
    """Where a problem first appeared.

    Attributes:
        problem: Kind of problem.
        kind: How the search ended: ``made``, ``given``, ``unknown`` or ``far``.
        producer: What produced the tensor; None if it was already there or the search gave up.
        sources: Inputs that it was computed from, as far as the op is known.
        path: Elements from the origin to where the problem was seen, the origin first.
    """

    problem: ValueProblem
    kind: OriginKind
    producer: Producer | None
    sources: tuple[ContributingElements, ...]
    path: tuple[ElementLocation, ...]

    @property
    def first(self) -> ElementLocation:
        """The element in which the problem first appeared."""
        return self.path[0]


class OriginTracer(ElementLookup):
    """Traces elements of one run back to their origin.

    It can be used from any thread, but from only one at a time.
    """

    def __init__(self, index: TraceIndex, producers: Producers | None = None) -> None:
        """Use the given producers of the trace's tensors, or find them."""
        super().__init__(index)
        self.producers = Producers(index) if producers is None else producers

    def value_origins(
        self,
        problem: ValueProblem,
        seen: ElementLocation,
        cancelled: Callable[[], bool] = bool,
    ) -> tuple[ValueOrigin, ...]:
        """Find the origins of the problem in an element, or in all elements of a tensor.

        Args:
            problem: Kind of problem to look for.
            seen: Where it was seen; without a ``element``, all elements of the tensor are traced.
            cancelled: Called from time to time; if it returns True, nothing is returned.

        Returns:
            Each origin once, earliest first; empty if no element has the problem.
        """
        found: dict[object, ValueOrigin] = {}
        visited: set[tuple[int, ElementIndex | None, Moment]] = set()
        for element in self._starting_elements(problem, seen):
            start = ElementLocation(
                place=seen.place, name=seen.name, tensor=seen.tensor, element=element
            )
            for value_origin in self._trace(problem, start, visited, cancelled):
                found.setdefault(
                    (value_origin.first.place, value_origin.first.tensor), value_origin
                )
            if cancelled():
                return ()
        return tuple(sorted(found.values(), key=lambda value_origin: value_origin.first.place.key))

    def _starting_elements(
        self, problem: ValueProblem, seen: ElementLocation
    ) -> list[ElementIndex | None]:
        if seen.element is not None:
            return [seen.element]
        array = self.array(seen.tensor)
        if array is None:
            return [None] if self.anywhere(problem, seen.tensor) else []
        return [*self.problem_elements(problem, array)]

    def _trace(
        self,
        problem: ValueProblem,
        start: ElementLocation,
        visited: set[tuple[int, ElementIndex | None, Moment]],
        cancelled: Callable[[], bool],
    ) -> Iterator[ValueOrigin]:
        """Follow every tensor that has the problem back to its origin, and yield the origins."""
        # A stack instead of recursion, because a path can be as long as the run.
        pending: list[tuple[_BackwardPath, Moment]] = [
            (_BackwardPath(here=start, on=None), moment_after(start.place))
        ]
        while pending:
            backward_path, before = pending.pop()
            key = (backward_path.here.tensor, backward_path.here.element, before)
            # Paths split and meet again, so without this their number could double at each op.
            if key in visited or cancelled():
                continue
            visited.add(key)
            producer = self.producers.of(backward_path.here.tensor, before)
            if producer is None or len(visited) > _MOST_VISITED:
                kind: OriginKind = "given" if producer is None else "far"
                yield _value_origin(problem, kind, backward_path)
                continue
            here = backward_path.here
            output = producer.output(self.producers.aliases(here.tensor))
            step = BackwardSlice(self, problem, producer, output, here.tensor, here.element)
            backward_path = backward_path.made(producer, output)
            carried = step.carried()
            for item, element, sure in carried:
                assert item.tensor is not None
                source = ElementLocation(
                    place=producer.place,
                    name=item.name,
                    tensor=item.tensor,
                    element=element,
                    sure=sure,
                )
                pending.append((_BackwardPath(here=source, on=backward_path), producer.begun))
            if not carried:
                yield _value_origin(
                    problem, "made" if step.is_known else "unknown", backward_path, step
                )
            if len(visited) > _MOST_VISITED:
                return


@dataclass(frozen=True, slots=True, kw_only=True)
class _BackwardPath:
    """Path from an element to where it was seen, as a linked list that paths share."""

    here: ElementLocation
    on: _BackwardPath | None

    def made(self, producer: Producer, output: int | None) -> _BackwardPath:
        """The same path, starting at the place where the tensor was produced."""
        name = "" if output is None else producer.outputs[output].name
        # If the tensor is seen where it was produced, one entry for the two is enough.
        here = replace(self.here, place=producer.place, name=name or self.here.name)
        return _BackwardPath(here=here, on=self.on if here.place == self.here.place else self)

    def path(self) -> tuple[ElementLocation, ...]:
        """All elements on the path, starting with this one."""
        found: list[ElementLocation] = []
        backward_path: _BackwardPath | None = self
        while backward_path is not None:
            found.append(backward_path.here)
            backward_path = backward_path.on
        return tuple(found)


def _value_origin(
    problem: ValueProblem,
    kind: OriginKind,
    backward_path: _BackwardPath,
    step: BackwardSlice | None = None,
) -> ValueOrigin:
    return ValueOrigin(
        problem=problem,
        kind=kind,
        producer=None if step is None else step.producer,
        sources=() if step is None else step.sources,
        path=backward_path.path(),
    )
