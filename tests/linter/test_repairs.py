"""Repairs change one place, remove the violation, and leave everything else as it is."""

from __future__ import annotations

import pytest

from gradviz.linter.repairs import repair_diff, repaired
from gradviz.linter.source_findings import source_findings

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
