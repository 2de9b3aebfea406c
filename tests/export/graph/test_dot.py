"""The exported DOT file."""

from __future__ import annotations

import json
import re

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.graphviz.layout_engine import available_engines, run_engine
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot
from gradviz.model.trace import Trace
from tests.builders import ORIGIN, linear_trace
from tests.drawing.graphs import layered


def test_the_file_holds_the_graph():
    text = graph_dot(index_trace(linear_trace()))
    assert text.startswith("digraph gradviz {")
    assert 'n2 -> n1 [label="grad_output 2×3"]' in text


def test_a_trace_without_a_graph_is_refused():
    with pytest.raises(ExportError, match="no graph"):
        graph_dot(index_trace(Trace(origin=ORIGIN)))


def test_open_groups_are_clusters_one_in_another():
    index = layered(30)
    hierarchy = hierarchy_of(index)
    opened = FoldState(opened=frozenset(group.key for group in hierarchy.around(10)))
    text = graph_dot(index, folds=opened)
    names = re.findall(r"subgraph (\w+) {", text)
    inner = ["cluster_fr4n120", "cluster_fm5", "cluster_fm6"]
    assert names[0] == "cluster_fm1"
    assert [name for name in names if name in inner] == inner
    assert "layers.1.linear Linear" in text
    assert 'gm2 [label="layers.0\\nLayer\\n4 nodes · 2 leaves"' in text
    drawn = run_engine(text, available_engines()[0])
    assert json.loads(drawn)["name"] == "gradviz"
