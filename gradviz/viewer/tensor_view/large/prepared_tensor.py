"""Computes what the large view needs of a tensor, without widgets, for use in any thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.analysis.values.histogram import Histogram, histogram_of
from gradviz.drawing.appearance.color_map import color_values
from gradviz.drawing.cells.cells import Cells, cells_of
from gradviz.drawing.cells.plane import ComplexPart, PlaneCut, part_of
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor

ScaleRange = Literal["all", "most"]
"""Whether the color scale covers all values, or leaves out the largest 1%."""

_MOST = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorViewRequest:
    """How the user wants to see a tensor.

    Attributes:
        cut: Which plane.
        part: Which part of complex elements.
        reach: Which values the color scale covers.
    """

    cut: PlaneCut
    part: ComplexPart = "value"
    reach: ScaleRange = "all"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedTensor:
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


def prepare_tensor(display: ShownTensor, request: TensorViewRequest) -> PreparedTensor:
    """Compute the cells, the histogram and the scale limit of a tensor."""
    plane = display.plane(request.cut, request.part)
    if plane is None or display.value is None or not display.has_cells:
        return PreparedTensor(cells=None, histogram=None, limit=0.0, clipped=0)
    values = part_of(display.value.array(), request.part)
    heat = color_values(values)
    limit = display.own_limit(request.part)
    if request.reach == "most":
        magnitudes = np.abs(heat[np.isfinite(heat)])
        limit = float(np.quantile(magnitudes, _MOST)) if magnitudes.size else 0.0
    with np.errstate(invalid="ignore"):
        clipped = int(np.count_nonzero((np.abs(heat) > limit) & np.isfinite(heat)))
    cells = cells_of(plane, limit)
    # Here, as the window would have to wait for it.
    cells.pool()
    real = values if values.dtype.kind != "c" else heat
    return PreparedTensor(
        cells=cells,
        histogram=histogram_of(real),
        limit=limit,
        clipped=clipped if limit > 0 else 0,
    )
