"""Imports in the middle of a run, which must lose no exception and need no stack."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from gradviz.late_import import import_in_thread
from tests.programs import run_program


@pytest.fixture
def late_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "late_module.py").write_text("import late_part\n")
    (tmp_path / "late_part.py").write_text("import threading\nthread = threading.get_ident()\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("late_module", "late_part"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.delitem(sys.modules, name)
    return "late_module"


def test_it_needs_nothing_of_the_stack(late_module: str) -> None:
    def descend() -> None:
        try:
            descend()
        except RecursionError:
            import_in_thread(late_module)

    descend()
    assert sys.modules["late_part"].thread != threading.get_ident()


class _StoppedError(TimeoutError):
    """What another thread raises in this one."""


def test_an_exception_of_another_thread_is_kept(
    late_module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = ctypes.c_ulong(threading.get_ident())
    # The system's functions, as Python's import calls them.
    system = pytest.importorskip("posix")
    stat = system.stat
    stopped: list[str] = []

    def stat_and_stop(path: str) -> os.stat_result:
        if "late_part" in path and not stopped:
            stopped.append(path)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(_StoppedError))
        found: os.stat_result = stat(path)
        return found

    monkeypatch.setattr(system, "stat", stat_and_stop)
    with pytest.raises(_StoppedError):
        import_in_thread(late_module)
    import_in_thread(late_module)
    assert "late_part" in sys.modules


def test_the_import_statement_says_why_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import_in_thread("late_module_that_is_missing")
    with pytest.raises(ModuleNotFoundError):
        __import__("late_module_that_is_missing")


REFUSES = """
import sys

import torch

import gradviz
from gradviz.store.reader import open_trace


class Refusing:
    def find_spec(self, name, path, target=None):
        if name.startswith("gradviz.linter"):
            raise ImportError(f"not {name}")


class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3


x = torch.ones(2, requires_grad=True)
with gradviz.record("run.gradviz"):
    sys.meta_path.insert(0, Refusing())
    Triple.apply(x).sum().backward()
print(x.grad.tolist())
with open_trace("run.gradviz") as reader:
    trace = reader.trace()
print(*(call.function for call in trace.calls), trace.outcome.kind)
print(*(each.code for each in trace.findings))
"""


def test_a_run_that_refuses_imports_is_recorded_without_what_needs_them(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(REFUSES)
    done = run_program([sys.executable, "run.py"], cwd=tmp_path)
    said = ["[3.0, 3.0]", "Triple finished", "recorder_trouble training_unread"]
    assert done.stdout.splitlines() == said, done.stderr
