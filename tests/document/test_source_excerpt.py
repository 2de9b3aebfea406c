"""The lines of code around a place."""

from __future__ import annotations

from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.source_excerpt import MOST_LINES, SourceExcerpt, source_excerpt
from gradviz.model.trace import Trace
from tests.builders import linear_trace
from tests.inside_builder import inside_trace


def excerpt(trace: Trace, step: int, **inside: object) -> SourceExcerpt:
    found = source_excerpt(index_trace(trace), TracePosition(step=step, **inside))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_code_is_that_around_the_place() -> None:
    whole = excerpt(linear_trace(), 5)
    assert (whole.first, len(whole.lines), whole.current) == (1, 10, range(7, 11))
    function = excerpt(inside_trace(), 5)
    assert function.lines[0] == "@staticmethod"
    assert function.current == range(function.first, function.first + len(function.lines))
    line = excerpt(inside_trace(), 5, stage="backward", line=0)
    assert (line.first, line.lines) == (function.first, function.lines)
    (number,) = line.current
    assert line.lines[number - line.first].strip() == "input, weight, bias = ctx.saved_tensors"


def test_long_code_is_cut_around_the_current_line() -> None:
    trace = linear_trace()
    (source,) = trace.sources
    text = source.text.replace(
        "bias = ctx.saved", "\n".join(["bias", *["        pass"] * 99, "        a = ctx.saved"])
    )
    found = excerpt(structs.replace(trace, sources=(structs.replace(source, text=text),)), 5)
    assert (len(found.lines), found.lines[0]) == (MOST_LINES, "@staticmethod")
