"""Diverging color map of all heatmaps: blue above zero, warm below, near the background at zero.

Large values must not look like an error, which is red; blue is the color that stays farthest from
red for every kind of color blindness. The maps are by Peter Kovesi (colorcet.com, CC BY 4.0):
CET-CBD1 from ochre to blue, which he designed for red-green color blindness, and CET-D1A from red
to blue. In the dark theme, CET-D6 and CET-D4 take their places: similar hues, but dark at zero.
They are read from bundled files, so that a heatmap needs no plotting library.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.palette import (
    DEFAULT_COLOR_MAP,
    ColorMapName,
    PaletteTheme,
    color,
)
from gradviz.model.tensor import TensorValue, is_integral
from gradviz.resource import resource_path

T = TypeVar("T", bound=Hashable)
HeatValues = npt.NDArray[np.float64]
ColorBytes = npt.NDArray[np.uint8]

_HALF = 255
_DARK: dict[ColorMapName, str] = {"CET-D1A": "CET-D4", "CET-CBD1": "CET-D6"}
"""The map that shows the same signs in similar hues in the dark theme."""

_INNER = {"CET-D1A": 0.78}
"""Share of a map that is used: the darkest ends of CET-D1A no longer look blue and red."""

_LEAST = 0.15
"""Share of its scale that the largest element of an array reaches at least.

