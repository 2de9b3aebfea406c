"""The kind of a file, by its content and its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradviz.store.file_kind import kind_of
from tests.builders import linear_trace, write_trace

KINDS = {
    "train.py": "python",
    "work.ipynb": "notebook",
    "run.gradviz": "trace",
    "talk.gradviz-lesson": "lesson",
    **dict.fromkeys(
        ("train", "notes.txt", "data.json", "talk.toml", "a.PY", "a.py.bak", ".py"), ""
    ),
}
CONTENTS = (
    *(b"", b"import torch\n", b'{"cells": [], "nbformat": 4}', b"\xff\x00"),
    b'title = "x"\n[[stop]]\nscene = "exp"\n',
)


@pytest.mark.parametrize("content", CONTENTS)
def test_the_name_decides_whatever_the_content(content: bytes, tmp_path: Path) -> None:
    for name in KINDS:
        (tmp_path / name).write_bytes(content)
    assert {name: kind_of(tmp_path / name) for name in KINDS} == KINDS


def test_a_trace_is_one_under_any_name(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    for name in ("run.bin", "run.py", "run"):
        assert kind_of(path.rename(tmp_path / name)) == "trace"
        path = tmp_path / name
    assert kind_of(tmp_path) == ""
    assert kind_of(tmp_path / "missing.py") == "python"
    assert kind_of(tmp_path / "missing") == ""
    assert kind_of(tmp_path / "null\0.gradviz") == "trace"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_has_none_and_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.py", "pipe.gradviz", "pipe"):
        os.mkfifo(tmp_path / name)
        assert kind_of(tmp_path / name) == ""
