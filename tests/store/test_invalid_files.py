"""Files that are not traces, are damaged, or are malicious."""

import contextlib
import shutil
from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.steps.text import steps_text
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.header import read_header, wal_path
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN, linear_trace, write_trace
from tests.fuzz.case import FuzzCase
from tests.store.test_repair import change


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    finalize_trace(path)
    return path


def reads(path: Path) -> None:
    with open_trace(path) as reader:
        for record in reader.trace().tensors:
            reader.value(record.id)


def test_whole_file_reads(path: Path) -> None:
    reads(path)


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("PRAGMA user_version = 99", "a newer version of gradviz"),
        ("PRAGMA user_version = 0", "no format version"),
        ("PRAGMA application_id = 7", "not a gradviz trace"),
        ("CREATE VIEW evil AS SELECT * FROM node", "does not have the tables"),
        ("CREATE TRIGGER evil AFTER INSERT ON node BEGIN DELETE FROM step; END", "the tables"),
        ("DROP TABLE finding", "does not have the tables"),
        ("DELETE FROM meta", "damaged: it does not say which program was recorded[.]$"),
        ("UPDATE node SET json = '[]' WHERE id = 1", "is damaged: Node: Expected `array`"),
        ("UPDATE node SET json = '{' WHERE id = 1", "damaged"),
        (
            "UPDATE step SET json = replace(json, 'NodeStep', 'Popen')",
            "Invalid value 'Popen'",
        ),
        ("DELETE FROM node WHERE id = 1", "not a valid trace"),
        ("UPDATE tensor SET data = x'00' WHERE id = 1", "the elements of tensor . are incomplete"),
        ("UPDATE tensor SET data = NULL WHERE id = 1", "the elements of tensor . are incomplete"),
        ("UPDATE tensor SET data = 'text' WHERE id = 5", "the elements of tensor . are incomplete"),
        ("UPDATE node SET json = x'ff00' WHERE id = 1", "damaged"),
    ],
)
def test_tampering_is_one_sentence(path: Path, statement: str, part: str) -> None:
    change(path, statement)
    with pytest.raises(TraceError, match=part):
        reads(path)


def test_deeply_nested_json_is_refused(path: Path) -> None:
    change(path, f"UPDATE node SET json = '{'[' * 100_000}' WHERE id = 1")
    with pytest.raises(TraceError, match="damaged"):
        reads(path)


def test_beginning_of_a_trace_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    FuzzCase(trace="lines", changes=(("cut", 5_000),)).write(path)
    with (
        open_trace(path, repair=True) as reader,
        pytest.raises(TraceError, match=r"it does not say which program was recorded\.$"),
    ):
        reader.trace()


def test_truncated_at_every_length(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    short = tmp_path / "short.gradviz"
    for length in range(0, len(data), 997):
        short.write_bytes(data[:length])
        with pytest.raises(TraceError):
            reads(short)


def test_file_that_grows_from_its_log_is_not_called_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(TraceError, match="its end is missing"):
        read_header(path)
    wal_path(path).write_bytes(b"some log")
    assert read_header(path).has_log


def test_random_bytes_never_raise_anything_else(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    bad = tmp_path / "bad.gradviz"
    for position in range(100, len(data), 389):
        changed = bytearray(data)
        changed[position : position + 8] = b"\xff\x00\xfe\x01\x80\x7f\xff\xff"
        bad.write_bytes(changed)
        # Some changes hit unused bytes and do no harm; any other exception fails the test.
        with contextlib.suppress(TraceError):
            reads(bad)


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\x00", b"x" * 5000])
def test_other_files(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other.gradviz"
    other.write_bytes(content)
    with pytest.raises(TraceError, match="not a gradviz trace"):
        open_trace(other)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for missing in (tmp_path / "none.gradviz", tmp_path):
        with pytest.raises(TraceError, match="cannot be read"):
            open_trace(missing)


def test_file_that_is_removed_while_it_is_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_open = Path.open

    def open_and_remove(self: Path, mode: str) -> object:
        file = plain_open(self, mode)
        self.unlink()
        return file

    monkeypatch.setattr(Path, "open", open_and_remove)
    with pytest.raises(TraceError, match=r"run\.gradviz"):
        open_trace(path)


def test_existing_file_is_not_overwritten(path: Path) -> None:
    with pytest.raises(TraceError, match="already exists"):
        TraceWriter(path, ORIGIN)
    reads(path)


def test_copy_without_its_log_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    writer.put(linear_trace().nodes[1])
    writer.flush()
    copy = tmp_path / "copy.gradviz"
    shutil.copy(path, copy)
    writer.close()
    with open_trace(copy) as reader:
        (_, line) = steps_text(index_trace(reader.trace(), reader.value))
    assert "copied without its -wal file" in line


def test_reading_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    reads(path)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["run.gradviz"]


def test_name_with_special_characters(path: Path) -> None:
    odd = path.with_name("a?b#c%20 <img>.gradviz")
    path.rename(odd)
    reads(odd)
