"""Computes what the large view needs of a tensor, without widgets, for use in any thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.drawing.heat import heat_of
from gradviz.model.histogram import Histogram, histogram_of
from gradviz.viewer.tensor_view.cells import Cells, cells_of
from gradviz.viewer.tensor_view.display import Display
from gradviz.viewer.tensor_view.plane import Cut, Part, part_of

Reach = Literal["all", "most"]
"""Whether the color scale covers all values, or leaves out the largest 1 %."""

_MOST = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How the user wants to see a tensor.

    Attributes:
        cut: Which plane.
        part: Which part of complex elements.
        reach: Which values the color scale covers.
    """

    cut: Cut
    part: Part = "value"
    reach: Reach = "all"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A tensor prepared for the large view.

    Attributes:
        cells: The cells of the plane; None if no elements were kept.
        histogram: Histogram of all kept elements; None if there are none.
        limit: End of the color scale.
        clipped: Number of kept finite elements beyond the end of the scale.
    """

    cells: Cells | None
    histogram: Histogram | None
    limit: float
    clipped: int


def prepare(display: Display, wish: Wish) -> Prepared:
    """Compute the cells, the histogram and the scale limit of a tensor."""
    plane = display.plane(wish.cut, wish.part)
    if plane is None or display.value is None or not display.has_cells:
        return Prepared(cells=None, histogram=None, limit=0.0, clipped=0)
    values = part_of(display.value.array(), wish.part)
    heat = heat_of(values)
    limit = display.own_limit(wish.part)
    if wish.reach == "most":
        magnitudes = np.abs(heat[np.isfinite(heat)])
        limit = float(np.quantile(magnitudes, _MOST)) if magnitudes.size else 0.0
    with np.errstate(invalid="ignore"):
        clipped = int(np.count_nonzero((np.abs(heat) > limit) & np.isfinite(heat)))
    real = values if values.dtype.kind != "c" else heat
    return Prepared(
        cells=cells_of(plane, limit),
        histogram=histogram_of(real),
        limit=limit,
        clipped=clipped if limit > 0 else 0,
    )
