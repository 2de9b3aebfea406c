"""A trace survives a round trip through the file, also while it is being written."""

import contextlib
import math
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_reader, index_trace
from gradviz.model.console import ConsoleText
from gradviz.model.validation.trace_rules import validate
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace, save_copy
from gradviz.store.header import wal_path
from gradviz.store.output import finish_output
from gradviz.store.reader import TraceReader, open_trace
from gradviz.store.row_codec import row_text
from gradviz.store.writer import TraceWriter
from tests.builders import (
    LINEAR_TENSORS,
    ORIGIN,
    error_step,
    linear_trace,
    tensor,
    write_records,
    write_trace,
)


def test_hand_written_trace_is_valid() -> None:
    assert validate(linear_trace()) == []
    assert index_trace(linear_trace()).visits[1] == (5,)


def test_trace_comes_back_equal(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    with open_trace(path) as reader:
        assert reader.trace() == linear_trace()
        for record, value in LINEAR_TENSORS:
            assert reader.value(record.id) == value


def test_elements_of_many_tensors_are_read_at_once(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    with open_trace(path) as reader:
        found = dict(reader.blobs([2, 5, 6]))
        assert found == {record.id: value.data for record, value in LINEAR_TENSORS[1:6]}
        index = index_trace(reader.trace(), reader.value, reader.blobs)
        assert index.finite.look()
        assert index.finite.not_finite() == {}


@pytest.mark.parametrize("message", ["plain", "\u00e4", "a\n\u2028\x85\x1cb", "\ud800"])
@pytest.mark.parametrize("numbers", [(), (1e16, math.inf)])
def test_rows_written_together_have_the_texts_that_they_have_alone(
    message: str, numbers: tuple[float, ...], tmp_path: Path
) -> None:
    steps = [error_step(at, "E", text) for at, text in enumerate(("plain", message, "plain"), 1)]
    tensors = [tensor(at, number) for at, number in enumerate(numbers, 1)]
    with contextlib.closing(TraceWriter(tmp_path / "run.gradviz", ORIGIN)) as writer:
        for record, value in tensors:
            writer.put_tensor(record, value.data)
        for step in steps:
            writer.put(step)
        writer.flush()
        with contextlib.closing(sqlite3.connect(tmp_path / "run.gradviz")) as connection:
            texts = "SELECT json FROM tensor UNION ALL SELECT json FROM step"
            found = [text for (text,) in connection.execute(texts)]
    assert found == list(map(row_text, (*(record for record, _ in tensors), *steps)))


class EnoughError(Exception):
    """The reader has cancelled."""


def test_closing_waits_for_reads_in_other_threads(tmp_path: Path) -> None:
    large = tensor(9, np.ones((500, 400)))
    trace = linear_trace()
    trace = replace(trace, tensors=(*trace.tensors, large[0]))
    path = write_trace(tmp_path / "large.gradviz", trace, (*LINEAR_TENSORS, large))
    for _ in range(10):
        reader = open_trace(path, repair=True)
        reader.trace()
        damage: list[str] = []
        reader.on_damage = damage.append

        def read(reader: TraceReader = reader) -> None:
            while reader.value(9) is not None:
                pass

        threads = [Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        reader.value(9)
        reader.close()
        for thread in threads:
            thread.join()
        assert damage == []
    with pytest.raises(TraceError):
        list(reader.blobs((9,)))


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())

    def pause() -> None:
        raise EnoughError

    with open_trace(path) as reader:
        with pytest.raises(EnoughError):
            index_reader(reader, pause)
        assert reader.trace() == linear_trace()


def test_sealed_trace_is_one_file(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    finalize_trace(path)
    assert [each.name for each in tmp_path.iterdir()] == ["run.gradviz"]
    with open_trace(path) as reader:
        assert reader.trace() == linear_trace()


def test_reader_sees_what_was_flushed_while_writing(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    trace = linear_trace()
    writer = TraceWriter(path, ORIGIN)
    for record, value in LINEAR_TENSORS:
        writer.put_tensor(record, value.data)
    for known in (*trace.sources, *trace.calls, *trace.nodes[:2]):
        writer.put(known)
    writer.flush()
    writer.put(trace.edges[0])
    with open_trace(path, live=True) as reader:
        assert reader.trace().nodes == trace.nodes[:2]
        assert reader.trace().edges == ()
        assert reader.trace().outcome is None
        writer.flush()
        assert reader.trace().edges == trace.edges[:1]
    writer.close()


def test_own_records_are_read_as_those_that_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, linear_trace())
    writer.flush()
    with (
        open_trace(path, live=True) as checked,
        open_trace(path, live=True, own=True) as own,
    ):
        assert own.trace() == checked.trace() == linear_trace()
        found, expected = index_reader(own), index_reader(checked)
        assert found.visits == expected.visits
        assert found.passes == expected.passes
        for name in ("kinds", "passes", "nodes", "calls", "lines"):
            assert np.array_equal(getattr(found.steps, name), getattr(expected.steps, name))
        assert np.array_equal(found.tensors.storages, expected.tensors.storages)
    writer.close()


def test_own_records_are_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    trace = linear_trace()
    write_records(writer, replace(trace, nodes=trace.nodes[:1]))
    writer.flush()
    with open_trace(path, live=True) as reader, pytest.raises(TraceError):
        reader.trace()
    with open_trace(path, live=True, own=True) as reader:
        assert reader.trace().nodes == trace.nodes[:1]
    writer.close()


def leave_a_log(path: Path) -> None:
    """A dead writer's leftover log beside a removed file."""
    writer = TraceWriter(path, ORIGIN)
    writer.put_tensor(LINEAR_TENSORS[0][0], LINEAR_TENSORS[0][1].data)
    writer.flush()
    log = wal_path(path)
    data = log.read_bytes()
    writer.close()
    path.unlink()
    log.write_bytes(data)


def test_log_of_a_removed_trace_does_not_enter_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    leave_a_log(path)
    TraceWriter(path, ORIGIN).close()
    with open_trace(path) as reader:
        assert reader.trace().tensors == ()


def test_log_of_a_removed_trace_does_not_enter_a_copy(tmp_path: Path) -> None:
    source = tmp_path / "empty.gradviz"
    TraceWriter(source, ORIGIN).close()
    leave_a_log(tmp_path / "copy.gradviz")
    save_copy(source, tmp_path / "copy.gradviz")
    with open_trace(tmp_path / "copy.gradviz") as reader:
        assert reader.trace().tensors == ()


def test_copy_of_an_open_trace_is_whole(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    writer = TraceWriter(path, ORIGIN, append=True)
    assert writer.highest("step") == 8
    with open_trace(path, live=True):
        save_copy(path, tmp_path / "copy.gradviz")
    writer.close()
    with open_trace(tmp_path / "copy.gradviz") as reader:
        assert reader.trace() == linear_trace()
    assert not (tmp_path / "copy.gradviz-wal").exists()


def test_trace_that_is_open_elsewhere_is_finished(tmp_path: Path) -> None:
    # As when a window follows a recording: the recording process must not fail because of it.
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    with open_trace(path, live=True) as reader:
        reader.trace()
        write_records(writer, linear_trace())
        writer.close()
        assert finish_output(path, path)
        assert reader.trace().steps
    copied = tmp_path / "copied.gradviz"
    copied.write_bytes(path.read_bytes())
    with open_trace(copied) as reader:
        assert reader.trace() == linear_trace()


def test_growing_trace_is_read_without_a_write_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other programs may have copies in the system's folder.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    write_records(writer, linear_trace())
    writer.flush()
    # As another machine sees a shared folder: SQLite's memory of the log is of no use there.
    shared = tmp_path / "shared"
    shared.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(tmp_path / f"run.gradviz{ending}", shared)
    before = {each.name: each.stat().st_mtime_ns for each in shared.iterdir()}
    with open_trace(shared / "run.gradviz") as reader:
        assert reader.path == shared / "run.gradviz"
        assert reader.trace() == linear_trace()
        assert {each.name: each.stat().st_mtime_ns for each in shared.iterdir()} == before
    assert not list(tmp_path.glob("gradviz-window-trace-*"))
    writer.close()


def test_log_that_starts_again_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, linear_trace())
    writer.flush()
    copy, copied = shutil.copyfile, []

    def copy_slowly(source: Path, target: Path) -> None:
        copy(source, target)
        copied.append(source)
        if copied == [path] or always:
            with contextlib.closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA wal_checkpoint(restart)")
            number = 10 + len(copied)
            writer.put(ConsoleText(id=number, step=8, stream="stdout", activity="run", text="on"))
            writer.flush()

    monkeypatch.setattr(shutil, "copyfile", copy_slowly)
    # As if another process wrote it.
    monkeypatch.setattr("gradviz.store.reader.is_written_here", lambda _: False)
    always = False
    with open_trace(path) as reader:
        assert len(reader.trace().steps) == 8
        assert reader.trace().console[-1].text == "on"
    assert copied == [path, wal_path(path)] * 2
    always = True
    with pytest.raises(TraceError, match="it changes faster than it can be read"):
        open_trace(path)
    writer.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="closes all files of a fork")
def test_code_that_closes_the_file_is_named_and_its_other_files_stay_as_they_are(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "run.gradviz", tmp_path / "other.txt"
    child = os.fork()
    if child == 0:
        problems = []
        try:
            writer = TraceWriter(path, ORIGIN)
            os.closerange(3, 256)
            # They get the numbers of the files that were closed.
            files = [other.open("a") for _ in range(6)]
            for write in (lambda: write_records(writer, linear_trace()), writer.close):
                try:
                    write()
                except TraceError as error:
                    problems.append(str(error))
            writer.close()
            for file in files:
                file.close()
        finally:
            words = f"{path} cannot be written: the code closed its file descriptor."
            os._exit(problems != [words, words])
    assert os.waitpid(child, 0)[1] == 0
    assert other.read_text() == ""
    with open_trace(path) as reader:
        assert reader.trace().steps == ()
