"""Curves end where they should, with heads along their direction, at the outlines of boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.drawing.display.curves import ArrowHead, arrow_head, dashes_of, sampled, without_head
from gradviz.drawing.display.outlines import CHAMFER, entry_point, radius_of
from gradviz.drawing.geometry.box_geometry import BoxShape
from gradviz.drawing.geometry.rect import Point, Rect


def test_dashes_cover_their_share_of_a_curve() -> None:
    points = np.array([[0, 0], [0, 10], [20, 10], [20, 30.0]])
    lengths = [math.dist(*dash) for dash in dashes_of(points, 5.0, 3.0)]
    whole = np.hypot(*np.diff(sampled(points, 50), axis=0).T).sum()
    assert dashes_of(points, 5.0, 3.0)[0][0] == (0, 0)
    assert max(lengths) <= 5.001
    assert sum(lengths) == pytest.approx(whole * 5 / 8, rel=0.1)


@pytest.mark.parametrize("length", [6.0, 20.0, 200.0])
def test_a_head_points_where_its_line_goes(length: float) -> None:
    head = ArrowHead(12.0, 5.0)
    points = np.array([[0.0, 0], [0, length / 2], [10, length / 2], [10, length]])
    corners = (np.array(place) for _, (place,) in arrow_head(points, head).commands[:-1])
    tip, left, notch, right = corners
    assert tip.tolist() == points[-1].tolist()
    assert np.linalg.norm(left - right) == pytest.approx(10.0)
    assert np.linalg.norm(tip - (left + right) / 2) == pytest.approx(12.0)
    body = without_head(points, head)
    if length > 20:
        # The line leads straight into the notch.
        assert np.linalg.norm(body[-1] - notch) < 0.6
    assert np.linalg.norm(body[-1] - tip) < 12.0


@pytest.mark.parametrize("shape", ["chamfered", "pill", "rounded", "card"])
def test_a_line_is_led_to_the_outline_of_its_box(shape: BoxShape) -> None:
    box = Rect(x=0, y=0, width=120, height=40)

    def is_inside(at: Point) -> bool:
        """Whether a point is within a rectangle whose corners are cut or round."""
        x, y = (min(value, side - value) for value, side in zip(at, (120, 40), strict=True))
        cut = CHAMFER if shape == "chamfered" else radius_of(shape, box)
        if min(x, y) < 0 or max(x, y) >= cut:
            return min(x, y) >= 0
        return x + y >= cut if shape == "chamfered" else math.hypot(x - cut, y - cut) <= cut

    for corner, along in (
        ((2, 40), (0.6, -0.8)),
        ((118.5, 40), (0, -1)),
        ((0, 3), (1, 0)),
        ((60, 40), (0, -1)),
    ):
        way = entry_point(shape, box, corner, along)
        before, behind = (
            (corner[0] + along[0] * (way + off), corner[1] + along[1] * (way + off))
            for off in (-0.3, 0.3)
        )
        assert not is_inside(before)
        assert is_inside(behind)
