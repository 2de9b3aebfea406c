"""Only one process writes a trace; a killed one leaves nothing that is in the way."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gradviz.model.settings.rank import Rank
from gradviz.store import output_lock
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.store.header import aside_path, new_path
from gradviz.store.output import choose_output, discard_output, finish_output
from gradviz.store.replacement import replacing
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN, linear_trace, write_trace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


@contextmanager
def forked(work: Callable[[], object]) -> Iterator[int]:
    """Run a function in a fork, which is killed afterwards if it has not been yet."""
    done, tell = os.pipe()
    child = os.fork()
    if child == 0:
        work()
        os.write(tell, b".")
        time.sleep(60)
        os._exit(0)
    try:
        os.read(done, 1)
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(done)
        os.close(tell)


def test_a_second_recording_is_told_which_process_writes(tmp_path: Path) -> None:
    path, copied = tmp_path / "run.gradviz", tmp_path / "copied.gradviz"
    write_trace(copied, linear_trace())
    with forked(lambda: choose_output(path, "run")) as process:
        words = (
            f"{path} is being written by process {process}."
            " Wait until it ends, or choose another file."
        )
        for write in (lambda: choose_output(path, "run"), lambda: save_copy(copied, path)):
            with pytest.raises(TraceError) as caught:
                write()
            assert str(caught.value) == words
        assert not path.exists()
        # Another name, another trace.
        discard_output(*reversed(choose_output(tmp_path / "run-2.gradviz", "run")))
    assert choose_output(path, "run") == (path, path)
    discard_output(path, path)


def test_a_second_recording_of_the_same_process_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    choose_output(path, "run")
    with pytest.raises(TraceError, match=f"is being written by process {os.getpid()}"):
        choose_output(tmp_path / "." / "run.gradviz", "run")
    discard_output(path, path)
    choose_output(path, "run")
    discard_output(path, path)
    assert list(tmp_path.iterdir()) == []


def test_a_fork_that_outlives_a_killed_recording_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    told, tell = os.pipe()

    def record() -> None:
        choose_output(path, "run")
        fork = os.fork()
        if fork == 0:
            os.write(tell, str(os.getpid()).encode())
            time.sleep(60)
            os._exit(0)

    with forked(record):
        orphan = int(os.read(told, 20))
    try:
        choose_output(path, "run")
        discard_output(path, path)
    finally:
        os.kill(orphan, signal.SIGKILL)
        os.close(told)
        os.close(tell)


def test_the_next_recording_removes_what_killed_ones_left(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    write_trace(path, linear_trace())
    names = (
        *("run.gradviz.2024.new", "run.gradviz.7.part", "run.gradviz.failed", "run.gradviz-old"),
        *("run.gradviz.1.gradviz-part.txt", "run.gradviz.gradviz-part", "x.1.gradviz-part"),
    )
    kept = [tmp_path / name for name in names]
    for each in kept:
        each.touch()

    def record() -> None:
        _, aside = choose_output(path, "run")
        TraceWriter(aside, ORIGIN).put_outcome(linear_trace().outcome)  # type: ignore[arg-type]
        aside.with_name(f"{aside.name}.12.gradviz-new").touch()
        path.with_name(f"{path.name}.12.gradviz-new-journal").touch()
        path.with_name(f"{path.name}.gradviz-failed").touch()

    with forked(record) as process:
        pass
    left = {each.name for each in tmp_path.iterdir()} - {each.name for each in kept}
    aside = f"run.gradviz.{process}.gradviz-part"
    assert {"run.gradviz-lock", aside, f"{aside}-wal", f"{aside}.12.gradviz-new"} < left
    _, written = choose_output(path, "run")
    TraceWriter(written, ORIGIN).close()
    assert finish_output(written, path)
    assert set(tmp_path.iterdir()) == {path, *kept}


def test_a_refused_output_is_not_locked(tmp_path: Path) -> None:
    path = tmp_path / "notes.gradviz"
    path.write_text("notes")
    for _ in range(2):
        with pytest.raises(TraceError, match=r"notes\.gradviz is not a gradviz trace"):
            choose_output(path, "run")
    pipe = tmp_path / "pipe.gradviz"
    os.mkfifo(pipe)
    whole = write_trace(tmp_path / "whole.gradviz", linear_trace())
    for refused in (lambda: choose_output(pipe, "run"), lambda: save_copy(whole, pipe)):
        with pytest.raises(TraceError) as caught:
            refused()
        words = f"{pipe} cannot be written: it is a pipe or device, not a regular file."
        assert str(caught.value) == words
    for place, reason in (
        (tmp_path / "none" / "x.gradviz", "No such file or directory"),
        (tmp_path / f"{'x' * 308}.gradviz", "File name too long"),
        (tmp_path, "Is a directory"),
    ):
        for refused in (
            lambda place=place: choose_output(place, "run"),
            lambda place=place: save_copy(whole, place),
        ):
            with pytest.raises(TraceError) as caught:
                refused()
            assert str(caught.value) == f"{place} cannot be written: {reason}."
    assert pipe.is_fifo()
    whole.unlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["notes.gradviz", "pipe.gradviz"]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_lock, "_try_lock", lambda descriptor: None)
    path = tmp_path / "run.gradviz"
    for _ in range(2):
        assert choose_output(path, "run") == (path, path)
    finish_output(path, path)


def test_ranks_do_not_lock_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = [choose_output(None, "run", Rank(number=each, count=2)) for each in range(2)]
    for path, aside in chosen:
        discard_output(aside, path)
    assert list(tmp_path.iterdir()) == []


def plant_link(lock: Path, victim: Path) -> None:
    lock.symlink_to(victim)


def plant_dangling_link(lock: Path, victim: Path) -> None:
    lock.symlink_to(victim.with_name("elsewhere"))


def plant_second_name(lock: Path, victim: Path) -> None:
    victim.write_text("4711")
    lock.hardlink_to(victim)


def plant_own_file(lock: Path, victim: Path) -> None:
    lock.write_text("my notes")


def plant_pipe(lock: Path, victim: Path) -> None:
    os.mkfifo(lock)


@pytest.mark.parametrize(
    "plant", [plant_link, plant_dangling_link, plant_second_name, plant_own_file, plant_pipe]
)
def test_a_lock_overwrites_no_file_of_the_user(
    plant: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    path, copied = tmp_path / "run.gradviz", tmp_path / "copied.gradviz"
    write_trace(copied, linear_trace())
    (victim := tmp_path / "victim").write_text("precious")
    plant(tmp_path / "run.gradviz-lock", victim)

    def content() -> dict[str, bytes]:
        return {each.name: each.read_bytes() for each in tmp_path.iterdir() if each.is_file()}

    before, names = content(), set(tmp_path.iterdir())
    for write in (lambda: choose_output(path, "run"), lambda: save_copy(copied, path)):
        with pytest.raises(TraceError, match="gradviz-lock beside it is a link or a file"):
            write()
    assert (content(), set(tmp_path.iterdir())) == (before, names)


def test_no_new_file_is_written_through_a_link(tmp_path: Path) -> None:
    (victim := tmp_path / "victim").write_text("precious")
    path = tmp_path / "picture.svg"
    for name in range(1, 2_000):
        path.with_name(f"picture.svg.{os.getpid()}-{name}.new").symlink_to(victim)
    with replacing(path) as aside:
        aside.write_text("<svg/>")
    assert (path.read_text(), victim.read_text()) == ("<svg/>", "precious")
    copied = write_trace(tmp_path / "copied.gradviz", linear_trace())
    saved = tmp_path / "run.gradviz"
    for plan in (aside_path(saved), new_path(saved)):
        plan.symlink_to(victim)
    save_copy(copied, saved)
    TraceWriter(tmp_path / "new.gradviz", ORIGIN).close()
    assert victim.read_text() == "precious"
