"""Maps elements to colors: signed values, or multiples of the tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import ColorBytes, HeatValues, colors_of_values
from gradviz.drawing.appearance.palette import PaletteTheme

ColorScale = Literal["signed", "tolerance"]

_ZERO_GREY: dict[PaletteTheme, tuple[int, int, int]] = {
    "light": (204, 208, 215),
    "dark": (86, 92, 106),
}
"""Color of exact zeros while they are highlighted."""

LEAST_DECADE, MOST_DECADE = -3.0, 3.0
"""Lower end and minimum upper end of the tolerance scale, as powers of ten."""

# The contrast with the background grows with the distance, so that the map works in grayscale.
_INSIDE: dict[PaletteTheme, HeatValues] = {
    "light": np.array([(240, 246, 241), (196, 221, 203), (158, 202, 172)], dtype=np.float64),
    "dark": np.array([(28, 34, 31), (32, 50, 40), (36, 68, 52)], dtype=np.float64),
}
_OUTSIDE: dict[PaletteTheme, HeatValues] = {
    "light": np.array([(226, 116, 62), (178, 48, 62), (98, 12, 74), (44, 4, 44)], dtype=np.float64),
    "dark": np.array(
        [(176, 76, 40), (226, 122, 62), (248, 184, 108), (255, 238, 204)], dtype=np.float64
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColors:
    """The colors of a plane of cells.

    Attributes:
        limit: End of the scale: the largest magnitude, or the largest multiple of the tolerance.
        scale: ``signed`` as in all heatmaps; ``tolerance`` for values from 0, with a break at 1.
        zeros: Whether exact zeros are gray.
    """

    limit: float
    scale: ColorScale = "signed"
    zeros: bool = False

    def of(self, heat: HeatValues, theme: PaletteTheme) -> ColorBytes:
        """Colors of elements, ``[..., 3]``."""
        if self.scale == "signed":
            colors = colors_of_values(heat, self.limit, theme)
        else:
            colors = tolerance_colors(heat, self.limit, theme)
        if self.zeros:
            colors[heat == 0] = _ZERO_GREY[theme]
        return colors


def decades_of(limit: float) -> float:
    """Upper end of the tolerance scale as a power of ten."""
    largest = limit if np.isfinite(limit) and limit > 0 else 1.0
    return float(max(MOST_DECADE, np.ceil(np.log10(largest))))


def tolerance_colors(
    excess: npt.NDArray[np.floating], limit: float, theme: PaletteTheme
) -> ColorBytes:
    """Green within the tolerance, orange and stronger outside it, on a logarithmic scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # NaN counts as far outside; zero becomes -inf, which the clipping below handles.
        decades = np.log10(np.nan_to_num(excess, nan=np.inf))
    inside = np.clip(1 - decades / LEAST_DECADE, 0, 1)
    outside = np.clip(decades / decades_of(limit), 0, 1)
    green, red = _between(_INSIDE[theme], inside), _between(_OUTSIDE[theme], outside)
    chosen: ColorBytes = np.where((excess <= 1)[..., None], green, red)
    return chosen


def _between(stops: npt.NDArray[np.float64], places: npt.NDArray[np.floating]) -> ColorBytes:
    at = np.linspace(0, 1, len(stops))
    channels = [np.interp(places, at, stops[:, channel]) for channel in range(3)]
    made: ColorBytes = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    return made
