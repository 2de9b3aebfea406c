"""Which findings are reported, and what repairs them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.linter.doctor_finding import (
    DoctorFinding,
    findings_of_run,
    findings_of_source,
    merged,
)
from gradviz.linter.repairs import repair_diff, repaired
from gradviz.linter.selection import (
    RuleSelection,
    SelectionError,
    ignored_rules,
    parse_rules,
    selection_of_project,
)
from gradviz.linter.source_findings import source_findings
from gradviz.protocol.messages import DescribeRequest, RunRequest
from gradviz.store.reader import open_trace
from gradviz.worker.describe import describe
from gradviz.worker.run import run
from tests.sweeps import thinned

# The kept Functions in `tests/data/doctor`: each has the findings its first line names.
# A line such as ``class Doubled(Function): # GV101 warning, GV206 info run`` lists all findings
# of the doctor in that definition: rule and severity, and ``run`` if the source alone does not
# show it.


FOLDER = Path(__file__).parents[1] / "data" / "doctor"
FILES = sorted(FOLDER.glob("*.py"))
MARK = re.compile(r"#\s*((?:correct|GV\d{3}).*)")
Expected = dict[str, frozenset[tuple[str, str, str]]]


@cache
def expected(path: Path) -> Expected:
    """Rule, severity and where it is seen, of each finding in each marked definition."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found: Expected = {}
    for node in ast.parse("\n".join(lines)).body:
        mark = MARK.search(lines[node.lineno - 1])
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and mark:
            words = [each.split() for each in mark[1].split(",") if each != "correct"]
            found[node.name] = frozenset((each[0], each[1], "".join(each[2:])) for each in words)
    return found


