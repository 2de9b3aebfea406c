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
    "testing": QT,
}
# pygraphviz is imported by the file that runs as a child, and by nobody else.
CHILDREN = "gradviz.drawing.graphviz.library_process"
# Reads lines of a module and names. Prints the names that are loaded once the module and all below
# it are imported, in a fork of a process that has at most imported torch, as the line says.
CODE = """
import importlib, os, pkgutil, sys

def tell(torch, name, never, children):
    module = importlib.import_module(name)
    deep = name != "gradviz" and hasattr(module, "__path__")
    found = pkgutil.walk_packages(module.__path__, name + ".") if deep else ()
    for each in sorted(each.name for each in found):
        if each not in children.split() and not each.endswith("__main__"):
            importlib.import_module(each)
    print(*sorted(set(never.split()) & sys.modules.keys()), flush=True)

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
    """For each module the names that it must not load, but does."""
    asked = [(module_of(layer), NEVER[layer]) for layer in LAYERS]
    asked.append(("json", "json.decoder torch"))
    # Those that may bring torch come last: importing it once takes longer than all the others.
    asked.sort(key=lambda each: "torch" not in each[1])
    lines = [
        f"{'' if 'torch' in never else 'torch'};{module};{never};{CHILDREN}"
        for module, never in asked
    ]
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = [line.split() for line in done.stdout.splitlines()]
    return dict(zip((module for module, _ in asked), answers, strict=True))


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_does_not_bring(layer: str, brought: dict[str, list[str]]) -> None:
    assert brought[module_of(layer)] == []


def test_what_is_brought_is_seen(brought: dict[str, list[str]]) -> None:
    assert brought["json"] == ["json.decoder"]
