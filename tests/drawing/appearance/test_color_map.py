import itertools
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
    own_color_limit,
    set_color_map,
    side_by_side_limits,
    value_limits,
)
from gradviz.drawing.appearance.palette import (
    TERM_ROLES,
    ColorMapName,
    PaletteRole,
    PaletteTheme,
    color,
)
from gradviz.resource import resource_path
from tests.builders import tensor


@pytest.fixture(autouse=True, params=get_args(ColorMapName))
def each_map(request: pytest.FixtureRequest) -> Iterator[None]:
    before = current_color_map()
    set_color_map(request.param)
    yield
    set_color_map(before)


each_theme = pytest.mark.parametrize("theme", get_args(PaletteTheme))


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


@each_theme
def test_zero_is_close_to_the_background_and_large_values_are_not(theme: PaletteTheme) -> None:
    ground = role_lab("normal", "panel", theme)
    seen = [
        lab_of(SIMULATIONS["normal"], rgb.astype(np.float64))
        for rgb in colors_of_values(np.array([-2.0, 0.0, 2.0]), 2.0, theme)
    ]
    below, zero, above = (np.linalg.norm(each - ground) for each in seen)
    assert 4 < zero < 12
    # A difference in lightness is needed to see the cells.
    assert abs(seen[1][0] - ground[0]) > 4
    assert min(below, above) > 45


@each_theme
def test_signs_are_distinguished_and_the_scale_is_symmetric(theme: PaletteTheme) -> None:
    low, high = colors_of_values(np.array([-2.0, 2.0]), 2.0, theme).astype(int)
    assert low[0] > low[2] + 80
    assert high[2] > high[0] + 80
    assert (colors_of_values(np.array([-9.0, 9.0]), 2.0, theme) == np.stack([low, high])).all()


SIMULATIONS = {
    "normal": np.eye(3),
    "protan": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deutan": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritan": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
"""Machado, Oliveira and Fernandes (2009): what each kind of eye sees of linear RGB."""


@pytest.mark.parametrize("eye", SIMULATIONS)
@each_theme
def test_a_large_value_does_not_look_like_an_error(eye: str, theme: PaletteTheme) -> None:
    blue = colors_of_values(np.array([1.0]), 1.0, theme)[0].astype(np.float64)
    large = lab_of(SIMULATIONS[eye], blue)
    assert np.linalg.norm(large - role_lab(eye, "error", theme)) > 50


@pytest.mark.parametrize("eye", SIMULATIONS)
@each_theme
def test_terms_are_told_apart(eye: str, theme: PaletteTheme) -> None:
    labs = [role_lab(eye, role, theme) for role in TERM_ROLES]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(labs, 2)) > 12


def role_lab(eye: str, role: PaletteRole, theme: PaletteTheme) -> np.ndarray:
    channels = np.array(list(bytes.fromhex(color(role, theme)[1:])), dtype=np.float64)
    return lab_of(SIMULATIONS[eye], channels)


def lab_of(simulation: np.ndarray, channels: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of an sRGB color as an eye sees it."""
    part = channels / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    seen = np.clip(simulation @ linear, 0, 1)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.maximum(to_xyz @ seen / np.array([0.9505, 1, 1.089]), 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_equal_values_are_not_shown_as_large() -> None:
    ones = np.ones((2, 2))
    assert own_color_limit(ones) == 2.0
    assert own_color_limit(np.array([1.0, 121.0])) == 121.0
    assert own_color_limit(np.array([-3.0, 2.0, np.nan])) == 3.0
    assert own_color_limit(np.array([np.nan])) == own_color_limit(np.zeros(0)) == 0.0


@each_theme
def test_lightness_falls_on_both_sides_so_that_grey_prints_show_magnitude(
    theme: PaletteTheme,
) -> None:
    grey = color_table(theme) @ np.array([0.299, 0.587, 0.114])
    # In the dark theme, it rises. Prints have the colors of the light theme.
    away, least = (grey[255] - grey, 80) if theme == "light" else (grey - grey[255], 65)
    assert (np.diff(away[255:]) >= -0.6).all()
    assert (np.diff(away[:256]) <= 0.6).all()
    assert min(away[0], away[-1]) > least


@each_theme
def test_ink_is_readable_on_every_color(theme: PaletteTheme) -> None:
    table = color_table(theme)
    dark = dark_ink_on(table)
    ratios = np.where(dark, contrast(table, 0.0), contrast(table, 1.0))
    assert ratios.min() >= 4.5


def test_limits_ignore_what_is_not_finite() -> None:
    assert color_limit(np.array([1.0, -3.0, np.nan, np.inf])) == 3.0
    assert color_limit(np.array([1.0]), np.array([-7])) == 7.0
    assert color_limit(np.array([np.nan])) == 0.0
    assert color_limit(np.array([3 + 4j])) == 5.0


def test_side_by_side_smaller_values_are_never_darker() -> None:
    ends = {"ones": (1.0, 1.0), "sums": (0.0, 121.0), "noise": (-1e-6, 1e-6)}
    limits = side_by_side_limits(ends)
    reached = {key: max(map(abs, ends[key])) / limits[key] for key in ends}
    assert reached["sums"] == 1
    assert reached["ones"] == reached["noise"] == pytest.approx(0.15)
    # Values of about the same size share the scale.
    assert side_by_side_limits({1: (0.0, 4.0), 2: (-5.0, 1.0)}) == {1: 5, 2: 5}


def test_integers_never_set_the_scale_of_other_numbers() -> None:
    pairs = (tensor(1, [0.5, -2.0]), tensor(2, [4000, 1]), tensor(3, [True, False]))
    values = [None, *(value for _, value in pairs)]
    assert value_limits(values) == {False: 2.0, True: 4000.0}
    assert value_limits([]) == {False: 0.0, True: 0.0}
