"""Background work of the Origin panel: finds origins and describes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import numpy as np

from gradviz.analysis.dependence.tensor_patch import TensorPatch, tensor_patch
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import (
    MOST_ELEMENTS,
    ContributingElements,
    ElementLocation,
    OriginTracer,
    ValueOrigin,
)
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.provenance.value_problem import ValueProblem, problem_of_value
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.model.columns import INFINITIES, NANS
from gradviz.store.errors import TraceError
from gradviz.text.provenance import OriginStep, causes, growth_sentence, origin_sentence, stops
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.tensor_refs import OriginQuery

T = TypeVar("T")


class ProducerCache:
    """Producers of the tensors of one trace; used only by jobs that run one at a time."""

    def __init__(self) -> None:
        self._kept: tuple[TraceIndex, Producers] | None = None

    def producers(self, index: TraceIndex) -> Producers:
        """Return the producers for a trace, computed only if the trace has changed."""
        if self._kept is None or self._kept[0] is not index:
            self._kept = (index, Producers(index))
        return self._kept[1]

    def clear(self) -> None:
        """Release the trace."""
        self._kept = None


def look_up(
    background: Background | None,
    work: Callable[[BackgroundJob | None], T],
    on_done: Callable[[T], None],
    on_failed: Callable[[Exception], None],
    lane: str,
) -> None:
    """Answer a query in the background, or directly if no background is given."""
    if background is None:
        on_done(work(None))
        return
    background.start(work, on_done, on_failed, lane=lane, expected=(TraceError,), computes=True)


IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseQuestion:
    """A follow-up question about an origin, such as the source of an Inf that became a NaN.

    Attributes:
        text: The question.
        query: The query that answers it.
    """

    text: str
    query: OriginQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginAnswer:
    """One origin, prepared for display.

    Attributes:
        sentence: What first appeared, and where.
        more: A further sentence; may be empty.
        patches: The elements around the origin, then those it was computed from.
        stops: The path of the value from there on.
        causes: Follow-up questions.
    """

    sentence: str
    more: str
    patches: tuple[TensorPatch, ...]
    stops: tuple[OriginStep, ...]
    causes: tuple[CauseQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryResult:
    """Answer to an origin query.

    Attributes:
        query: The query; None if the run contains no bad value.
        problem: The kind of bad value; None if nothing is wrong.
        value_origins: The origins, the earliest first.
        count: Number of elements with this bad value; 0 if a single element was asked about, or if
            the number is unknown.
        followed: Number of these elements that were traced back.
    """

    query: OriginQuery | None
    problem: ValueProblem | None
    value_origins: tuple[OriginAnswer, ...]
    count: int = 0
    followed: int = 0


def first_origin_query(
    index: TraceIndex,
    producers: Producers,
    problem: ValueProblem | None,
    until: int,
    cancelled: IsCancelled,
) -> OriginQuery | None:
    """Return a query for the first bad value of a run, or None.

    Args:
        index: The trace.
        producers: The producers of its tensors.
        problem: The kind of value to find; None for any non-finite one.
        until: Number of the last revealed step.
        cancelled: Checked from time to time.
    """
    if problem is None:
        shown = [each for each in find_non_finite(index, cancelled) if each.step <= until]
        # What reaches nothing, like a mask, is not what one looks for if there is anything else.
        found = min(shown, key=lambda each: (each.reaches or until + 1) > until, default=None)
        if found is None:
            return None
        return OriginQuery(tensor=found.tensor, name=found.name, step=found.step)
    for tensor, name, step in chain(producers.in_order(), producers.by_ops()):
        if cancelled():
            return None
        if step > until:
            continue
        known = index.tensor[tensor].statistics
        if known is not None and problem.counted(known):
            return OriginQuery(tensor=tensor, name=name, step=step, kind=problem.kind)
    return None


def find_origins(
    index: TraceIndex,
    producers: Producers,
    query: OriginQuery,
    limit: float,
    cancelled: IsCancelled,
) -> InquiryResult:
    """Find the origins of a bad value in a tensor.

    Args:
        index: The trace.
        producers: The producers of its tensors.
        query: The query.
        limit: Magnitude above which an element counts as large.
        cancelled: Checked from time to time.
    """
    tracer = OriginTracer(index, producers)
    problem = _problem_of_query(index, tracer, query, limit)
    if problem is None or cancelled():
        return InquiryResult(query=query, problem=None, value_origins=())
    seen = ElementLocation(
        place=TracePosition(step=_step_of_sighting(tracer, query)),
        name=query.name,
        tensor=query.tensor,
        element=query.index,
    )
    value_origins = tracer.value_origins(problem, seen, cancelled)
    origin_answers = tuple(
        [_origin_answer(index, tracer, value_origin, query) for value_origin in value_origins]
    )
    array = tracer.array(query.tensor) if query.index is None else None
    count = 0 if array is None else int(np.count_nonzero(problem.mask(array)))
    return InquiryResult(
        query=query,
        problem=problem,
        value_origins=origin_answers,
        count=count,
        followed=min(count, MOST_ELEMENTS),
    )


def _step_of_sighting(tracer: OriginTracer, query: OriginQuery) -> int:
    """Return the step to start from, not before the tensor first exists."""
    return max(query.step, tracer.producers.first_step(query.tensor))


def _problem_of_query(
    index: TraceIndex, tracer: OriginTracer, query: OriginQuery, limit: float
) -> ValueProblem | None:
    array = tracer.array(query.tensor)
    if query.kind is not None:
        problem = ValueProblem(kind=query.kind, limit=limit)
        has_problem = tracer.anywhere(problem, query.tensor)
        if query.index is not None and array is not None:
            has_problem = problem.has(array[query.index])
        return None if has_problem is False else problem
    if query.index is not None and array is not None:
        found = problem_of_value(array[query.index])
        large = ValueProblem(kind="large", limit=limit)
        return found or (large if large.has(array[query.index]) else None)
    for kind in ("nan", "infinity"):
        problem = ValueProblem(kind=kind)
        if tracer.anywhere(problem, query.tensor):
            return problem
    flags = index.finite.not_finite().get(query.tensor, 0)
    if flags:
        return ValueProblem(kind="nan" if flags & NANS or not flags & INFINITIES else "infinity")
    large = ValueProblem(kind="large", limit=limit)
    return large if tracer.anywhere(large, query.tensor) else None


def _origin_answer(
    index: TraceIndex, tracer: OriginTracer, value_origin: ValueOrigin, query: OriginQuery
) -> OriginAnswer:
    first = value_origin.first
    elements = () if first.element is None else (first.element,)
    own = ContributingElements(
        name=first.name, tensor=first.tensor, elements=elements, count=len(elements)
    )
    patches = [_patch(tracer, source) for source in (own, *value_origin.sources)]
    return OriginAnswer(
        sentence=origin_sentence(index, tracer, value_origin),
        more=growth_sentence(tracer, value_origin),
        patches=tuple([patch for patch in patches if patch is not None]),
        stops=stops(index, value_origin),
        causes=tuple(
            [
                CauseQuestion(
                    text=text,
                    query=replace(
                        query,
                        tensor=seen.tensor,
                        name=seen.name,
                        index=seen.element,
                        step=seen.place.step,
                        kind=problem.kind,
                    ),
                )
                for problem, seen, text in causes(tracer, value_origin)
            ]
        ),
    )


def _patch(tracer: OriginTracer, source: ContributingElements) -> TensorPatch | None:
    array = tracer.array(source.tensor)
    if array is None or source.elements is None:
        return None
    return tensor_patch(source.tensor, source.name, array, source.elements)
