"""Lines on the progress of a recorded program."""

from __future__ import annotations

import io
import sys

import pytest

from gradviz.worker.program.terminal_progress import TerminalProgress


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
