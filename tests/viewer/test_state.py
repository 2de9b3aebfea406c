from pathlib import Path

import pytest

from gradviz.store.reader import open_trace
from gradviz.viewer.state import ViewerState, _ValueCache
from gradviz.viewer.theme import DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace, write_trace

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def state(tmp_path: Path):
    state = ViewerState(LIGHT)
    with open_trace(write_trace(tmp_path / "t.gradviz", linear_trace())) as reader:
        state.show(reader)
        yield state
        state.show(None)


def test_a_new_trace_begins_at_its_first_step(state: ViewerState) -> None:
    assert (state.number, state.count, state.selection) == (1, 8, None)


def test_steps_stay_within_the_run(state: ViewerState) -> None:
    seen: list[int] = []
    state.step_changed.connect(seen.append)
    state.previous_step()
    state.next_step()
    state.go_to(99)
    state.next_step()
    state.first_step()
    state.last_step()
    assert seen == [2, 8, 1, 8]


def test_hits_are_nodes_of_the_trace_and_go_with_it(state: ViewerState) -> None:
    seen: list[frozenset[int]] = []
    state.hits_changed.connect(seen.append)
    state.show_hits(frozenset({1, 2, 99}))
    state.show_hits(frozenset({2, 1}))
    assert state.hits == {1, 2}
    state.show(None)
    assert seen == [{1, 2}, frozenset()]


def test_only_nodes_of_the_trace_can_be_selected(state: ViewerState) -> None:
    seen: list[object] = []
    state.selection_changed.connect(seen.append)
    state.select(2)
    state.select(2)
    state.select(99)
    assert seen == [2, None]


def test_values_are_those_of_the_file(state: ViewerState) -> None:
    for record, value in LINEAR_TENSORS:
        assert state.value(record.id) == value
        assert state.value(record.id) is state.value(record.id)


def test_listeners_find_everything_new_at_the_first_signal(
    state: ViewerState, tmp_path: Path
) -> None:
    state.go_to(5)
    state.select(1)
    seen: list[tuple[object, ...]] = []
    state.trace_changed.connect(lambda i: seen.append((i, state.number, state.selection)))
    state.show(None)
    assert seen == [(None, 0, None)]
    assert state.value(1) is None


def test_the_same_theme_is_no_change(state: ViewerState) -> None:
    seen: list[object] = []
    state.theme_changed.connect(seen.append)
    state.set_theme(LIGHT)
    state.set_theme(DARK)
    assert seen == [DARK]


def test_the_cache_is_bounded() -> None:
    cache = _ValueCache(100)
    values = [value for _, value in LINEAR_TENSORS if len(value.data) == 48]
    for number, value in enumerate(values):
        cache.put(number, value)
    assert cache.get(len(values) - 1) == (True, values[-1])
    assert cache.get(0) == (False, None)
