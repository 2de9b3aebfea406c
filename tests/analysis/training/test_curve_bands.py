"""Curves condensed to pixel columns keep their spikes."""

from __future__ import annotations

import numpy as np

from gradviz.analysis.training.curve_bands import curve_band, is_logarithmic


def test_one_spike_among_thousands_stays_visible() -> None:
    values = np.ones(10_000)
    values[5_003] = 40.0
    band = curve_band(np.arange(10_000) // 20, values)
    assert len(band.columns) == 500
    assert band.high.max() == 40.0
    assert band.columns[band.high.argmax()] == 5_003 // 20
    assert band.middle.max() == band.low.max() == 1.0


def test_columns_without_finite_values_are_left_out() -> None:
    band = curve_band(np.array([0, 0, 1, 2]), np.array([1.0, 3.0, np.nan, np.inf]))
    assert (band.columns.tolist(), band.low.tolist(), band.high.tolist()) == ([0], [1.0], [3.0])
    assert len(curve_band(np.array([0]), np.array([np.nan])).columns) == 0


def test_a_logarithmic_axis_is_for_positive_values_of_different_size() -> None:
    assert is_logarithmic(np.array([0.01, 1.0, np.nan]))
    assert not is_logarithmic(np.array([0.5, 1.0]))
    assert not is_logarithmic(np.array([0.0, 100.0]))
    assert not is_logarithmic(np.array([np.nan]))
