"""``gradviz --version`` prints what a bug report needs."""

from __future__ import annotations

import pytest

from gradviz.cli.main import main


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names[:4] == ["gradviz", "Python", "torch", "PySide6-Essentials"]
    assert {"pyqtgraph", "numpy", "graphviz", "pygraphviz", "dot", "platform"} <= set(names)


def test_versions_without_dot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["--version"]) == 0
    assert "dot not on PATH (the library in pygraphviz is used)\n" in capsys.readouterr().out
    monkeypatch.setattr("gradviz.cli.version.find_spec", lambda name: None)
    assert main(["--version"]) == 0
    assert "dot not on PATH\n" in capsys.readouterr().out
