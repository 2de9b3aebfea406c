from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from gradviz.model.gc_pause import moved_to_oldest_generation


class Cycle:
    """Refers to itself, so that only the garbage collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collector_of_a_program() -> Iterator[None]:
    """Tests run with a disabled collector and frozen objects."""
    gc.unfreeze()
    gc.enable()
    yield
    gc.disable()
    gc.freeze()


def is_oldest(value: object) -> bool:
    return any(each is value for each in gc.get_objects(generation=2))


def test_what_is_created_moves_to_the_oldest_generation() -> None:
    with moved_to_oldest_generation():
        created = Cycle()
        assert not gc.isenabled()
        assert not is_oldest(created)
    assert gc.isenabled()
    assert is_oldest(created)
    assert gc.get_freeze_count() == 0


def test_the_next_full_collection_comes_later() -> None:
    gc.collect(1)
    assert gc.get_count()[2] > 0
    with moved_to_oldest_generation():
        pass
    assert gc.get_count()[2] == 0


def test_young_garbage_is_collected_first() -> None:
    garbage = weakref.ref(Cycle())
    with moved_to_oldest_generation():
        assert garbage() is None


def test_frozen_objects_stay_frozen() -> None:
    frozen = Cycle()
    gc.freeze()
    with moved_to_oldest_generation():
        pass
    # Not by their number: a frozen object can die at any time, without the collector.
    assert not any(each is frozen for each in gc.get_objects())


def test_a_disabled_collector_is_left_alone() -> None:
    gc.disable()
    garbage = weakref.ref(Cycle())
    with moved_to_oldest_generation():
        created = Cycle()
    assert not gc.isenabled()
    assert garbage() is not None
    assert not is_oldest(created)
