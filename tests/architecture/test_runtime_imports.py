"""The import table at run time: what is in `sys.modules` after all of a layer was imported."""

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
}
# pygraphviz is imported by the file that runs as a child, and by nobody else.
CHILDREN = "gradviz.drawing.graphviz.library_process"
CODE = """
import importlib, pkgutil, sys
name, never, children = sys.argv[1], sys.argv[2].split(), sys.argv[3].split()
module = importlib.import_module(name)
deep = name != "gradviz" and hasattr(module, "__path__")
found = pkgutil.walk_packages(module.__path__, name + ".") if deep else ()
for each in sorted(each.name for each in found):
    if each not in children and not each.endswith("__main__"):
        importlib.import_module(each)
print(*sorted(set(never) & sys.modules.keys()))
"""


def exists(name: str) -> bool:
    return (PACKAGE / f"{name}.py").exists() or (PACKAGE / name / "__init__.py").exists()


def brought(module: str, never: str) -> list[str]:
    """Those of the names that are loaded once a module and all below it are imported."""
    command = [sys.executable, "-c", CODE, module, never, CHILDREN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("layer", [name for name in NEVER if exists(name)])
def test_a_layer_does_not_bring(layer: str) -> None:
    module = "gradviz" if layer == "__init__" else f"gradviz.{layer.replace('/', '.')}"
    assert brought(module, NEVER[layer]) == []


def test_what_is_brought_is_seen() -> None:
    assert brought("json", "json.decoder torch") == ["json.decoder"]
