import pytest

from gradviz.viewer.presenter.readable_size import (
    SMALLEST_PIXELS,
    least_pixels,
    middle_of,
    scale_for,
)
from gradviz.viewer.theme.theme import Theme

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


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("height", [720, 768, 800, 900, 1050, 1080, 1200, 1440, 2160])
def test_the_smallest_type_is_a_fortieth_of_the_height(height: int) -> None:
    theme = Theme(name="light", scale=scale_for(height))
    lowest = theme.font(SMALLEST_PIXELS).pixelSize()
    assert lowest == pytest.approx(height / 40, abs=1)
    assert least_pixels(height) == height / 40


def test_a_few_pixels_change_nothing() -> None:
    assert scale_for(800) == scale_for(803)
    assert scale_for(100) == 1.3
