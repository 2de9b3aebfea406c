"""How the elements of a map become colours: signed values, or parts of a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from gradviz.drawing.heat import Bytes, Floats, colours_of

Scale = Literal["signed", "tolerance"]

ZERO_GREY = (204, 208, 215)
"""Colour of what is exactly zero, where that stands out."""

LEAST_DECADE, MOST_DECADE = -3.0, 3.0
"""Powers of ten of the tolerance at which the scale inside and the shortest one outside end."""

_INSIDE = np.array([(240, 246, 241), (196, 221, 203), (158, 202, 172)], dtype=np.float64)
_OUTSIDE = np.array([(226, 116, 62), (178, 48, 62), (98, 12, 74), (44, 4, 44)], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapColours:
    """The colours of one map.

    Attributes:
        limit: End of the scale: the largest magnitude; of a tolerance how many it is exceeded by.
        scale: ``signed`` as every heatmap; ``tolerance`` for values from 0 with a seam at 1.
        zeros: Whether what is exactly zero is grey.
    """

    limit: float
    scale: Scale = "signed"
    zeros: bool = False

    def of(self, heat: Floats) -> Bytes:
        """Colours ``[..., 3]``."""
        if self.scale == "signed":
            colours = colours_of(heat, self.limit)
        else:
            colours = tolerance_colours(heat, self.limit)
        if self.zeros:
            colours[heat == 0] = ZERO_GREY
        return colours

    def image(self, heat: Floats) -> QImage:
        """One pixel for each element."""
        colours = np.ascontiguousarray(self.of(heat))
        height, width = colours.shape[:2]
        form = QImage.Format.Format_RGB888
        # The array's memory goes when this function returns.
        return QImage(colours.data, width, height, 3 * width, form).copy()


def decades_of(limit: float) -> float:
    """Powers of ten above the tolerance at which the scale ends."""
    largest = limit if np.isfinite(limit) and limit > 0 else 1.0
    return float(max(MOST_DECADE, np.ceil(np.log10(largest))))


def tolerance_colours(excess: npt.NDArray[np.floating], limit: float) -> Bytes:
    """Pale green within the tolerance; from orange to nearly black outside, by powers of ten."""
    with np.errstate(divide="ignore", invalid="ignore"):
        decades = np.log10(np.nan_to_num(excess, nan=np.inf))
    inside = np.clip(1 - decades / LEAST_DECADE, 0, 1)
    outside = np.clip(decades / decades_of(limit), 0, 1)
    green, red = _between(_INSIDE, inside), _between(_OUTSIDE, outside)
    chosen: Bytes = np.where((excess <= 1)[..., None], green, red)
    return chosen


def _between(stops: npt.NDArray[np.float64], places: npt.NDArray[np.floating]) -> Bytes:
    at = np.linspace(0, 1, len(stops))
    channels = [np.interp(places, at, stops[:, channel]) for channel in range(3)]
    made: Bytes = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    return made
