"""Numbers that people read are written by `number_text`, not by formats of their own."""

from __future__ import annotations

import ast
import re

from tests.architecture.modules import modules, nodes_of

GENERAL = re.compile(r"#?(\.\d+)?[geGE]")

# Those of settings, durations, sizes and coordinates, which are written as they were set.
OTHERS = {
    "cli/figure_export.py": "a duration",
    "cli/lesson.py": "a duration",
    "drawing/graphviz/layout_engine.py": "a duration",
    "export/check/svg.py": "coordinates",
    "export/graph/drawio.py": "coordinates",
    "export/graph/svg_document.py": "coordinates",
    "export/graph/svg_text.py": "coordinates",
    "host/job_ending.py": "a size of memory",
    "lesson/writing.py": "a duration",
    "recorder/training/pass_numbers.py": "digits that a trace keeps",
    "text/compare.py": "the roundoff of a dtype",
    "text/phrases.py": "a size of memory",
    "viewer/forms/controls.py": "a setting",
    "viewer/jacobians/report/findings_column.py": "a setting",
    "viewer/lesson/lesson_text.py": "a duration",
}


def formats(tree: ast.Module) -> list[str]:
    """The specifications of general and exponential formats in f-strings."""
    values = [node for node in nodes_of(tree) if isinstance(node, ast.FormattedValue)]
    specs = [ast.unparse(each.format_spec)[2:-1] for each in values if each.format_spec]
    return [each for each in specs if GENERAL.fullmatch(each)]


def test_numbers_have_one_format() -> None:
    # The messages of checks are formatted where their numbers are examined.
    found = {
        str(each.path)
        for each in modules().values()
        if each.path.parts[0] not in ("catalogue", "checks") and formats(each.tree)
    }
    assert found == set(OTHERS)


def test_formats_are_found() -> None:
    assert formats(ast.parse('f"{x:.3g} {x:g} {x:.2e} {x:.2f} {x} {x:,}"')) == [".3g", "g", ".2e"]
