"""A line that Python cannot parse, or only just, still has its facts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.document.facts.location_facts import line_sections
from gradviz.model.source import source_lines
from tests.inside_builder import inside_trace


@pytest.mark.parametrize("count", [300, 3_100, 100_000])
def test_a_line_of_many_signs_has_its_facts(count: int) -> None:
    trace = inside_trace()
    line = f"    x = {'-' * count}1\n"
    texts = (replace(each, text=line * len(source_lines(each.text))) for each in trace.sources)
    changed = replace(trace, sources=tuple(texts))
    index, known = index_trace(changed), index_trace(trace)
    shown = 0
    for inside in trace.insides:
        for part in inside.parts:
            for at in range(len(part.lines)):
                place = TracePosition(step=inside.id, stage=part.stage, line=at)
                keys = [each.key for each in line_sections(known, place, part, at)]
                assert keys
                shown += bool(line_sections(index, place, part, at))
    assert shown > 3
