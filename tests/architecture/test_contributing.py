"""CONTRIBUTING.md is short, lists every folder of the package, and names files that exist."""

from __future__ import annotations

import re

from tests.architecture.layers import PACKAGE, ROOT, TABLE

MOST_WORDS = 1500
_PATH = re.compile(r"`((?:gradviz|resources|tests|tools|benchmarks)(?:/[\w.]+)+)`")


def test_it_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").split()) <= MOST_WORDS


def test_its_files_exist() -> None:
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "contributing").glob("*.md")]
    named = {path for page in pages for path in _PATH.findall(page.read_text("utf-8"))}
    assert len(named) > 40
    assert {path for path in named if not (ROOT / path).exists()} == set()


def listed() -> set[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return set(re.findall(r"^\| `gradviz/(\w+)` \|", text, flags=re.MULTILINE))


def test_every_folder_has_a_line() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - listed() == set()


def test_every_line_is_a_layer() -> None:
    layers = {name.split(".")[0] for name in TABLE} - {
        "__init__",
        "__main__",
        "preflight",
        "pytest_plugin",
    }
    assert listed() == layers
