"""Partial matrices of a check can be read while it runs."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN, linear_trace, tensor, write_trace
from tests.export.check_reports import BLOCK
from tests.export.check_reports import REPORT as CHECKED

UNFINISHED = replace(BLOCK, output_shape=(4,), input=0, input_shape=(3,), wrong=0, worst=None)
REPORT = replace(CHECKED, blocks=(), verdict="incomplete", unfinished=(UNFINISHED,))


def put(writer: TraceWriter, rows: int, columns: int) -> None:
    for number, shape in ((1, (rows, 4)), (2, (3, columns))):
        record, value = tensor(number, np.full(shape, float(rows)))
        writer.put_tensor(record, value.data)
    writer.put(REPORT)
    writer.flush()


def test_each_look_finds_what_there_is_by_then(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    writer = TraceWriter(path, ORIGIN)
    with open_trace(path, live=True) as reader:
        assert reader.last_report() is None
        for rows, columns in ((0, 1), (0, 4), (2, 4)):
            put(writer, rows, columns)
            found = reader.last_report()
            assert found is not None
            report, values = found
            assert report == REPORT
            assert (values[1].shape, values[2].shape) == ((rows, 4), (3, columns))
            assert (values[2].array() == rows).all()
    writer.close()
    with open_trace(path) as reader:
        assert reader.trace().reports == (REPORT,)


def test_a_finished_report_has_nothing_that_grows(tmp_path: Path) -> None:
    trace = replace(linear_trace(), reports=(replace(REPORT, unfinished=(), verdict="match"),))
    with open_trace(write_trace(tmp_path / "run.gradviz", trace)) as reader:
        found = reader.last_report()
    assert found is not None
    assert found[1] == {}


def test_a_matrix_that_is_not_there_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    writer = TraceWriter(path, ORIGIN)
    writer.put(REPORT)
    writer.close()
    with open_trace(path) as reader, pytest.raises(TraceError, match="does not exist"):
        reader.last_report()
    with open_trace(path) as reader, pytest.raises(TraceError, match="without its matrices"):
        reader.trace()


def test_a_matrix_of_an_unknown_dtype_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    writer = TraceWriter(path, ORIGIN)
    put(writer, 2, 4)
    writer.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE tensor SET json = json_set(json, '$[1]', 'quint8')")
    connection.close()
    with open_trace(path) as reader, pytest.raises(TraceError, match="quint8"):
        reader.last_report()
