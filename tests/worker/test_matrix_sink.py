"""Partial matrices are stored from time to time, at a small share of the time."""

from pathlib import Path

import numpy as np
import pytest

from gradviz.model.tensor import TensorValue
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.worker import matrix_sink as module
from gradviz.worker.matrix_sink import FIRST_AFTER_S, TraceMatrixSink
from tests.builders import ORIGIN


class Clock:
    """A clock that advances on request."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def value(rows: int) -> TensorValue:
    return TensorValue(dtype="float64", shape=(rows, 2), data=np.ones((rows, 2)).tobytes())


def test_a_short_check_keeps_nothing_unfinished(tmp_path: Path, clock: Clock) -> None:
    writer = TraceWriter(tmp_path / "check.gradviz", ORIGIN)
    kept = TraceMatrixSink(writer)
    clock.now += FIRST_AFTER_S * 0.99
    assert not kept.is_due()
    clock.now += FIRST_AFTER_S * 0.02
    assert kept.is_due()
    writer.close()


@pytest.mark.parametrize("cost", [0.001, 0.1, 2.0])
def test_keeping_takes_a_small_part_of_the_time(tmp_path: Path, clock: Clock, cost: float) -> None:
    writer = TraceWriter(tmp_path / "check.gradviz", ORIGIN)
    kept, spent, count = TraceMatrixSink(writer), 0.0, 0
    begun = clock.now
    while clock.now - begun < 400:
        if kept.is_due():
            clock.now += cost
            spent, count = spent + cost, count + 1
            kept.kept()
        clock.now += 0.01
    assert spent / (clock.now - begun) < 0.06
    assert count / 400 < 3
    assert count > 5
    writer.close()


def test_a_whole_matrix_takes_the_place_of_what_there_was_of_it(tmp_path: Path) -> None:
    path = tmp_path / "check.gradviz"
    writer = TraceWriter(path, ORIGIN)
    kept = TraceMatrixSink(writer)
    one, two = kept.keep(value(1), None), kept.keep(value(0), None)
    assert kept.keep(value(2), one) == one
    kept.release(one)
    kept.release(two)
    assert [kept.store(value(5)), kept.store(value(6)), kept.store(value(7))] == [one, two, 3]
    writer.close()
    with open_trace(path) as reader:
        shapes = [record.shape for record in reader.trace().tensors]
    assert shapes == [(5, 2), (6, 2), (7, 2)]
