"""A tensor as it is shown: its elements, planes and color scale, and the one that is pinned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.analysis.values.histogram import Histogram, histogram_of
from gradviz.drawing.appearance.color_map import (
    color_values,
    finite_extremes,
    own_color_limit,
    own_scale_limit,
)
from gradviz.drawing.cells.cells import Cells, cells_of
from gradviz.drawing.cells.plane import (
    ComplexPart,
    Plane,
    PlaneCut,
    first_cut,
    part_of,
    plane_of,
)
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.tensor_refs import ElementRef

_LARGE_BYTES = 1 << 20

NonFiniteKind = Literal["nan", "positive", "negative", "clipped"]
"""NaN, either infinity, and finite values beyond the ends of the color scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownTensor:
    """A tensor of the trace with the name it is shown under.

    Attributes:
        name: Name in the source code.
        record: The record of the tensor.
        value: Its kept elements; None if none were kept.
        mark: Letter of its memory; empty if no other tensor shares it.
        is_harmful: Whether its NaN and Inf reach what `NonFiniteReach` tells.
    """

    name: str
    record: TensorRecord
    value: TensorValue | None
    mark: str = ""
    is_harmful: bool = False

    @property
    def has_cells(self) -> bool:
        """Whether there are elements to paint."""
        return self.value is not None and self.record.count > 0

    @property
    def complex(self) -> bool:
        """Whether the elements are complex."""
        return self.record.dtype.startswith("complex")

    def first_cut(self) -> PlaneCut:
        """The plane that is shown first."""
        return first_cut(len(self.record.kept_shape) if self.has_cells else 0)

    def plane(self, cut: PlaneCut, part: ComplexPart = "value") -> Plane | None:
        """Return one plane; None if no elements were kept."""
        if self.value is None:
            return None
        return plane_of(self.value, self.record.kept_steps, cut, part)

    @property
    def is_large(self) -> bool:
        """Whether preparing a plane or counting values would take longer than a frame."""
        return self.value is not None and len(self.value.data) > _LARGE_BYTES

    def own_limit(self, part: ComplexPart = "value") -> float:
        """End of the color scale of the tensor by itself; 0 if it has no finite element."""
        if part == "angle" and self.complex:
            return math.pi
        if part in ("value", "abs") or not self.complex:
            ends = self.extremes()
            return 0.0 if ends is None else own_scale_limit(*ends)
        return own_color_limit(part_of(self.value.array(), part)) if self.value is not None else 0.0

    def first_of(
        self, kind: NonFiniteKind, limit: float, part: ComplexPart = "value"
    ) -> tuple[int, ...] | None:
        """Index of the first kept element of a kind; None without one."""
        if self.value is None:
            return None
        heat = color_values(part_of(self.value.array(), part))
        with np.errstate(invalid="ignore"):
            match kind:
                case "nan":
                    found = np.isnan(heat)
                case "positive":
                    found = heat == np.inf
                case "negative":
                    found = heat == -np.inf
                case "clipped":
                    found = (np.abs(heat) > limit) & np.isfinite(heat)
        places = np.flatnonzero(found)
        if not len(places):
            return None
        at = np.unravel_index(places[0], heat.shape)
        return tuple(int(k) * step for k, step in zip(at, self.record.kept_steps, strict=True))

    def extremes(self) -> tuple[float, float] | None:
        """Smallest and largest finite value, over all elements if the statistics know them."""
        numbers = self.record.statistics
        if numbers is not None:
            ends = numbers.minimum, numbers.maximum
            return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
        return None if self.value is None else finite_extremes(self.value.array())


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
    """Compute the cells, the histogram and the scale limit of a tensor, in any thread."""
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


def index_in(
    index: TraceIndex | None,
    lineage: TensorLineage | None,
    tensor: int | None,
    element: ElementRef | None,
) -> tuple[int, ...] | None:
    """Index at which a tensor marks the pinned element; None if the two are unrelated.

    A tensor and its gradients have the same shape and are related, so the same index applies to
    all of them.

    Args:
        index: The trace.
        lineage: Which tensors are related; without it, only the pinned tensor itself is marked.
        tensor: ID of the tensor that is shown.
        element: The pinned element.
    """
    if index is None or tensor is None or element is None:
        return None
    if tensor == element.tensor:
        return element.index
    if lineage is None or not lineage.related(tensor, element.tensor):
        return None
    own_record, other_record = index.tensor.get(tensor), index.tensor.get(element.tensor)
    same = (
        own_record is not None
        and other_record is not None
        and own_record.shape == other_record.shape
    )
    return element.index if same else None
