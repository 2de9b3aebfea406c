"""Which findings are reported: options, projects and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.linter.selection import (
    RuleSelection,
    SelectionError,
    ignored_rules,
    parse_rules,
    selection_of_project,
)


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
