"""Programs that are recorded: their progress, and how torch is imported."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from gradviz.worker.program.terminal_progress import TerminalProgress
from gradviz.worker.program.torch_import import call_after_torch_import

# Lines on the progress of a recorded program.


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_become_rarer(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    times = iter([0, 9, 11, 12, 19, 21, 39, 41])
    progress = TerminalProgress(lambda: next(times))
    monkeypatch.setattr(sys, "stderr", None)
    for number in range(1, 8):
        progress.pass_ended(number, 1000 * number, lambda: 3 << 20)
    lines = [
        "gradviz: 2 backward passes, 2,000 steps recorded, 3 MiB so far",
        "gradviz: 5 backward passes, 5,000 steps recorded, 3 MiB so far",
        "gradviz: 7 backward passes, 7,000 steps recorded, 3 MiB so far",
    ]
    assert stream.getvalue().splitlines() == (lines if is_terminal else [])


def test_a_closed_stream_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    times = iter([0, 11, 30])
    progress = TerminalProgress(lambda: next(times))
    stream.close()
    for number in (1, 2):
        progress.pass_ended(number, 5, lambda: 3 << 20)


# Recording begins at the import of torch, whatever else watches that import.


class OtherFinder:
    """Calls a function after an import of torch, as import hooks in programs do."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(fullname)
        assert spec is not None
        assert spec.loader is not None
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            self._seen.append("other")

        vars(spec.loader)["exec_module"] = exec_module
        return spec


@pytest.mark.parametrize("is_first", [True, False])
def test_another_import_hook(
    is_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("loaded = True\n")
    seen: list[str] = []
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    other = OtherFinder(seen)
    if is_first:
        call_after_torch_import(lambda: seen.append("ours"))
    sys.meta_path.insert(0, other)  # type: ignore[arg-type]
    if not is_first:
        call_after_torch_import(lambda: seen.append("ours"))
    module = importlib.import_module("torch")
    assert module.loaded
    assert sorted(seen) == ["other", "ours"]
    assert "exec_module" not in vars(module.__spec__.loader)  # type: ignore[union-attr]
