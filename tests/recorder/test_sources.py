from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.recorder.sources import is_library


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
