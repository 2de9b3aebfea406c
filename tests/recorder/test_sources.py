from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gradviz.recorder.sources import is_library, text_of


def test_packages_outside_of_pythons_folders_are_libraries_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``pip install --user`` and ``--target`` install to other folders on ``sys.path``."""
    installed, project = tmp_path / "target", tmp_path / "project"
    (installed / "tool-1.0.dist-info").mkdir(parents=True)
    project.mkdir()
    for folder in (installed, project):
        monkeypatch.syspath_prepend(folder)
    assert is_library(str(installed / "tool" / "a.py"))
    assert not is_library(str(project / "tool" / "a.py"))
    assert not is_library(str(tmp_path / "target_of_mine" / "a.py"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_name_of_a_pipe_has_no_text(tmp_path: Path) -> None:
    """A program may compile code with any file name; reading a pipe would wait for a writer."""
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    opened = threading.Event()

    def write() -> None:
        with pipe.open("w"):
            opened.set()

    writer = threading.Thread(target=write)
    writer.start()
    text, was_opened = text_of(str(pipe)), opened.is_set()
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer.join()
    os.close(reader)
    assert (text, was_opened) == ("", False)
