"""Labels of the vertical axis: few, round and inside."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from gradviz.viewer.training.value_axis import ValueAxis

AREA = QRectF(0, 10, 100, 60)


@pytest.mark.parametrize(
    ("values", "logarithmic", "ticks"),
    [
        ([0.0, 10.0], False, [0, 5, 10]),
        ([1.2, 1.4], False, [1.2, 1.3, 1.4]),
        ([0.01, 30.0], True, [0.01, 1]),
        ([3.0, 3.0], False, [2.8, 3, 3.2]),
    ],
)
def test_ticks_are_few_and_round(
    values: list[float], logarithmic: bool, ticks: list[float]
) -> None:
    axis = ValueAxis(np.array(values), AREA, logarithmic=logarithmic)
    assert axis.ticks(3) == pytest.approx(ticks)
    assert all(AREA.top() <= axis.y_of(each) <= AREA.bottom() for each in axis.ticks(3))


def test_larger_values_are_higher() -> None:
    axis = ValueAxis(np.array([1.0, np.nan, 1000.0]), AREA, logarithmic=True)
    heights = [axis.y_of(each) for each in (1.0, 10.0, 100.0, 1000.0)]
    assert heights == sorted(heights, reverse=True)
    assert np.diff(heights) == pytest.approx([heights[1] - heights[0]] * 3)
