"""Garbage collection and switch interval are adapted to the window and restored."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer import gc_policy
from gradviz.viewer.gc_policy import GcPolicy


class Knot:
    """Refers to itself, so that only the garbage collector can free it."""

    def __init__(self) -> None:
        self.itself = self


class Witness(Knot):
    """Records the thread in which it was freed."""

    ended_in: list[threading.Thread]

    def __del__(self) -> None:
        self.ended_in.append(threading.current_thread())


@pytest.fixture
def smooth(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[GcPolicy]:
    # Other tests of the viewer do without freezing.
    monkeypatch.setattr(gc_policy, "gc", gc)
    monkeypatch.setattr(gc_policy, "_FIRST_MS", 10)
    Witness.ended_in = []
    before = gc.isenabled(), sys.getswitchinterval()
    made = GcPolicy()
    yield made
    made.release()
    assert (gc.isenabled(), sys.getswitchinterval()) == before
    assert gc.get_freeze_count() == 0
    gc.freeze()


def test_the_collector_runs_in_pauses_only(smooth: GcPolicy, qtbot: QtBot) -> None:
    knot = weakref.ref(Knot())
    made = [[each] for each in range(5_000)]
    assert not gc.isenabled()
    assert knot() is not None
    qtbot.waitUntil(lambda: knot() is None)
    assert len(made) == 5_000


def test_garbage_of_a_thread_ends_in_the_window_s(smooth: GcPolicy, qtbot: QtBot) -> None:
    made: list[list[int]] = []

    def work() -> None:
        Witness()
        # Python would have collected several times by now, here.
        made.extend([each] for each in range(5_000))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert Witness.ended_in == []
    qtbot.waitUntil(lambda: bool(Witness.ended_in))
    assert Witness.ended_in == [threading.main_thread()]


def test_very_many_values_are_left_out(smooth: GcPolicy, qtbot: QtBot) -> None:
    before = gc.get_freeze_count()
    made = [[each] for each in range(100_000)]
    # Counting what is frozen walks all that earlier tests keep.
    qtbot.waitUntil(lambda: gc.get_count()[0] < len(made) // 2)
    assert gc.get_freeze_count() >= before + len(made)
    alive = [weakref.ref(Knot()) for _ in range(3)]
    gc.collect()
    assert [each() for each in alive] == [None] * 3


def test_other_threads_take_short_turns(smooth: GcPolicy) -> None:
    assert sys.getswitchinterval() == pytest.approx(0.0005)


@pytest.mark.sweep
def test_frozen_cycles_are_collected_when_the_window_is_idle(
    smooth: GcPolicy, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_policy, "_EVERY_MS", 10)
    monkeypatch.setattr(gc_policy, "_IDLE_TURNS", 5)
    # Other tests of this process leave many objects.
    monkeypatch.setattr(gc_policy, "_MOST_THAWED", 10**9)
    made, knot = [[each] for each in range(100_000)], weakref.ref(Knot())
    qtbot.waitUntil(lambda: gc.get_count()[0] < len(made) // 2)
    gc.collect()
    assert knot() is not None
    qtbot.waitUntil(lambda: knot() is None)
    # What is frozen is not listed. Its number may have fallen: other tests leave garbage, too.
    assert not any(each is made for each in gc.get_objects())


def test_an_idle_window_does_not_count_objects(
    smooth: GcPolicy, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc_policy, "_EVERY_MS", 1)
    monkeypatch.setattr(gc_policy, "_IDLE_TURNS", 5)
    counted = []
    quiet = SimpleNamespace(**vars(gc))
    quiet.get_freeze_count = lambda: counted.append(gc.get_freeze_count()) or counted[-1]
    monkeypatch.setattr(gc_policy, "gc", quiet)
    qtbot.wait(100)
    assert counted == []
