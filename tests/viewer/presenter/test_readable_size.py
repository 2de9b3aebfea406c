import pytest

from gradviz.viewer.presenter.readable_size import SMALLEST_PIXELS, least_pixels, scale_for
from gradviz.viewer.theme.theme import Theme


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
