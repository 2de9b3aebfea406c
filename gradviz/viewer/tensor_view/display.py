"""One tensor as it is on show: its record, its elements, and the plane and scale to look at."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.drawing.heat import limit_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.tensor_view.plane import Cut, Part, Plane, first_cut, part_of, plane_of

_LARGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Display:
    """A tensor of the trace under the name by which it is shown.

    Attributes:
        name: As the source names it.
        record: What is known of it.
        value: Its kept elements; None where none were kept.
        mark: Letter of its memory; empty where no other tensor shares that.
    """

    name: str
    record: TensorRecord
    value: TensorValue | None
    mark: str = ""

    @property
    def has_cells(self) -> bool:
        """Whether there are elements to paint."""
        return self.value is not None and self.record.count > 0

    @property
    def complex(self) -> bool:
        """Whether an element has two parts."""
        return self.record.dtype.startswith("complex")

    def first_cut(self) -> Cut:
        """The plane that is seen first."""
        return first_cut(len(self.record.kept_shape) if self.has_cells else 0)

    def plane(self, cut: Cut, part: Part = "value") -> Plane | None:
        """One plane; None where there are no elements."""
        if self.value is None:
            return None
        return plane_of(self.value, self.record.kept_steps, cut, part)

    @property
    def is_large(self) -> bool:
        """Whether preparing a plane or counting values takes longer than a frame."""
        return self.value is not None and len(self.value.data) > _LARGE_BYTES

    def own_limit(self, part: Part = "value") -> float:
        """The largest finite magnitude, of all elements where statistics know them."""
        numbers = self.record.statistics
        if part == "angle" and self.complex:
            return math.pi
        whole = part in ("value", "abs") or not self.complex
        if whole and numbers is not None:
            if numbers.minimum is None or numbers.maximum is None:
                return 0.0
            return max(abs(numbers.minimum), abs(numbers.maximum))
        return limit_of(part_of(self.value.array(), part)) if self.value is not None else 0.0
