"""Goldens of one commit are equal, so that what differs from another commit was changed by it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.architecture.layers import ROOT
from tools.goldens.difference import report


def written(folder: Path, seed: int) -> Path:
    """The goldens of a scene and a program, made with a seed of the hashes of texts."""
    command = ["-m", "tools.goldens", "linear-wrong", "second_order", "--no-grabs"]
    subprocess.run(
        [sys.executable, *command, "--output", folder],
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        check=True,
    )
    return folder


@pytest.mark.sweep
def test_the_goldens_of_one_commit_are_equal(tmp_path: Path) -> None:
    first, second = (written(tmp_path / str(seed), seed) for seed in (1, 2))
    names = {path.name for path in (first / "linear-wrong").iterdir()}
    exports = {"steps.txt", "steps.json", "page.html", "graph.dot", "graph.svg"}
    assert names == exports | {"check.txt", "check.json", "check.svg"}
    assert {path.name for path in (first / "second_order").iterdir()} == exports
    assert report(first, second) == []


def test_what_differs_is_told(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, word in ((first, "one"), (second, "two")):
        folder.mkdir()
        (folder / "steps.txt").write_text(f"step\n{word}\n")
        (folder / word).touch()
        image = Image.new("RGB", (9, 9))
        if word == "two":
            ImageDraw.Draw(image).rectangle((2, 3, 4, 4), "red")
        image.save(folder / "view.png")
    assert report(first, second) == [
        "one: missing",
        "steps.txt: 2 lines differ",
        "    -one",
        "    +two",
        "two: new",
        "view.png: 6 pixels differ, in (2, 3) to (4, 4)",
    ]
