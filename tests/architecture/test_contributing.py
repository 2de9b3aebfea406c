"""CONTRIBUTING.md lists every folder of the package."""

from __future__ import annotations

import re

from tests.architecture.layers import PACKAGE, ROOT, TABLE


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
