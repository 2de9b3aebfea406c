"""The exported DOT file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.export.dot import write_dot
from gradviz.export.errors import ExportError
from gradviz.model.index import index_of
from gradviz.model.trace import Trace
from tests.builders import ORIGIN, linear_trace


def test_the_file_holds_the_graph(tmp_path: Path):
    write_dot(index_of(linear_trace()), tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert text.startswith("digraph gradviz {")
    assert 'n2 -> n1 [label="grad_output 2×3"]' in text


def test_a_trace_without_a_graph_is_refused(tmp_path: Path):
    with pytest.raises(ExportError, match="no graph"):
        write_dot(index_of(Trace(origin=ORIGIN)), tmp_path / "graph.dot")
