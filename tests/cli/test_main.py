"""What the command line says when the system or the user stops a command."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from gradviz.cli.errors import system_error_sentence
from gradviz.cli.main import main
from gradviz.host import pool
from gradviz.protocol.messages import RunRequest
from tests.builders import linear_trace, write_trace


@pytest.mark.parametrize("verb", [("record", "linear", "-o"), ("check",), ()])
def test_a_name_that_is_too_long_is_no_bug(
    verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a" * 308
    assert main([*verb, f"{name}.py"]) == 2
    said = capsys.readouterr().err
    assert f"{name}.py cannot be used: File name too long." in said
    assert "bug" not in said


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_what_the_system_refuses_is_no_bug(code: int) -> None:
    reason = os.strerror(code)
    assert system_error_sentence(OSError(code, reason, "a.py")) == f"a.py cannot be used: {reason}."
    assert system_error_sentence(OSError(code, reason)) == f"The system refused: {reason}."


def test_other_errors_remain_bugs() -> None:
    assert system_error_sentence(OSError(errno.EBADF, "Bad file descriptor")) is None
    assert system_error_sentence(ValueError("a")) is None


def test_an_interrupted_recording_says_where_the_trace_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(request: RunRequest, **_options: Any) -> None:
        write_trace(Path(request.trace), linear_trace())
        raise KeyboardInterrupt

    monkeypatch.setattr(pool, "run_blocking", interrupted)
    path = tmp_path / "run.gradviz"
    assert main(["record", "linear", "-o", str(path)]) == 130
    assert f"What was recorded until then is in {path}." in capsys.readouterr().err
    assert path.exists()
