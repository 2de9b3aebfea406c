"""The structure of the source around a line."""

from __future__ import annotations

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.source import Location, SourceFile
from gradviz.text.sentences.code_quotes import definition_at
from tests.viewer.inside_traces import deep_reader


@pytest.mark.parametrize(("count", "kind"), [(1, "class"), (100_000, "function")])
def test_a_very_long_source_is_not_parsed_for_a_sentence(count: int, kind: str) -> None:
    reader = deep_reader()
    index = index_trace(reader.trace(), reader.value)
    text = "class Double:\n    pass\n" + "x=1\n" * count
    index.source[77] = SourceFile(id=77, path="long.py", text=text)
    place = Location(source=77, path="long.py", line=1, function="Double")
    assert definition_at(index, place) == kind
