"""The import table at run time: `sys.modules` after importing a whole layer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.layers import PACKAGE
from tests.programs import run_program

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
    "api/record": (
        "gradviz.analysis.index gradviz.api.loaded_trace gradviz.catalogue.rules"
        " gradviz.catalogue.templates gradviz.drawing gradviz.export gradviz.linter.training"
        " gradviz.linter.rules gradviz.recorder.errors.refusals gradviz.recorder.what_if"
        f" gradviz.store.reader gradviz.text.sentences {QT}"
    ),
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


RECORDS = """
import sys
import torch
import gradviz

class Linear(torch.autograd.Function):
    @staticmethod
    def forward(x, w):
        return x @ w.T
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, grad_output):
        x, w = ctx.saved_tensors
        return grad_output @ w, grad_output.T @ x

def step(apply):
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(4, 3, requires_grad=True)
    apply(x, w).sum().backward()

def tell(what):
    print(what, *sorted(sys.modules.keys() & set(sys.argv[2:])))

with gradviz.record(sys.argv[1]):
    step(torch.nn.functional.linear)
    tell("step")
    step(Linear.apply)
    tell("Function")
tell("end")
"""
# The parts of a recording that need what is imported during the run.
LATE = {
    "gradviz.linter.source_findings": "Function",
    "gradviz.linter.training": "end",
    "gradviz.analysis.index": "end",
    "gradviz.store.reader": "end",
    "gradviz.text.sentences": "end",
    "gradviz.analysis.memory.saved_conflicts": "",
    "gradviz.catalogue.diagnoses": "",
    "gradviz.catalogue.rules": "",
    "gradviz.catalogue.templates": "",
    "gradviz.recorder.backward.conflict_reporter": "",
    "gradviz.recorder.errors.refusals": "",
    "gradviz.recorder.what_if": "",
}


def test_a_recording_imports_late_what_not_each_step_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RECORDS, str(tmp_path / "run.gradviz"), *LATE]
    done = run_program(command)
    assert done.returncode == 0, done.stderr
    first: dict[str, str] = dict.fromkeys(LATE, "")
    for line in done.stdout.splitlines()[::-1]:
        what, *found = line.split()
        first |= dict.fromkeys(found, what)
    assert first == LATE


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