def owners(path: Path, findings: Iterable[DoctorFinding]) -> list[tuple[str, DoctorFinding]]:
    """The definition at the top level that each finding is in; empty for none."""
    spans = {
        node.name: range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    return [
        (next((name for name, lines in spans.items() if each.line in lines), ""), each)
        for each in findings
    ]


def run_findings(path: Path, folder: Path) -> list[DoctorFinding]:
    found: list[DoctorFinding] = []
    offers = [each for each in describe(DescribeRequest(path=str(path))).offers if each.is_declared]
    # Each definition is run: as an example itself, or by an example that mentions it.
    names = {each.subject.name for each in offers}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ran = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    names |= {node.id for each in ran for node in ast.walk(each) if isinstance(node, ast.Name)}
    assert names >= expected(path).keys()
    for number, offer in enumerate(offers):
        trace = folder / f"{number}.gradviz"
        run(RunRequest(offer=offer, trace=str(trace), level="ops"))
        with open_trace(trace) as reader:
            found += findings_of_run(str(path), reader.trace())
    return found


@pytest.mark.parametrize("path", thinned(FILES), ids=lambda path: path.stem)
def test_each_definition_has_the_findings_that_are_kept_with_it(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = merged([*run_findings(path, tmp_path), *findings_of_source(str(path), source)])
    seen: dict[str, set[tuple[str, str]]] = {name: set() for name in expected(path)}
    for owner, each in owners(path, found):
        seen.setdefault(owner, set()).add((each.rule.id, each.severity))
    assert seen == {
        name: {(rule, severity) for rule, severity, _ in marks}
        for name, marks in expected(path).items()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_the_source_shows_is_found_without_a_run(path: Path) -> None:
    found = findings_of_source(str(path), path.read_text(encoding="utf-8"))
    seen: dict[str, set[str]] = {name: set() for name in expected(path)}
    for owner, each in owners(path, found):
        seen.setdefault(owner, set()).add(each.rule.id)
    assert seen == {
        name: {rule for rule, _, where in marks if where != "run"}
        for name, marks in expected(path).items()
    }


def test_enough_is_kept() -> None:
    kept = [marks for path in FILES for marks in expected(path).values()]
    counts = Counter(bool(marks) for marks in kept)
    assert counts[True] >= 49
    assert counts[False] >= 20
    broken = {rule for marks in kept for rule, _, _ in marks}
    # This one is about tensors outside of custom Functions.
    assert {rule.id for rule in DOCTOR_RULES} - broken <= {"GV103"}


# Repairs change one place, remove the violation, and leave everything else as it is.


HEAD = """\
from torch.autograd import Function


class F(Function):
    @staticmethod
    def forward(ctx, x):  # ü: two bytes
        return x * 2

    @staticmethod
    def backward(ctx, g):
"""


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("g *= 2 + 1", "g = g * (2 + 1)"),
        ("g -= x", "g = g - x"),
        ("g.mul_(2, y)", "g = g.mul(2, y)"),
    ],
)
def test_a_gradient_is_recomputed(body: str, changed: str) -> None:
    source = f"{HEAD}        {body}\n        return g\n"
    (finding,) = source_findings(source)
    assert repaired(source, finding.code, finding.line) == source.replace(body, changed)


@pytest.mark.parametrize("body", ["g[0] = 1", "g *= 2; h = g", "torch.mul(g, 2, out=g)", "g //= 2"])
def test_what_has_no_certain_repair(body: str) -> None:
    source = f"{HEAD}        {body}\n        return g\n"
    (finding,) = source_findings(source)
    assert repaired(source, finding.code, finding.line) is None


@pytest.mark.parametrize(
    ("returned", "changed"),
    [("g, None, None", "g"), ("(g, None)  # ü", "(g)  # ü"), ("g * 'ü', None", "g * 'ü'")],
)
def test_surplus_values_go(returned: str, changed: str) -> None:
    source = f"{HEAD}        return {returned}\n"
    (finding,) = source_findings(source)
    assert repaired(source, finding.code, finding.line) == f"{HEAD}        return {changed}\n"


def test_values_for_inputs_stay() -> None:
    head = HEAD.replace("(ctx, x)", "(ctx, x, n, m)")
    source = f"{head}        return g, None, None, None\n"
    (finding,) = source_findings(source)
    repair = repaired(source, finding.code, finding.line)
    assert repair == f"{head}        return g, None, None\n"


def test_decorators_are_added_and_removed() -> None:
    source = HEAD.replace("    @staticmethod\n    def b", "    def b") + "        return g\n"
    (finding,) = source_findings(source)
    assert repaired(source, finding.code, finding.line) == HEAD + "        return g\n"
    once = HEAD.replace("    def forward", "    @once_differentiable\n    def forward")
    source = once + "        return g\n"
    (finding,) = source_findings(source)
    assert repaired(source, finding.code, finding.line) == HEAD + "        return g\n"


@pytest.mark.parametrize("missing", ["    @staticmethod\n    def b", ""])
def test_line_endings_stay(missing: str) -> None:
    head = HEAD.replace(missing, "    def b") if missing else HEAD
    source = f"{head}        {'return g' if missing else 'g *= 2'}\n".replace("\n", "\r\n")
    (finding,) = source_findings(source)
    changed = repaired(source, finding.code, finding.line) or ""
    assert changed.count("\r\n") == changed.count("\n") > 0


def test_a_diff_shows_the_line() -> None:
    lines = list(repair_diff("a\nb\nc\n", "a\nB\nc\n", "net.py"))
    assert lines == ["--- net.py", "+++ net.py", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert repaired("class F(", "not_static", 1) is None
    assert repaired("x = 1\n", "not_static", 1) is None


# Which findings are reported: options, projects and comments.


@pytest.mark.parametrize(
    ("select", "ignore", "included"),
    [
        ((), (), True),
        (("GV1",), (), True),
        (("GV2",), (), False),
        ((), ("GV101",), False),
        ((), ("GV1",), False),
        (("GV101",), ("GV1",), True),
        (("GV1",), ("GV101",), False),
        (("GV101",), ("GV101",), False),
    ],
)
def test_the_longer_name_decides(
    select: tuple[str, ...], ignore: tuple[str, ...], included: bool
) -> None:
    assert RuleSelection(select=select, ignore=ignore).includes("GV101") is included


def test_unknown_rules_are_refused() -> None:
    assert parse_rules(["gv1", " GV301 ", ""]) == ("GV1", "GV301")
    with pytest.raises(SelectionError, match="GV9"):
        parse_rules(["GV9"])


def test_the_nearest_project_is_read(tmp_path: Path) -> None:
    file = tmp_path / "inner" / "net.py"
    (tmp_path / "pyproject.toml").write_text('[tool.gradviz]\nignore = ["GV1"]\n')
    assert selection_of_project(file) == RuleSelection(ignore=("GV1",))
    file.parent.mkdir()
    (file.parent / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert selection_of_project(file) == RuleSelection()
    (file.parent / "pyproject.toml").write_text("tool = 1\n")
    assert selection_of_project(file) == RuleSelection()
    wrong = ("ignore = 'GV1'", "select = ['X']", "[[", "x = " + "[" * 100_000, "x = " + "9" * 5_000)
    for text in ("[tool]\ngradviz = 1\n", *(f"[tool.gradviz]\n{each}\n" for each in wrong)):
        (file.parent / "pyproject.toml").write_text(text)
        with pytest.raises(SelectionError):
            selection_of_project(file)


def test_comments_leave_rules_out() -> None:
    source = 'a = 1  # gradviz: ignore[GV101, gv2]\nb = "# gradviz: ignore"\nc  # gradviz: ignore\n'
    assert ignored_rules(source) == {1: ("GV101", "GV2"), 3: ("GV",)}
    assert ignored_rules("def f(:\n  'open") == {}


def test_comments_cover_statements_and_definitions() -> None:
    source = """\
class A:  # gradviz: ignore[GV1]
    def f(
        a,
    ):  # gradviz: ignore[GV2]
        # gradviz: ignore[GV3]
        b = [
            a
        ]  # gradviz: ignore[GV4]
        return b
"""
    found = {line: set(names) for line, names in ignored_rules(source).items()}
    assert found[1] == {"GV1"}
    assert found[2] == found[4] == found[9] == {"GV1", "GV2"}
    assert found[5] == {"GV1", "GV2", "GV3"}
    assert found[6] == found[7] == {"GV1", "GV2", "GV4"}
