"""Find where a NaN, Inf, zero or large element first appeared in a run, and its path.

The search starts at the place where an element is seen and goes backward: what produced the
tensor, which elements contributed to this one, and whether one of them already had the problem.
If none had, the problem appeared here. Nothing is guessed: the result says if an op is not
understood or if values were not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from gradviz.analysis.dependence.element_dependence import ElementIndex
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.backward_slice import (
    BackwardSlice,
    ContributingElements,
    ElementLookup,
)
from gradviz.analysis.provenance.producer import Moment, Producer, moment_after
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.provenance.value_problem import ValueProblem

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
            output = _output(producer, self.producers.aliases(here.tensor))
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


def _output(producer: Producer, aliases: tuple[int, ...]) -> int | None:
    """Position of a tensor among the outputs; None if it is only a view of their memory."""
    places = [at for at, item in enumerate(producer.outputs) if item.tensor in aliases]
    return places[0] if places else None
