from collections.abc import Iterator
from typing import get_args

import numpy as np
import pytest

from gradviz.drawing.appearance.color_map import (
    color_limit,
    color_table,
    colors_of_values,
    current_color_map,
    dark_ink_on,
    set_color_map,
)
from gradviz.drawing.appearance.palette import ColorMapName
from gradviz.resource import resource_path


@pytest.fixture(autouse=True, params=get_args(ColorMapName))
def each_map(request: pytest.FixtureRequest) -> Iterator[None]:
    before = current_color_map()
    set_color_map(request.param)
    yield
    set_color_map(before)


def contrast(first: np.ndarray, second: float) -> np.ndarray:
    channels = first / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    light = linear @ np.array([0.2126, 0.7152, 0.0722])
    return (np.maximum(light, second) + 0.05) / (np.minimum(light, second) + 0.05)


def test_zero_is_the_middle_of_the_published_map() -> None:
    published = (
        np.loadtxt(resource_path(f"colormaps/{current_color_map()}.csv"), delimiter=",") * 255
    )
    middle = (published[127] + published[128]) / 2
    assert np.abs(colors_of_values(np.array([0.0]), 3.0)[0] - middle).max() <= 1


def test_signs_are_distinguished_and_the_scale_is_symmetric() -> None:
    low, high = colors_of_values(np.array([-2.0, 2.0]), 2.0).astype(int)
    assert low[2] > low[0] + 80
    assert high[0] > high[2] + 80
    assert (colors_of_values(np.array([-9.0, 9.0]), 2.0) == np.stack([low, high])).all()


def test_lightness_falls_on_both_sides_so_that_grey_prints_show_magnitude() -> None:
    light = color_table() @ np.array([0.299, 0.587, 0.114])
    assert (np.diff(light[255:]) <= 0.6).all()
    assert (np.diff(light[:256]) >= -0.6).all()
    assert light[255] - max(light[0], light[-1]) > 80


def test_ink_is_readable_on_every_color() -> None:
    table = color_table()
    dark = dark_ink_on(table)
    ratios = np.where(dark, contrast(table, 0.0), contrast(table, 1.0))
    assert ratios.min() >= 4.5


def test_limits_ignore_what_is_not_finite() -> None:
    assert color_limit(np.array([1.0, -3.0, np.nan, np.inf])) == 3.0
    assert color_limit(np.array([1.0]), np.array([-7])) == 7.0
    assert color_limit(np.array([np.nan])) == 0.0
    assert color_limit(np.array([3 + 4j])) == 5.0
