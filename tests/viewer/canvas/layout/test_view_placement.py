"""Which part of a large graph is shown: what a step is about, and no empty space beyond it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF

from gradviz.viewer.canvas.layout.view_placement import find_center, middle_of

GRAPH = (0.0, 1000.0)


def test_a_graph_that_fits_is_centered() -> None:
    assert middle_of(1200, GRAPH, (0, 10), (0, 10)) == 500


def test_the_current_node_is_centered_in_a_large_graph() -> None:
    assert middle_of(200, GRAPH, (400, 500), (420, 480)) == 450
    assert middle_of(200, GRAPH, (0, 60), (0, 60)) == 100
    assert middle_of(200, GRAPH, (960, 1000), (960, 1000)) == 900


@pytest.mark.parametrize("card", [(300.0, 380.0), (520.0, 600.0)])
def test_the_card_is_whole_even_where_its_labels_are_not(card: tuple[float, float]) -> None:
    middle = middle_of(200, GRAPH, (300, 600), card)
    assert middle - 100 <= card[0]
    assert card[1] <= middle + 100


WHOLE = QRectF(0, 0, 1000, 1000)
VISIBLE = QRectF(0, 0, 200, 200)


def cell(x: float, y: float) -> QRectF:
    return QRectF(x, y, 40, 40)


def test_the_view_stays_while_all_that_is_needed_is_visible() -> None:
    needed, later = [cell(0, 100), cell(160, 160)], [cell(300, 300)]
    assert find_center(VISIBLE, WHOLE, needed, later, slack=1.0) is None
    # Half a pixel beyond the edge is a rounding error.
    assert find_center(VISIBLE, WHOLE, [cell(160.5, 0)], later, slack=1.0) is None


def test_where_a_gradient_goes_is_visible_too() -> None:
    assert find_center(VISIBLE, WHOLE, [cell(100, 400), cell(260, 400)], [], slack=1.0) == QPointF(
        200, 420
    )


def test_the_current_card_is_whole_if_its_target_is_too_far_away() -> None:
    center = find_center(VISIBLE, WHOLE, [cell(500, 400), cell(900, 400)], [], slack=1.0)
    assert center == QPointF(520, 420)


def test_the_view_moves_ahead_up_to_the_first_step_that_does_not_fit() -> None:
    later = [cell(500, 280), cell(500, 900), cell(400, 400)]
    center = find_center(VISIBLE, WHOLE, [cell(500, 400)], later, slack=1.0)
    assert center == QPointF(520, 360)


def test_only_a_tidy_view_leaves_the_empty_space_beyond_the_graph() -> None:
    beyond = QRectF(500, -80, 200, 200)
    for tidy, center in ((False, None), (True, QPointF(600, 100))):
        assert find_center(beyond, WHOLE, [cell(600, 60)], [], slack=1.0, tidy=tidy) == center
