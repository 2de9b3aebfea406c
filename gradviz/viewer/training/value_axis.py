"""The vertical axis of a plot: where values are, and a few round ones for labels."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.analysis.training.curve_bands import FloatColumn


class ValueAxis:
    """Maps values to an area, linearly or by their logarithms.

    Args:
        values: The values to show; those that are not finite do not count.
        area: Where they are painted.
        logarithmic: Whether all values are positive and shown by their logarithms.

    Attributes:
        logarithmic: Whether logarithms are shown.
        highest: The largest value.
    """

    def __init__(self, values: FloatColumn, area: QRectF, *, logarithmic: bool) -> None:
        finite = values[np.isfinite(values)]
        ends = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        self.logarithmic, self._area = logarithmic, area
        self.highest = ends[1]
        low, high = (self._height(end) for end in ends)
        margin = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
        self._low, self._high = low - margin, high + margin

    def y_of(self, value: float) -> float:
        """Position of a value, in pixels from the top."""
        share = (self._height(value) - self._low) / (self._high - self._low)
        return self._area.bottom() - share * self._area.height()

    def ticks(self, most: int) -> list[float]:
        """At most so many round values inside of the area."""
        if self.logarithmic:
            exponents = range(math.ceil(self._low), math.floor(self._high) + 1)
            stride = max(1, math.ceil(len(exponents) / most))
            decades = [10.0**each for each in exponents][::stride]
            if len(decades) > 1 or most == 1:
                return decades
        low, high = (self._value(each) for each in (self._low, self._high))
        power = 10.0 ** math.floor(math.log10((high - low) / most))
        for step in (power * each for each in (1, 2, 5, 10, 20, 50)):
            found = range(math.ceil(low / step), math.floor(high / step) + 1)
            if len(found) <= most:
                return [each * step for each in found if each > 0 or not self.logarithmic]
        return []

    def _height(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def _value(self, height: float) -> float:
        return 10.0**height if self.logarithmic else height
