"""The import table at run time: `sys.modules` after importing a whole layer."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.layers import PACKAGE

QT = "PySide6 pyqtgraph"
# Each layer, and what importing all of it must never bring.
NEVER = {
    "__init__": f"torch numpy psutil {QT}",
    "cli": f"torch numpy psutil {QT}",
    "pytest_plugin": f"torch numpy psutil gradviz.catalogue {QT}",
    "model": f"torch {QT}",
    "catalogue": f"torch numpy {QT}",
    "analysis": f"torch {QT}",
    "text": f"torch {QT}",
    "store": f"torch {QT}",
    "protocol": f"torch {QT}",
    "drawing": f"torch {QT}",
    "gallery/registry": f"torch {QT}",
    "gallery/groups": f"torch {QT}",
    "gallery/scene": f"torch {QT}",
    "host": f"torch {QT}",
    "export": f"torch {QT}",
    "viewer": "torch pygraphviz",
    "gallery/scenes": QT,
    "recorder": QT,
    "checks": QT,
    "worker": QT,
    "api": QT,
    "api/record": f"gradviz.export gradviz.drawing gradviz.api.loaded_trace {QT}",
    "api/check": f"gradviz.drawing.geometry gradviz.export.check.svg {QT}",
    "api/loaded_trace": f"torch gradviz.drawing gradviz.gallery {QT}",
    "testing": QT,
}
# pygraphviz is imported by the file that runs as a child, and by nobody else.
CHILDREN = "gradviz.drawing.graphviz.library_process"
# Reads lines of modules and names. Imports the modules of a line, each with all below it, in a
# fork of a process that has at most imported torch, as the line says, and prints after each module
# which of the names are newly loaded.
CODE = """
import importlib, os, pkgutil, sys

def load(name, children):
    module = importlib.import_module(name)
    deep = name != "gradviz" and hasattr(module, "__path__")
    found = pkgutil.walk_packages(module.__path__, name + ".") if deep else ()
    for each in sorted(each.name for each in found):
        if each not in children.split() and not each.endswith("__main__"):
            importlib.import_module(each)

def tell(torch, names, never, children):
    left = set(never.split())
    for name in names.split():
        load(name, children)
        print(name, *sorted(left & sys.modules.keys()), flush=True)
        left -= sys.modules.keys()

for line in sys.stdin.read().splitlines():
    if line.startswith("torch"):
        import torch
    if not os.fork():
        tell(*line.split(";"))
        os._exit(0)
    assert os.wait()[1] == 0, line
"""


def exists(name: str) -> bool:
    return (PACKAGE / f"{name}.py").exists() or (PACKAGE / name / "__init__.py").exists()


def module_of(layer: str) -> str:
    return "gradviz" if layer == "__init__" else f"gradviz.{layer.replace('/', '.')}"


LAYERS = [name for name in NEVER if exists(name)]


@pytest.fixture(scope="module")
def brought() -> dict[str, list[str]]:
    """For each module the names that it must not load, but is the first of its group to load."""
    asked = {"json.decoder torch": ["json"]}
    for layer in LAYERS:
        asked.setdefault(NEVER[layer], []).append(module_of(layer))
    # Those that may bring torch come last: importing it once takes longer than all the others.
    lines = [
        f"{'' if 'torch' in never else 'torch'};{' '.join(asked[never])};{never};{CHILDREN}"
        for never in sorted(asked, key=lambda never: "torch" not in never)
    ]
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = [line.split() for line in done.stdout.splitlines()]
    return {module: names for module, *names in answers}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_does_not_bring(layer: str, brought: dict[str, list[str]]) -> None:
    assert brought[module_of(layer)] == []


def test_what_is_brought_is_seen(brought: dict[str, list[str]]) -> None:
    assert brought["json"] == ["json.decoder"]
