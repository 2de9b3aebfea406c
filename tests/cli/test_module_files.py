"""Files of modules are found by their dotted names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.cli.subject import file_of_module


def test_the_working_directory_comes_before_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_of_module("json") == Path(json.__file__)
    assert file_of_module("json.decoder") == Path(json.__file__).with_name("decoder.py")
    for place in ("json.py", "src/parts/__init__.py", "src/parts/inner/ops.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("raise RuntimeError('nothing may run')")
    assert file_of_module("json") == tmp_path / "json.py"
    assert file_of_module("parts") == tmp_path / "src/parts/__init__.py"
    assert file_of_module("parts.inner.ops") == tmp_path / "src/parts/inner/ops.py"


@pytest.mark.parametrize("name", ["parts", "json.nothing", "sys", "a-b", "", "json..decoder"])
def test_what_has_no_python_file_is_not_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_of_module(name) is None
