"""The user's editor: found, given a file and a line, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gradviz.viewer.source.external_editor import (
    KNOWN,
    EditorCommand,
    command_of,
    file_of,
    guess_editor,
    is_changed,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are made as scripts here")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def make(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def test_file_and_line_stand_where_the_template_says(programs: Path) -> None:
    make(programs, "code")
    file = Path("/home/me/my {line} file.py")
    command = command_of(KNOWN["code"], file, 12)
    assert command == EditorCommand("code", ("--goto", "/home/me/my {line} file.py:12"))


def test_a_name_is_one_argument_whatever_it_holds(programs: Path) -> None:
    make(programs, "ed")
    file = Path("/tmp/a b; rm -rf $HOME '\".py")
    assert command_of("ed +{line} {file}", file, 3) == EditorCommand("ed", ("+3", str(file)))
    assert command_of("'ed' --wait", file, 3) == EditorCommand("ed", ("--wait", str(file)))


@pytest.mark.parametrize("template", ["", "nowhere {file}", "ed 'half {file}"])
def test_what_cannot_be_started_is_no_command(programs: Path, template: str) -> None:
    make(programs, "ed")
    assert command_of(template, Path("/x.py"), 1) is None


def test_the_environment_comes_before_what_is_installed(programs: Path) -> None:
    assert not guess_editor({}) or sys.platform == "darwin"
    make(programs, "kate")
    assert guess_editor({}) == KNOWN["kate"]
    make(programs, "gvim")
    assert guess_editor({"EDITOR": "/usr/bin/gvim -f"}) == KNOWN["gvim"]
    make(programs, "code")
    assert guess_editor({"VISUAL": "code --wait", "EDITOR": "gvim"}) == KNOWN["code"]


def test_terminal_editors_are_not_chosen(programs: Path) -> None:
    make(programs, "vim")
    make(programs, "gedit")
    assert guess_editor({"EDITOR": "vim"}) == KNOWN["gedit"]


def test_only_a_python_file_that_is_there_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("x = 1\n")
    (tmp_path / "run.sh").write_text("")
    assert file_of(str(file)) == file
    monkeypatch.chdir(tmp_path)
    for path in ("<call>", "mine.py", str(tmp_path / "run.sh"), str(tmp_path), "/\0.py", "--help"):
        assert file_of(path) is None


def test_a_file_that_was_edited_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(b"x = 1\r\ny = 2\r\n")
    assert not is_changed(file, "x = 1\ny = 2\n")
    assert is_changed(file, "x = 1\n")
    file.unlink()
    assert is_changed(file, "x = 1\n")
