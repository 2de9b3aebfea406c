"""A grid of square cells that finds the visible boxes quickly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gradviz.model.arrays import FloatArray

Indices = npt.NDArray[np.int64]


class SpatialIndex:
    """Boxes grouped by the grid cell of their center."""

    def __init__(self, boxes: FloatArray, cell: float) -> None:
        """Sort boxes ``[n, 4]`` (x, y, width, height) into cells of ``cell`` units."""
        self.members: list[Indices] = []
        self._chunks = np.zeros(len(boxes), np.int64)
        if len(boxes) == 0:
            self.bounds = np.zeros((0, 4))
            return
        cells = np.floor((boxes[:, :2] + boxes[:, 2:] / 2) / cell).astype(np.int64)
        order = np.lexsort((cells[:, 0], cells[:, 1]))
        sorted_cells = cells[order]
        changes = np.any(sorted_cells[1:] != sorted_cells[:-1], axis=1)
        self.members = np.split(order, np.flatnonzero(changes) + 1)
        self.bounds = np.array([_union(boxes[group]) for group in self.members])
        for number, group in enumerate(self.members):
            self._chunks[group] = number

    def __len__(self) -> int:
        return len(self.members)

    def chunk_of(self, at: int) -> int:
        """Index of the chunk that contains a box."""
        return int(self._chunks[at])

    def in_sight(self, left: float, top: float, right: float, bottom: float) -> list[int]:
        """Indices of the chunks that touch a rectangle."""
        if not self.members:
            return []
        low_x, low_y, high_x, high_y = self.bounds.T
        touch = (low_x <= right) & (high_x >= left) & (low_y <= bottom) & (high_y >= top)
        found: list[int] = np.flatnonzero(touch).tolist()
        return found


def touching(
    boxes: FloatArray, left: float, top: float, right: float, bottom: float
) -> npt.NDArray[np.bool_]:
    """Mask of the boxes ``[n, 4]`` that touch a rectangle."""
    touch: npt.NDArray[np.bool_] = (
        (boxes[:, 0] <= right)
        & (boxes[:, 0] + boxes[:, 2] >= left)
        & (boxes[:, 1] <= bottom)
        & (boxes[:, 1] + boxes[:, 3] >= top)
    )
    return touch


def _union(boxes: FloatArray) -> tuple[float, float, float, float]:
    left, top = boxes[:, :2].min(axis=0)
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
    return (float(left), float(top), float(right), float(bottom))


def box_at(boxes: FloatArray, x: float, y: float) -> int | None:
    """Index of the last box that contains a point; None if no box does."""
    inside = (
        (boxes[:, 0] <= x)
        & (x <= boxes[:, 0] + boxes[:, 2])
        & (boxes[:, 1] <= y)
        & (y <= boxes[:, 1] + boxes[:, 3])
    )
    # Later boxes are painted over earlier ones, so the last hit is the visible one.
    found = np.flatnonzero(inside)
    return int(found[-1]) if len(found) else None
