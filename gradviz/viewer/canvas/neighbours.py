"""Finds the box that an arrow key leads to."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gradviz.viewer.canvas.picture import Picture

Direction = Literal["left", "right", "up", "down"]

_TOWARDS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}


def neighbour(picture: Picture, box: int, direction: Direction) -> int | None:
    """Find the next box in a direction; boxes connected by a line come first.

    Only boxes within 60 degrees of the direction count. The nearest one wins; the distance across
    the direction counts double.
    """
    joined = {curve.target for curve in picture.curves if curve.source == box}
    joined |= {curve.source for curve in picture.curves if curve.target == box}
    found = _nearest(picture, box, direction, sorted(joined - {box}))
    if found is None:
        others = [at for at in range(len(picture.nodes)) if at != box]
        found = _nearest(picture, box, direction, others)
    return found


def _nearest(picture: Picture, box: int, direction: Direction, among: list[int]) -> int | None:
    if not among:
        return None
    middles = picture.boxes[:, :2] + picture.boxes[:, 2:] / 2
    way = middles[among] - middles[box]
    ahead = way @ np.array(_TOWARDS[direction])
    aside = np.abs(way @ np.array(_TOWARDS[direction])[::-1])
    possible = (ahead > 1e-6) & (aside <= ahead * 1.7321)
    if not possible.any():
        return None
    cost = np.where(possible, ahead + 2 * aside, np.inf)
    return among[int(np.argmin(cost))]
