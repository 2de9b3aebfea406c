"""Texts of the catalogue: kinds of findings, installation, numbers, invisible characters."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import math
import os
import re
import sys
import tomllib
import unicodedata
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz
from gradviz.catalogue import installation
from gradviz.catalogue.finding_kinds import OTHER_KINDS, finding_kind
from gradviz.catalogue.installation import (
    DISTRIBUTION,
    command_for,
    install_command,
    name_clash,
    requirement_for,
)
from gradviz.catalogue.language import fill_template
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.catalogue.templates import MESSAGES
from gradviz.catalogue.visible_text import visible_text
from tests.programs import run_program

# The rules, and that every code a finding can have is declared.


PACKAGE = Path(gradviz.__file__).parent
CODES = {kind.code for kind in OTHER_KINDS}.union(
    *((rule.code, *rule.cases) for rule in DOCTOR_RULES)
)
PUTS = {"find": 0, "say": 0, "record_notes": 1, "_report": 1, "_report_engine_conversion": 1}
"""Functions that put findings, and at which argument they may be given a code."""


def written_codes() -> set[str]:
    """Literal codes in calls that report a finding, and codes listed in tuples of the rules."""
    found: set[str] = set()
    for folder in ("recorder", "worker"):
        for path in (PACKAGE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                    at = PUTS.get(name)
                    if at is None or len(node.args) <= at:
                        continue
                    first = node.args[at]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        found.add(first.value)
    # `say` is also what fills in a sentence of the catalogue.
    return {code for code in found - MESSAGES.keys() if re.fullmatch(r"[a-z_]+", code)}


def test_every_code_that_is_written_is_known() -> None:
    written = written_codes()
    assert len(written) > 15
    assert written <= CODES


def test_the_rules_are_numbered_by_group() -> None:
    ids = [rule.id for rule in DOCTOR_RULES]
    assert ids == sorted(set(ids))
    for rule in DOCTOR_RULES:
        assert re.fullmatch(r"GV\d{3}", rule.id)
        assert all(text.endswith(".") for text in (rule.summary, rule.why, rule.remedy))
        assert all(code.startswith(rule.code) for code in rule.cases)


def test_each_kind_of_finding_explains_itself() -> None:
    assert len(CODES) == len(OTHER_KINDS) + sum(
        len((rule.code, *rule.cases)) for rule in DOCTOR_RULES
    )
    for code in CODES:
        kind = finding_kind(code)
        assert kind.title
        assert kind.recording or kind.about


def test_a_sentence_is_whole() -> None:
    for rule in DOCTOR_RULES:
        for key, text in rule.messages.items():
            assert key.split(".")[:2] == ["finding", rule.code]
            # The others are parts of such sentences.
            assert text.endswith(".") or "{where}" not in text


def test_a_code_of_a_newer_program_is_shown_as_it_is() -> None:
    kind = finding_kind("made_up_later")
    assert (kind.title, kind.rule) == ("made up later", "")
    assert finding_kind("silent_cast").rule == "GV205"


# The printed command installs more from where gradviz came, and another gradviz is noticed.


ROOT = Path(__file__).parents[2]
OURS = "[console_scripts]\ngradviz = gradviz.__main__:main\n"
THEIRS = "[console_scripts]\ngradviz = gradviz.cli:main\n"


def add_package(folder: Path, name: str, scripts: str) -> None:
    metadata = folder / f"{name}-0.1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.2\n")
    (metadata / "entry_points.txt").write_text(scripts)


def test_the_distribution_has_the_name_that_is_printed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == DISTRIBUTION
    assert importlib.metadata.version(DISTRIBUTION) == project["version"]


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        ({}, '"gradviz-desktop[view]"'),
        (
            {"url": "file:///home/ada/my%20clone", "dir_info": {"editable": True}},
            '-e "/home/ada/my clone[view]"',
        ),
        ({"url": "file:///srv/gradviz", "dir_info": {}}, '"/srv/gradviz[view]"'),
        (
            {"url": "file:///a/gradviz_desktop-0.1.0-py3-none-any.whl", "archive_info": {}},
            '"gradviz-desktop[view] @ file:///a/gradviz_desktop-0.1.0-py3-none-any.whl"',
        ),
        (
            {"url": "https://example.org/g.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}},
            '"gradviz-desktop[view] @ git+https://example.org/g.git"',
        ),
        (
            {
                "url": "https://example.org/g.git",
                "vcs_info": {"vcs": "git", "requested_revision": "next", "commit_id": "12ab"},
            },
            '"gradviz-desktop[view] @ git+https://example.org/g.git@next"',
        ),
    ],
)
def test_what_is_installed_comes_from_where_gradviz_came(
    origin: dict[str, Any], requirement: str
) -> None:
    assert requirement_for(origin, "view") == requirement


@pytest.mark.parametrize(
    ("folder", "file", "command"),
    [
        (".venv", "pyvenv.cfg:home = /usr/bin\nversion = 3.11.7\n", "pip install X"),
        ("local", "", "pip install X"),
        (".venv", "pyvenv.cfg:uv = 0.13.9\n", 'uv pip install --python "{prefix}" X'),
        ("archive-v0/61zWO", "pyvenv.cfg:home = /usr/bin\nuv = 0.13.9\n", "uvx --from X gradviz"),
        ("venvs/gradviz", "pipx_metadata.json:{}", "pipx runpip gradviz install X"),
        (".cache/d79fe", "pipx_metadata.json:{}", "pipx run --spec X gradviz"),
    ],
)
def test_the_command_is_that_of_the_tool_that_made_the_environment(
    folder: str, file: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / folder
    prefix.mkdir(parents=True)
    if file:
        name, text = file.split(":")
        (prefix / name).write_text(text)
        # pipx has uv make its environments.
        if name != "pyvenv.cfg":
            (prefix / "pyvenv.cfg").write_text("uv = 0.13.9\n")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert command_for("X") == command.format(prefix=prefix)


def test_command_reads_how_this_copy_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_package(tmp_path, "gradviz_desktop", OURS)
    wheel = {"url": "file:///a/b.whl", "archive_info": {}}
    origin = tmp_path / "gradviz_desktop-0.1.2.dist-info" / "direct_url.json"
    origin.write_text(json.dumps(wheel))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("film") == 'pip install "gradviz-desktop[film] @ file:///a/b.whl"'
    for broken in ("{", "[]", ""):
        origin.write_text(broken)
        assert install_command("film") == 'pip install "gradviz-desktop[film]"'


def test_a_clone_that_is_not_installed_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(installation, "DISTRIBUTION", "not-installed-anywhere")
    assert install_command("view") == f'pip install -e "{ROOT}[view]"'


def test_a_package_of_another_author_with_this_name_is_noticed(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, name, scripts in ((ours, "gradviz", OURS), (theirs, "gradviz", THEIRS)):
        folder.mkdir()
        add_package(folder, name, scripts)
        add_package(folder, "gradviz_desktop", OURS)
    assert name_clash([str(ours), str(tmp_path / "missing"), ""]) == ""
    said = name_clash([str(ours), str(theirs)])
    assert said.startswith("Another package named gradviz is installed")
    done = run_program(
        [sys.executable, "-m", "gradviz", "--help"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(theirs)))},
        cwd=tmp_path,
        check=True,
    )
    assert done.stderr == f"{said}\n"


# Numbers as people read them.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-2.5, "-2.5"),
        (0.3, "0.3"),
        (0.99999, "1.000"),
        (1234.5, "1234.5"),
        (123456.0, "123456"),
        (12345678.0, "1.235e+07"),
        (1000001, "1.000e+06"),
        (1e-12, "1e-12"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (True, "True"),
        (np.bool_(False), "False"),
        (np.int64(-7), "-7"),
        (np.float32(0.1), "0.1"),
        (3 - 0.5j, "3-0.5j"),
        (1j, "0+1j"),
        (np.complex64(1 + 2j), "1+2j"),
        (complex("nan-infj"), "nan-infj"),
    ],
)
def test_numbers_are_written_as_by_torch(value: object, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(-1e300, 1e300), st.integers(1, 12))
def test_a_number_is_close_and_no_integer_that_it_is_not(value: float, room: int) -> None:
    text = number_text(value, room)
    assert math.isclose(float(text), value, rel_tol=10.0 ** (1 - room), abs_tol=0)
    assert float(text) == value or "." in text


def test_exact_numbers_give_the_same_bits_back() -> None:
    for value in (np.float32(0.1), np.float64(0.1), np.float16(0.1)):
        assert type(value)(exact_number(value)) == value
    assert exact_number(np.float32(0.1)) == "0.1"
    assert exact_number(1 + 2j) == "1+2j"


def test_templates_write_numbers_the_same_way() -> None:
    values = {
        "error": 0.99999,
        "step": 1.0000000001,
        "count": 3,
        "size": float("inf"),
        "part": 0.25,
    }
    text = fill_template("{error:.3g} {error:g} {step:g} {count} {size:.1g} {part:.0%}", values)
    assert text == "1.00 0.99999 1 3 inf 25%"


# Names with control characters are shown as what they are.


def test_sentences_show_control_characters_of_names() -> None:
    text = say("op.unfinished", op="a\x1b[31m\u202eb", inputs="c\r")
    assert text == r"a\x1b[31m\u202eb was called with c\r but did not finish."


def test_a_value_begins_no_line_in_a_sentence() -> None:
    text = say("file.unreadable", path=PurePath("a\nb"), reason=OSError("first\nsecond"))
    assert text == r"a\nb cannot be read: first\nsecond."
    assert "\n" in say("help.record.usage")


def test_lines_tabs_and_letters_stay() -> None:
    text = "two\n\tlines, \u00e4 \u4e2d \u202f\u00a0"
    assert visible_text(text, lines=True) == text
    assert visible_text(text) == r"two\n\tlines, " + "\u00e4 \u4e2d \u202f\u00a0"


def test_spaces_of_all_widths_stay() -> None:
    spaces = [chr(code) for code in range(sys.maxunicode + 1)]
    spaces = [each for each in spaces if unicodedata.category(each) == "Zs"]
    assert [visible_text(each) for each in spaces] == spaces
    # Unlike what ends a line or a paragraph.
    assert visible_text("\u2028\u2029") == r"\u2028\u2029"


@given(st.text(st.characters(), max_size=50))
def test_nothing_is_hidden_and_nothing_escaped_twice(text: str) -> None:
    shown = visible_text(text)
    assert all(each.isprintable() or unicodedata.category(each) == "Zs" for each in shown)
    assert visible_text(shown) == shown
    assert visible_text(text, lines=True).count("\n") == text.count("\n")
