"""Views use the quiz mode filter for findings and output, not the rule behind it."""

from __future__ import annotations

import ast

from tests.architecture.modules import modules, nodes_of

ALLOWED = {
    "gradviz.viewer.timeline.timeline_marks": "the panel leaves out the marks of hidden steps",
    "gradviz.viewer.window.status_bar": "says whether the trace itself is damaged",
    "gradviz.viewer.position_state": "makes the filter",
}


def unfiltered_reads(tree: ast.Module) -> set[str]:
    """What a module reads from a trace although quiz mode may hide it."""
    found = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("findings", "console"):
            if ast.unparse(node.value).split(".")[-1] == "trace":
                found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module == "gradviz.analysis.quiz_answers":
            found.add("quiz_answers")
    return found


def test_only_known_views_read_past_the_filter() -> None:
    views = {name: each for name, each in modules().items() if name.startswith("gradviz.viewer.")}
    found = {name for name, each in views.items() if unfiltered_reads(each.tree)}
    assert len(views) > 100
    assert found == ALLOWED.keys()


def test_each_way_past_the_filter_is_found() -> None:
    source = "from gradviz.analysis.quiz_answers import a\nindex.trace.findings\ntrace.console\n"
    assert unfiltered_reads(ast.parse(source)) == {"quiz_answers", "findings", "console"}
    assert unfiltered_reads(ast.parse("revealed.findings\nrevealed.console('run')")) == set()
