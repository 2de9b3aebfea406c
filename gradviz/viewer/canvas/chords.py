"""Culls long curves, whose bounding boxes would overlap almost every visible area."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF

from gradviz.viewer.canvas.curves import ARROW, Head, sampled, without_head
from gradviz.viewer.canvas.picture import Curve, Floats

LONG = 1500.0
PIECES = 48
"""Number of straight pieces for each cubic segment of a long curve."""

_HEAD = Head(ARROW, 0.0)
"""Space kept for any arrow head; the head covers a gap of a few units."""


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A curve as straight lines, with the bounding box of each."""

    low: Floats
    high: Floats
    lines: list[QLineF]


class Chords:
    """Chords of the curves: the straight lines from their starts to their ends."""

    def __init__(self, curves: tuple[Curve, ...]) -> None:
        starts = np.array([curve.points[0] for curve in curves]).reshape(-1, 2)
        along = np.array([curve.points[-1] for curve in curves]).reshape(-1, 2) - starts
        lengths = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
        self._normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / lengths[:, None]
        self._offsets = np.sum(self._normals * starts, axis=1)
        # A curve stays within the hull of its control points, so it is no farther from the chord.
        self._widths = np.array(
            [
                np.abs(curve.points @ normal - offset).max() + ARROW
                for curve, normal, offset in zip(curves, self._normals, self._offsets, strict=True)
            ]
        )

        self._lengths = lengths
        self._curves = curves
        self._pieces: dict[int, _Pieces] = {}

    def is_long(self, at: int) -> bool:
        """Whether a curve is longer than a screen, so that stroking all of it is wasteful."""
        return bool(self._lengths[at] > LONG)

    def pieces_in_sight(
        self, curves: list[int], sight: tuple[float, float, float, float]
    ) -> list[QLineF]:
        """Straight pieces of long curves that touch a rectangle."""
        if not curves:
            return []
        left, top, right, bottom = sight
        pieces = [self._pieces_of(at) for at in curves]
        low = np.concatenate([each.low for each in pieces])
        high = np.concatenate([each.high for each in pieces])
        touch = (low <= (right + ARROW, bottom + ARROW)) & (high >= (left - ARROW, top - ARROW))
        lines = list(itertools.chain.from_iterable(each.lines for each in pieces))
        return [lines[at] for at in np.flatnonzero(touch.all(axis=1)).tolist()]

    def _pieces_of(self, at: int) -> _Pieces:
        if at not in self._pieces:
            points = sampled(without_head(self._curves[at].points, _HEAD), PIECES)
            self._pieces[at] = _Pieces(
                low=np.minimum(points[:-1], points[1:]),
                high=np.maximum(points[:-1], points[1:]),
                lines=[QLineF(*a, *b) for a, b in itertools.pairwise(points.tolist())],
            )
        return self._pieces[at]

    def crossing(self, among: list[int], sight: tuple[float, float, float, float]) -> list[int]:
        """Curves that may cross a rectangle: it is not entirely on one side of their chord.

        Args:
            among: Indices of curves.
            sight: Left, top, right, bottom.
        """
        if not among:
            return []
        left, top, right, bottom = sight
        corners: Floats = np.array([[left, top], [right, top], [left, bottom], [right, bottom]])
        away = self._normals[among] @ corners.T - self._offsets[among, None]
        widths = self._widths[among]
        hidden = (away.min(axis=1) > widths) | (away.max(axis=1) < -widths)
        found: list[int] = np.array(among)[~hidden].tolist()
        return found
