"""Exemptions from lint and type checks are listed here; a new one must be added to the list."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from tests.architecture.layers import ROOT

PER_FILE = {
    "gradviz/recorder/compat.py": ["SLF001"],
    "gradviz/recorder/tensors/tensor_compat.py": ["SLF001"],
    "gradviz/gallery/scenes/*.py": ["D", "N803", "N812", "T201"],
    "tools/goldens/programs/*.py": ["D", "N812"],
    "gradviz/cli/output.py": ["T201"],
    "gradviz/viewer/**/*.py": ["N802"],
    "gradviz/api/recorded_call.py": ["BLE001"],
    "gradviz/cli/main.py": ["BLE001"],
    "gradviz/testing/written_traces.py": ["BLE001"],
    "gradviz/viewer/faults/exception_hook.py": ["BLE001"],
    "gradviz/recorder/error_boundary.py": ["BLE001"],
    "tests/**/*.py": ["D"],
    "tests/data/doctor/*.py": ["F841", "N805"],
    "tests/simulated_device/*.py": ["SLF001"],
    "benchmarks/**/*.py": ["T201"],
}
RULES = {
    *("E", "F", "W", "I", "UP", "B", "C4", "C90", "SIM", "PT", "RUF", "BLE", "T20"),
    *("TID", "PERF", "N", "SLF", "D"),
}
IGNORED = ["D105", "D107"]
UNTYPED = [
    {
        "module": [
            *("pyqtgraph.*", "graphviz.*", "pygraphviz.*", "pygments.*", "pylatexenc.*"),
            *("imageio_ffmpeg", "fontTools.*"),
        ],
        "ignore_missing_imports": True,
    },
    {
        "module": ["gradviz.gallery.scenes.*", "tools.goldens.programs.*"],
        "check_untyped_defs": False,
        "disallow_untyped_defs": False,
        "disallow_incomplete_defs": False,
        "disallow_untyped_calls": False,
    },
]
# As pyproject.toml says: what torch 2.15 and ziafont do in deprecated ways.
WARNINGS = [
    "error",
    "ignore:`torch.jit.script` is deprecated:FutureWarning",
    "ignore:.*is deprecated. Use files:DeprecationWarning:ziamath",
    "ignore:.*is deprecated. Use files:DeprecationWarning:ziafont",
]
# How many comments in the package may silence a rule. Lower these when one goes.
MOST_NOQA = 5
# Two of them: pyqtgraph has no types, and an axis and a plot of ours derive from its classes.
MOST_TYPE_IGNORE = 8

SILENCED = re.compile(r"#\s*(?P<kind>noqa|type:\s*ignore)(?P<codes>:\s*[A-Z]+[0-9]+|\[[a-z-]+)?")


def comments(source: str) -> Iterator[tuple[str, bool]]:
    """The kind of each silencing comment, and whether it names what it silences."""
    for match in SILENCED.finditer(source):
        yield match["kind"].split(":")[0], match["codes"] is not None


def settings(*path: str) -> dict[str, object]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    for name in path:
        table = table[name]
    return table


def test_the_rules_are_these() -> None:
    lint = settings("ruff", "lint")
    assert set(lint["select"]) == RULES
    assert lint["ignore"] == IGNORED
    assert lint["per-file-ignores"] == PER_FILE
    assert not {"extend-ignore", "extend-per-file-ignores", "unfixable"} & lint.keys()


def test_types_are_strict() -> None:
    mypy = settings("mypy")
    assert mypy["strict"] is True
    assert mypy["overrides"] == UNTYPED
    assert mypy["untyped_calls_exclude"] == ["torch"]
    assert not {"exclude", "disable_error_code", "ignore_errors"} & mypy.keys()


def test_each_exemption_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    start = lines.index("[tool.ruff.lint.per-file-ignores]")
    bare = [
        line
        for before, line in zip(lines[start:], lines[start + 1 :], strict=False)
        if line.startswith('"') and not before.startswith(("#", '"'))
    ]
    assert bare == []


def test_tests_are_strict() -> None:
    pytest_settings = settings("pytest", "ini_options")
    assert pytest_settings["filterwarnings"] == WARNINGS
    assert {"--strict-markers", "--strict-config"} <= set(pytest_settings["addopts"])
    assert pytest_settings["qt_log_level_fail"] == "WARNING"


@pytest.mark.parametrize(("kind", "most"), [("noqa", MOST_NOQA), ("type", MOST_TYPE_IGNORE)])
def test_silencing_comments_are_few_and_name_their_rule(kind: str, most: int) -> None:
    found = [
        (str(path.relative_to(ROOT)), named)
        for path in sorted((ROOT / "gradviz").rglob("*.py"))
        for each, named in comments(path.read_text())
        if each == kind
    ]
    assert [path for path, named in found if not named] == []
    assert len(found) <= most, found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1  # noqa", [("noqa", False)]),
        ("x = 1  # noqa: E501", [("noqa", True)]),
        ("x = 1  # type: ignore", [("type", False)]),
        ("x = 1  # type: ignore[misc]  # noqa: E501", [("type", True), ("noqa", True)]),
        ("x = 1  # type of x", []),
    ],
)
def test_silencing_comments_are_seen(source: str, found: list[tuple[str, bool]]) -> None:
    assert list(comments(source)) == found
