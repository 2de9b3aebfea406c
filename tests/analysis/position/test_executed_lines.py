"""Which lines have run up to a position, and the local variables there."""

from __future__ import annotations

from gradviz.analysis.position.executed_lines import (
    ExecutionLimit,
    execution_up_to,
    no_execution,
    unlimited_execution,
)
from tests.inside_builder import backward_part, inside_trace

SETS, CALLS, IN_PLACE, RETURNS, ARRAY, DELETES = 0, 1, 2, 3, 4, 7


def names(reach: ExecutionLimit, frame: int = 0) -> list[str]:
    return [local.item.name for local in reach.locals(frame)]


def test_lines_ran_up_to_the_place_and_not_beyond() -> None:
    reach = execution_up_to(backward_part(), ARRAY, over=True)
    assert [reach.last((1, row)) for row in (23, 24, 25, 26)] == [SETS, CALLS, ARRAY, None]
    assert reach.first((1, 26)) == 5
    assert reach.first((1, 33)) is None


def test_before_its_stage_no_line_has_run_and_after_it_all_have() -> None:
    rows = [(1, line) for line in (6, 23, 31)]
    assert [no_execution(backward_part()).last(row) for row in rows] == [None] * 3
    assert [unlimited_execution(backward_part()).last(row) for row in rows] == [2, 0, 8]


def test_a_line_that_still_runs_has_set_nothing_yet() -> None:
    inside = execution_up_to(backward_part(), IN_PLACE, over=True)
    assert inside.last((1, 24)) == CALLS
    assert inside.setter((1, 24)) is None
    assert "doubled" not in names(inside)
    assert execution_up_to(backward_part(), RETURNS + 1, over=True).setter((1, 24)) == CALLS


def test_a_statement_as_a_whole_has_run_with_what_it_called() -> None:
    whole = execution_up_to(backward_part(), CALLS, over=True)
    assert whole.last((1, 7)) == RETURNS
    assert execution_up_to(backward_part(), CALLS, over=False).last((1, 7)) is None


def test_locals_are_those_of_the_place() -> None:
    assert names(execution_up_to(backward_part(), SETS, over=False)) == ["ctx", "grad_output"]
    after = ["ctx", "grad_output", "input", "weight", "bias"]
    assert names(execution_up_to(backward_part(), SETS, over=True)) == after
    assert "array" in names(execution_up_to(backward_part(), ARRAY, over=True))
    assert "array" not in names(execution_up_to(backward_part(), DELETES, over=True))


def test_what_the_line_has_set_is_fresh() -> None:
    reach = execution_up_to(backward_part(), ARRAY, over=True)
    assert [local.item.name for local in reach.locals(0) if local.fresh] == ["array"]


def test_a_called_function_has_its_own_locals_and_a_stack() -> None:
    reach = execution_up_to(backward_part(), IN_PLACE, over=True)
    assert reach.stack() == (0, 1)
    assert reach.frame == 1
    tensor, factor = reach.locals(1)
    assert (tensor.item.tensor, factor.item.text) == (10, "2.0")
    # Before the line it was another tensor: the argument.
    before = execution_up_to(backward_part(), IN_PLACE, over=False)
    assert before.locals(1)[0].item.tensor == 9


def test_later_turns_of_a_loop_replace_earlier_ones() -> None:
    forward = inside_trace().insides[0].parts[0]
    row = (1, 17)
    first, second, end = (execution_up_to(forward, at, over=True) for at in (3, 5, 7))
    assert [each.times(row) for each in (first, second, end)] == [1, 2, 3]
    assert first.setter(row) == 3
    assert second.setter(row) == 5
    # The head has run once more and set nothing: what it set before still holds.
    assert end.setter(row) == 5


def test_a_line_runs_again_later_and_ran_before() -> None:
    reach = execution_up_to(inside_trace().insides[0].parts[0], 4, over=True)
    assert (reach.adjacent_run((1, 17), 1), reach.adjacent_run((1, 17), -1)) == (5, 3)
    assert (reach.adjacent_run((1, 18), 1), reach.adjacent_run((1, 18), -1)) == (6, None)
    assert reach.adjacent_run((1, 13), 1) is None
