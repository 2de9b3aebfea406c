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
    with CheckConsole(writer, 100):
        assert sys.stdout.encoding == "ascii"
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        sys.stdout.buffer.write(b"bytes")
        sys.stdout.write("text")
        sys.stdout.close()
    assert sys.stdout is original
    assert (original.encoding, original.closed) == ("utf-8", True)
    assert [(each.stream, each.text) for each in kept] == [("stdout", "text")]
