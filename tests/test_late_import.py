"""Imports in the middle of a run, which must lose no exception and need no stack."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from gradviz.late_import import import_apart


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
            import_apart(late_module)

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
        import_apart(late_module)
    import_apart(late_module)
    assert "late_part" in sys.modules


def test_the_import_statement_says_why_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import_apart("late_module_that_is_missing")
    with pytest.raises(ModuleNotFoundError):
        __import__("late_module_that_is_missing")
