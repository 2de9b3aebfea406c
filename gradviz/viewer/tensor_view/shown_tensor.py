"""A tensor as it is shown: its record, its elements, and their planes and color scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.drawing.appearance.color_map import finite_extremes, own_color_limit, own_scale_limit
from gradviz.drawing.cells.plane import (
    ComplexPart,
    Plane,
    PlaneCut,
    first_cut,
    part_of,
    plane_of,
)
from gradviz.model.tensor import TensorRecord, TensorValue

_LARGE_BYTES = 1 << 20


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

    def extremes(self) -> tuple[float, float] | None:
        """Smallest and largest finite value, over all elements if the statistics know them."""
        numbers = self.record.statistics
        if numbers is not None:
            ends = numbers.minimum, numbers.maximum
            return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
        return None if self.value is None else finite_extremes(self.value.array())
