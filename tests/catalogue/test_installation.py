"""The printed command installs more from where gradviz came, and another gradviz is noticed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gradviz.catalogue import installation
from gradviz.catalogue.installation import (
    DISTRIBUTION,
    command_for,
    install_command,
    name_clash,
    requirement_for,
)

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
    done = subprocess.run(
        [sys.executable, "-m", "gradviz", "--help"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(theirs)))},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"{said}\n"
