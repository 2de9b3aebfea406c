"""Origin of the first NaN or Inf of a run, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.catalogue.messages import say
from gradviz.text.provenance import origin_sentence, stops

NanOrInf = Literal["nan", "inf"]


def origin_text(index: TraceIndex, value_kind: NanOrInf) -> Iterator[str]:
    """Yield a sentence for each origin of the first such tensor, and the path from there.

    Args:
        index: The trace.
        value_kind: Whether to look for NaN or Inf.
    """
    problem = ValueProblem(kind="nan" if value_kind == "nan" else "infinity")
    having = [each for each in find_non_finite(index) if _has(each, value_kind)]
    # What does no harm is not what one looks for, if there is anything else.
    found = min(having, key=lambda each: each.reaches is None, default=None)
    if found is None:
        yield say(f"origin.nothing.{problem.kind}")
        return
    if found.reaches is None:
        yield say(f"origin.isolated.{problem.kind}")
    tracer = OriginTracer(index)
    seen = ElementLocation(
        place=TracePosition(step=found.step), name=found.name, tensor=found.tensor, element=None
    )
    for value_origin in tracer.value_origins(problem, seen):
        yield origin_sentence(index, tracer, value_origin)
        for stop in stops(index, value_origin):
            yield say("path.line", step=stop.place.step, where=stop.title, note=stop.note)


def _has(found: NonFiniteTensor, value_kind: NanOrInf) -> bool:
    return (found.nans if value_kind == "nan" else found.infinities) != 0
