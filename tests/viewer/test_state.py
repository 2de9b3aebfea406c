import weakref
from pathlib import Path

import pytest
from msgspec import structs

from gradviz.analysis.position.executed_lines import executed_lines_of
from gradviz.analysis.position.stage_order import stage_order
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.grouping.groups import FoldState
from gradviz.store.reader import open_trace
from gradviz.text.sentences.stage_facts import stage_facts
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.trace_values import TraceValues
from tests.builders import LINEAR_TENSORS, linear_trace, write_trace
from tests.viewer.inside_traces import BACKWARD, deep_reader
from tests.viewer.traces import MemoryReader, linear_reader

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
    read: list[int] = []
    reader = linear_reader()
    reader.value = lambda number: read.append(number) or linear_reader().value(number)
    values = TraceValues(reader, 100)
    numbers = [record.id for record, value in LINEAR_TENSORS if len(value.data) == 48]
    assert len(numbers) > 3
    for number in (*numbers, numbers[-1]):
        assert values.get(number) == linear_reader().value(number)
    assert read == numbers
    values.get(numbers[0])
    assert read == [*numbers, numbers[0]]


def facts(state: ViewerState) -> tuple[int, bool, int]:
    return state.number, state.revealed.hides_answer, state.revealed.until


def test_nothing_is_hidden_outside_of_quiz_mode(state: ViewerState) -> None:
    state.go_to(5)
    assert facts(state) == (5, False, 8)
    assert not state.quiz_mode
    assert state.value(8) is not None


def test_the_next_click_reveals_instead_of_stepping(state: ViewerState) -> None:
    state.go_to(3)
    state.set_quiz_mode()
    assert facts(state) == (3, False, 3)
    state.next_step()
    assert facts(state) == (4, True, 3)
    state.next_step()
    assert facts(state) == (4, False, 4)
    state.next_step()
    assert facts(state) == (5, True, 4)
    assert [state.value(number) is None for number in (6, 7, 8)] == [False, True, True]
    state.set_answer_hidden(False)
    assert state.value(8) is not None


def test_one_step_can_be_hidden_without_a_game(state: ViewerState) -> None:
    state.go_to(5)
    state.set_answer_hidden()
    assert facts(state) == (5, True, 4)
    state.set_answer_hidden(False)
    assert facts(state) == (5, False, 8)
    state.set_answer_hidden()
    state.go_to(6)
    assert facts(state) == (6, False, 8)


def test_stepping_back_never_hides_and_what_was_seen_stays_seen(state: ViewerState) -> None:
    state.go_to(4)
    state.set_quiz_mode()
    state.go_to(7)
    assert facts(state) == (7, False, 7)
    state.previous_step()
    state.previous_step()
    assert facts(state) == (5, False, 7)
    state.set_quiz_mode(False)
    state.go_to(4)
    state.set_quiz_mode()
    state.next_step()
    state.previous_step()
    assert facts(state) == (4, False, 4)
    state.next_step()
    assert facts(state) == (5, True, 4)


def test_a_jump_hides_its_target_only(state: ViewerState) -> None:
    state.set_quiz_mode()
    state.go_to(5)
    assert facts(state) == (5, True, 4)
    state.go_to(4)
    assert not state.revealed.hides_answer


def test_a_jump_into_a_hidden_step_stops_in_front_of_it(state: ViewerState) -> None:
    state.set_quiz_mode()
    inside = TracePosition(step=5, stage="backward")
    state.go_to_place(inside, "line")
    assert (state.place, state.level) == (TracePosition(step=5), "node")
    assert facts(state) == (5, True, 4)
    state.go_to_place(inside, "line")
    assert state.place == TracePosition(step=5)
    state.next_step()
    state.go_to_place(inside, "line")
    assert state.place == inside


def test_entering_quiz_mode_keeps_a_hidden_answer_hidden(state: ViewerState) -> None:
    state.go_to(5)
    state.set_answer_hidden()
    state.set_quiz_mode()
    assert facts(state) == (5, True, 4)


def test_leaving_quiz_mode_reveals(state: ViewerState) -> None:
    state.set_quiz_mode()
    state.go_to(5)
    seen: list[tuple[object, ...]] = []
    state.revealed_changed.connect(lambda now: seen.append((now.hides_answer, now.until)))
    state.set_quiz_mode(False)
    assert seen == [(False, 8)]


def test_concealment_is_known_when_the_step_is_announced(state: ViewerState) -> None:
    state.go_to(4)
    state.set_quiz_mode()
    seen: list[object] = []
    state.step_changed.connect(lambda number: seen.append((number, state.revealed.hides_answer)))
    state.revealed_changed.connect(lambda now: seen.append(now.hides_answer))
    state.go_to(5)
    state.next_step()
    assert seen == [(5, True), True, False]


def test_another_trace_starts_hidden(state: ViewerState) -> None:
    state.set_quiz_mode()
    state.go_to(5)
    state.show(linear_reader())
    assert facts(state) == (1, False, 1)


def test_manually_opened_groups_stay_open_after_a_rerun(state: ViewerState) -> None:
    seen: list[tuple[frozenset[str], frozenset[str]]] = []
    state.folds_changed.connect(lambda folds: seen.append((folds.opened, folds.closed)))
    state.open_groups(["m1", "m2"])
    state.open_groups(["m1"])
    state.close_group("m1")
    assert seen == [
        (frozenset({"m1", "m2"}), frozenset()),
        (frozenset({"m2"}), frozenset({"m1"})),
    ]
    state.show(linear_reader())
    assert state.folds.opened == {"m2"}
    other = linear_trace()
    origin = structs.replace(other.origin, subject="scene:other")
    state.show(MemoryReader(structs.replace(other, origin=origin), LINEAR_TENSORS))
    assert state.folds == FoldState()


def test_what_was_derived_from_the_stages_of_a_closed_trace_is_released() -> None:
    state, part = ViewerState(LIGHT), BACKWARD
    derive = (stage_order, stage_facts, executed_lines_of)
    state.show(deep_reader())
    kept = [weakref.ref(each(part)) for each in derive]
    assert [each(part) for each in derive] == [each() for each in kept]
    state.show(None)
    assert [each() for each in kept] == [None, None, None]
