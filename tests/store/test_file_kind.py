"""The kind of a file, by its content and its name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gradviz.resource import resource_path
from gradviz.store.file_kind import kind_of
from tests.builders import linear_trace, write_trace

PROGRAM = "import torch\nprint(torch.ones(2))\n"
NOTEBOOK = json.dumps({"cells": [], "nbformat": 4})
LESSON = resource_path("lessons/en/lecture.gradviz-lesson").read_text()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("train", PROGRAM, "python"),
        ("train.txt", PROGRAM, "python"),
        ("train.py", "{}", "python"),
        ("train.py", "def (:", "python"),
        ("work.json", NOTEBOOK, "notebook"),
        ("work.gradviz", NOTEBOOK, "notebook"),
        ("work.ipynb", "not JSON", "notebook"),
        ("talk.toml", LESSON, "lesson"),
        ("talk.gradviz-lesson", "not TOML", "lesson"),
        ("run.gradviz", "not a trace", "trace"),
        ("run.gradviz", b"\xff\x00", "trace"),
        ("empty.gradviz", "", "trace"),
        ("empty", "", ""),
        ("notes.txt", "hello", ""),
        ("notes.txt", "some words, and more", ""),
        ("data.json", "[1, 2]", ""),
        ("setup.toml", "[project]\nname = 'x'\n", ""),
        ("deep.txt", "(" * 100_000, ""),
        ("picture.png", b"\x89PNG\r\n\x1a\n", ""),
    ],
)
def test_content_decides_before_the_name(
    name: str, content: str | bytes, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert kind_of(path) == kind


def test_a_trace_is_one_under_any_name(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    for name in ("run.bin", "run.py", "run"):
        assert kind_of(path.rename(tmp_path / name)) == "trace"
        path = tmp_path / name
    assert kind_of(tmp_path) == ""
    assert kind_of(tmp_path / "missing.py") == "python"
    assert kind_of(tmp_path / "missing") == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_has_none_and_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.py", "pipe.gradviz", "pipe"):
        os.mkfifo(tmp_path / name)
        assert kind_of(tmp_path / name) == ""
