import pytest

from gradviz.viewer.timeline.visible_span import LEAST_STEPS, whole_span


def test_zooming_keeps_the_place_and_stays_within_the_run() -> None:
    span = whole_span(1000).zoomed(0.5, 700)
    assert (span.start, span.end) == (350, 850)
    assert span.zoomed(2, 700).is_all
    assert whole_span(1000).zoomed(0.5, 0).start == 0
    assert whole_span(1000).zoomed(1e-9, 500).length == LEAST_STEPS
    assert whole_span(3).zoomed(0.1, 1).is_all


def test_moving_ends_at_the_ends() -> None:
    span = whole_span(100).over(11, 20)
    assert span.length == 10
    assert (span.moved(5).start, span.moved(-500).start, span.moved(500).end) == (15, 0, 100)


@pytest.mark.parametrize("number", [1, 2, 10, 11, 20, 21, 99, 100])
def test_a_step_is_brought_in_sight_by_the_least_move(number: int) -> None:
    span = whole_span(100).over(11, 20)
    shown = span.showing(number)
    assert shown.start <= number - 1
    assert number <= shown.end
    assert shown.length == span.length
    if 13 <= number <= 18:
        assert shown == span


def test_a_phase_of_few_steps_is_shown_with_its_neighbours() -> None:
    span = whole_span(100).over(50, 50)
    assert span.length == LEAST_STEPS
    assert span.start < 49 < 50 < span.end
