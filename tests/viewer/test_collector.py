"""The garbage collector works in the window's thread, and lets large things be."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.collector import Collector


class Knot:
    """Garbage that only the collector finds."""

    ended_in: list[threading.Thread]

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.ended_in.append(threading.current_thread())


@pytest.fixture
def collector(qtbot: QtBot) -> Iterator[Collector]:
    Knot.ended_in = []
    collector = Collector()
    yield collector
    collector.stop()
    gc.collect()


def test_garbage_ends_in_the_window_s_thread(qtbot: QtBot, collector: Collector) -> None:
    def work() -> None:
        Knot()
        keep = [[] for _ in range(5_000)]
        # Python would have collected several times by now, here.
        assert len(keep) == 5_000

    keep = [[] for _ in range(5_000)]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert Knot.ended_in == []
    qtbot.waitUntil(lambda: bool(Knot.ended_in), timeout=5000)
    assert Knot.ended_in == [threading.main_thread()]
    assert len(keep) == 5_000


def test_what_is_large_is_not_looked_through(qtbot: QtBot, collector: Collector) -> None:
    before = gc.get_freeze_count()
    keep = [[] for _ in range(100_000)]
    qtbot.waitUntil(lambda: gc.get_freeze_count() > before + 90_000, timeout=5000)
    assert len(keep) == 100_000


def test_in_the_end_it_is_as_it_was(qtbot: QtBot) -> None:
    assert gc.isenabled()
    collector = Collector()
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
