"""While a check collects what is printed, the streams do all else that programs ask of them."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gradviz.worker.check_console import CheckConsole


def test_a_collected_stream_is_otherwise_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    writer: Any = SimpleNamespace(highest=lambda table: -1, put=kept.append)
    original = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", original)
    console = CheckConsole(100)
    console.store_in(writer)
    with console:
        assert sys.stdout.encoding == "ascii"
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        sys.stdout.buffer.write(b"bytes")
        sys.stdout.write("text")
        sys.stdout.close()
    assert sys.stdout is original
    assert (original.encoding, original.closed) == ("utf-8", True)
    assert [(each.stream, each.text) for each in kept] == [("stdout", "text")]


def test_further_evaluations_are_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    writer: Any = SimpleNamespace(highest=lambda table: -1, put=kept.append)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    console = CheckConsole(100)
    console.store_in(writer)
    with console:
        for number in range(5):
            console.prints.call += 1
            sys.stdout.write(f"call {number}\n")
            sys.stdout.write("of a loop\n")
    (text, cut) = kept
    assert text.text == "call 0\nof a loop\n"
    assert (cut.activity, cut.lines) == ("check", 8)
    assert cut.characters == 4 * len(text.text)
