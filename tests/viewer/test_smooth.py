"""The interpreter is fitted to the window, and put back."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.smooth import Smooth


class Knot:
    """Refers to itself, so that only the collector can end it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def smooth(qtbot: QtBot) -> Iterator[Smooth]:
    before = gc.isenabled(), sys.getswitchinterval(), gc.get_freeze_count()
    made = Smooth()
    yield made
    made.release()
    assert (gc.isenabled(), sys.getswitchinterval(), gc.get_freeze_count()) == before


def test_the_collector_runs_in_pauses_only(smooth: Smooth, qtbot: QtBot) -> None:
    knot = weakref.ref(Knot())
    made = [[each] for each in range(5_000)]
    assert not gc.isenabled()
    assert knot() is not None
    qtbot.waitUntil(lambda: knot() is None)
    assert len(made) == 5_000


def test_very_many_values_are_left_out(smooth: Smooth, qtbot: QtBot) -> None:
    before = gc.get_freeze_count()
    made = [[each] for each in range(50_000)]
    qtbot.waitUntil(lambda: gc.get_freeze_count() >= before + len(made))
    alive = [weakref.ref(Knot()) for _ in range(3)]
    gc.collect()
    assert [each() for each in alive] == [None] * 3


def test_other_threads_take_short_turns(smooth: Smooth) -> None:
    assert sys.getswitchinterval() == pytest.approx(0.001)