The elements of much smaller arrays would otherwise all look like zero.
"""

_chosen: ColorMapName = DEFAULT_COLOR_MAP


def set_color_map(name: ColorMapName) -> None:
    """Select the color map of every heatmap drawn from now on in this process."""
    global _chosen
    _chosen = name


def current_color_map() -> ColorMapName:
    """Name of the selected color map."""
    return _chosen


def color_table(theme: PaletteTheme = "light") -> ColorBytes:
    """The color map as ``[511, 3]`` bytes from most negative to positive; 255 is zero."""
    return _table(_chosen, theme)


@cache
def _table(chosen: ColorMapName, theme: PaletteTheme) -> ColorBytes:
    name = chosen if theme == "light" else _DARK[chosen]
    stored = np.loadtxt(resource_path(f"colormaps/{name}.csv"), delimiter=",", dtype=np.float64)
    # The files begin with blue.
    stored = stored[::-1]
    inner = _INNER.get(name, 1.0)
    ends = (1 - inner) / 2 * (len(stored) - 1), (1 + inner) / 2 * (len(stored) - 1)
    places = np.linspace(*ends, 2 * _HALF + 1)
    channels = [np.interp(places, np.arange(len(stored)), stored[:, at]) for at in range(3)]
    table = np.stack(channels, axis=1) * 255
    if theme == "dark":
        # Black cells could not be told from the background.
        zero = np.array(list(bytes.fromhex(color("raised", theme)[1:])))
        share = 1 - np.abs(np.linspace(-1, 1, len(table)))
        table += share[:, None] * (zero - table[_HALF])
    return np.rint(table).astype(np.uint8)


def color_values(values: npt.NDArray[Any]) -> HeatValues:
    """Values to show as color: the value itself, or the magnitude of a complex one."""
    if values.dtype.kind != "c":
        plain: HeatValues = values.astype(np.float64, copy=False)
        return plain
    with np.errstate(invalid="ignore", over="ignore"):
        # `abs` of a complex number with an infinite and a NaN part is inf; NaN must stay visible.
        return np.where(np.isnan(values), np.nan, np.abs(values)).astype(np.float64)


def own_scale_limit(smallest: float, largest: float) -> float:
    """End of the color scale of values that are not compared with others.

    Equal values get a color halfway, as none of them is large.

    Args:
        smallest: The smallest of the finite values.
        largest: The largest of the finite values.
    """
    most = max(abs(smallest), abs(largest))
    return min(2 * most, sys.float_info.max) if smallest == largest else most


def shared_scale_limit(ends: Sequence[tuple[float, float]]) -> float:
    """End of a color scale that several arrays share; 0 without any.

    Args:
        ends: The smallest and the largest finite value of each array.
    """
    if not ends:
        return 0.0
    return own_scale_limit(min(low for low, _ in ends), max(high for _, high in ends))


def side_by_side_limits(ends: Mapping[T, tuple[float, float]]) -> dict[T, float]:
    """End of the color scale of each of some arrays that are seen side by side.

    They share a scale, except for those whose elements would all look like zero: an array with
    smaller elements never has darker colors.

    Args:
        ends: The smallest and the largest finite value of each array.
    """
    limit = shared_scale_limit(list(ends.values()))
    return {key: min(limit, max(abs(low), abs(high)) / _LEAST) for key, (low, high) in ends.items()}


def own_color_limit(values: npt.NDArray[Any]) -> float:
    """End of the color scale of an array by itself; 0 if it has no finite element."""
    ends = finite_extremes(values)
    return 0.0 if ends is None else own_scale_limit(*ends)


def shared_color_limit(arrays: Iterable[npt.NDArray[Any]]) -> float:
    """End of the color scale that arrays share; 0 if they have no finite element."""
    ends = (finite_extremes(each) for each in arrays)
    return shared_scale_limit([each for each in ends if each is not None])


def value_limits(values: Iterable[TensorValue | None]) -> dict[bool, float]:
    """End of the color scale that integers share, by True, and of that of other numbers, by False.

    Beside an index or a count, numbers around zero would all look like zero.
    """
    known = [(is_integral(each.dtype), each.array()) for each in values if each is not None]
    return {
        kind: shared_color_limit(array for each, array in known if each == kind)
        for kind in (False, True)
    }


def finite_extremes(values: npt.NDArray[Any]) -> tuple[float, float] | None:
    """Smallest and largest finite value, or magnitude of complex ones; None if there is none."""
    heat = color_values(values)
    finite = heat[np.isfinite(heat)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def color_limit(*values: npt.NDArray[Any]) -> float:
    """Largest finite magnitude in all of the arrays; 0 if there is none."""
    limit = 0.0
    for array in values:
        limit = max(limit, _largest(color_values(array)))
    return limit


def _largest(heat: HeatValues) -> float:
    if heat.size == 0:
        return 0.0
    # Two passes without a copy are enough unless an array has NaN or infinity.
    largest = max(float(heat.max()), -float(heat.min()))
    if np.isfinite(largest):
        return largest
    finite = np.abs(heat[np.isfinite(heat)])
    return float(finite.max()) if finite.size else 0.0


def color_indices(heat: HeatValues, limit: float) -> npt.NDArray[np.int64]:
    """Entries of `color_table` for values on a scale from ``-limit`` to ``limit``.

    NaN gets the entry of zero; the caller marks NaN separately.
    """
    if limit <= 0 or not np.isfinite(limit):
        return np.full(heat.shape, _HALF, dtype=np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        # Without this, casting NaN to an integer would give an arbitrary index.
        parts = np.nan_to_num(np.clip(heat / limit, -1, 1), nan=0.0)
    return np.rint(parts * _HALF).astype(np.int64) + _HALF


def colors_of_values(heat: HeatValues, limit: float, theme: PaletteTheme = "light") -> ColorBytes:
    """The colors ``[..., 3]`` of values; see `color_indices` and `color_table`."""
    return color_table(theme)[color_indices(heat, limit)]


def has_negative_color(heat: HeatValues, limit: float) -> npt.NDArray[np.bool_]:
    """Whether each value's color is below that of zero; see `color_indices`.

    Noise such as that of a central difference has the color of zero.
    """
    below: npt.NDArray[np.bool_] = color_indices(heat, limit) < _HALF
    return below


def dark_ink_on(colors: ColorBytes) -> npt.NDArray[np.bool_]:
    """Whether black is more readable than white on ``[..., 3]`` colors, by WCAG contrast."""
    linear = np.power((colors / 255 + 0.055) / 1.055, 2.4)
    luminance = linear @ np.array([0.2126, 0.7152, 0.0722])
    # WCAG compares (L + 0.05) / 0.05 for black with 1.05 / (L + 0.05) for white.
    black: npt.NDArray[np.bool_] = (luminance + 0.05) ** 2 > 0.05 * 1.05
    return black
