"""What the command line says when the system or the user stops a command."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.cli.errors import system_error_sentence
from gradviz.cli.main import main
from gradviz.host import pool
from gradviz.host.interruption import ENDING_SIGNALS, DeferredSignals, Interruption
from gradviz.host.process import Process
from gradviz.model.trace import Outcome
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace
from tests.builders import linear_trace, write_trace


@pytest.mark.parametrize("verb", [("record", "linear", "-o"), ("check",), ()])
def test_a_name_that_is_too_long_is_no_bug(
    verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a" * 308
    assert main([*verb, f"{name}.py"]) == 2
    said = capsys.readouterr().err
    assert re.search(rf"{name}\.py cannot be (used|written): File name too long\.", said)
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


def test_a_signal_ends_a_command_and_removes_its_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    swallows = False

    def stopped(request: RunRequest, **_options: Any) -> None:
        write_trace(Path(request.trace), replace(linear_trace(), outcome=None))
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            if swallows:
                # As PySide does while it is imported.
                raise AttributeError from None
            raise

    monkeypatch.setattr(pool, "run_blocking", stopped)
    handlers = [signal.getsignal(each) for each in ENDING_SIGNALS]
    for number in ENDING_SIGNALS:
        for is_caught in (False, True):
            swallows = is_caught
            assert main(["steps", "linear"]) == 128 + number
            assert capsys.readouterr().err == "gradviz: stopped.\n"
            assert list(tmp_path.iterdir()) == []
    assert [signal.getsignal(each) for each in ENDING_SIGNALS] == handlers
    swallows = False
    path = tmp_path / "run.gradviz"
    assert main(["record", "linear", "-o", str(path)]) == 128 + number
    assert f"What was recorded until then is in {path}." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]
    with open_trace(path) as reader:
        assert reader.trace().outcome == Outcome(kind="stopped", message="Canceled.", duration_ns=0)


def test_signals_wait_until_they_can_be_handled() -> None:
    with Interruption(), DeferredSignals() as deferred:
        deferred.handle()
        for number in ENDING_SIGNALS:
            signal.raise_signal(number)
            with pytest.raises(KeyboardInterrupt):
                deferred.handle()
    deferred = DeferredSignals()
    with Interruption() as interruption:
        deferred.__enter__()
        signal.raise_signal(signal.SIGTERM)
        assert not interruption.has_come
        with pytest.raises(KeyboardInterrupt):
            deferred.__exit__()
    assert interruption.exit_code == 128 + signal.SIGTERM


def test_a_second_signal_after_a_deferred_one_ends_the_process_at_once() -> None:
    with Interruption():
        with DeferredSignals() as deferred:
            signal.raise_signal(signal.SIGTERM)
            with pytest.raises(KeyboardInterrupt):
                deferred.handle()
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_signal_during_an_import_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped() -> None:
        # As numpy does after the interruption of its first import.
        monkeypatch.setitem(sys.modules, "gradviz.store.text_limit", None)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("gradviz.cli.main.make_parser", stopped)
    assert main([]) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "gradviz: stopped.\n"


def test_no_empty_folder_stays_where_there_is_no_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gradviz.viewer import screenshot

    def write_tour(folder: Path, paths: object) -> Iterator[Path]:
        for name in written:
            (folder / name).touch()
            yield folder / name
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("gradviz.cli.window.check_window", lambda: False)
    monkeypatch.setattr(screenshot, "write_tour", write_tour)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for written in ([], ["a.png"]):
        assert main([]) == 128 + signal.SIGTERM
        assert [each.name for each in tmp_path.glob("*/*")] == written
        assert len(list(tmp_path.iterdir())) == len(written)


def test_a_removed_working_directory_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "removed"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert main(["record", "linear"]) == 2
    words = "gradviz: The working directory no longer exists. Change to another folder.\n"
    assert capsys.readouterr().err == words
    # A window that was started there still runs code.
    process = Process((sys.executable, "-c", "import os; os.getcwd(); os._exit(3)"))
    while not process.has_ended():
        time.sleep(0.01)
    assert process.kill() == 3
    process.close()
