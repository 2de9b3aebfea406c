"""The histogram widget."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from gradviz.analysis.values.histogram import histogram_of
from gradviz.drawing.appearance.color_map import colors_of_values
from gradviz.viewer.tensor_view.large.histogram_view import HistogramView
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from tests.viewer.pixels import ground_of, part, pixels_of
from tests.viewer.themes import change_theme


@pytest.fixture
def view(qtbot: QtBot) -> HistogramView:
    widget = HistogramView(APP_THEME)
    qtbot.addWidget(widget)
    widget.resize(480, 260)
    widget.show()
    return widget


def bar_rect(view: HistogramView, bar: int) -> QRectF:
    """Rectangle of a bar in the viewport."""
    assert view.histogram is not None
    top = view.position_of(bar, view.histogram.counts[bar])
    return QRectF(top, view.position_of(bar + 1, 0))


def painted_height(view: HistogramView, bar: int) -> int:
    """Number of pixels of its color in the middle of a bar."""
    place = view.position_of(bar + 0.5, 0).toPoint()
    column = pixels_of(view)[: place.y(), place.x()]
    return int((column == column[-2]).all(axis=1).sum())


def test_bars_are_as_high_as_their_counts(view: HistogramView) -> None:
    view.show_histogram(histogram_of(np.array([1, 1, 1, 1, 2, 2, 3])), 3.0, "x")
    heights = [painted_height(view, bar) for bar in range(3)]
    assert heights[0] == pytest.approx(2 * heights[1], abs=3)
    assert heights[1] == pytest.approx(2 * heights[2], abs=3)
    view.set_logarithmic(True)
    logs = [painted_height(view, bar) for bar in range(3)]
    assert logs[0] / logs[2] == pytest.approx(np.log10(5) / np.log10(2), abs=0.1)


def test_a_bar_has_the_color_that_its_values_have_in_the_heatmap(view: HistogramView) -> None:
    view.show_histogram(histogram_of(np.array([-4, -4, 4])), 4.0, "x")
    pixels = pixels_of(view)
    for bar, value in ((0, -4.0), (8, 4.0)):
        expected = tuple(int(each) for each in colors_of_values(np.array([value]), 4.0)[0])
        assert ground_of(part(pixels, bar_rect(view, bar))) == expected


def test_a_single_element_among_many_is_still_seen(view: HistogramView) -> None:
    values = np.zeros(100_000)
    values[0] = 1.0
    view.show_histogram(histogram_of(values), 1.0, "x")
    last = len(view.histogram.counts) - 1 if view.histogram else 0
    box = bar_rect(view, last)
    pixels = pixels_of(view)
    area = pixels[
        round(box.bottom()) - 2 : round(box.bottom()),
        round(box.left()) + 2 : round(box.right()) - 2,
    ]
    panel = np.array(ground_of(pixels))
    assert (np.abs(area.astype(int) - panel).sum(axis=2) > 60).any()


def test_keys_and_mouse_choose_a_bar_and_say_what_it_counts(
    view: HistogramView, qtbot: QtBot
) -> None:
    view.show_histogram(histogram_of(np.array([0.0, 0.1, 1.0, 2.0])), 2.0, "x")
    seen: list[object] = []
    view.bar_changed.connect(seen.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(view, key)
    assert seen == [0, 1, 0]
    assert view.bar_text(0) == "from 0 to 0.25: 2 elements"
    assert view.bar_at(bar_rect(view, 3).center()) == 3
    view.show_histogram(histogram_of(np.array([True, False, True])), 1.0, "x")
    assert view.bar_text(1) == "1: 2 elements"


def test_non_finite_values_have_their_own_color(view: HistogramView) -> None:
    view.show_histogram(histogram_of(np.array([1.0, 2.0, np.nan, -np.inf])), 2.0, "x")
    pixels = pixels_of(view)
    right = bar_rect(view, len(view.histogram.counts) - 1).right() if view.histogram else 0
    compare_with = pixels[:, round(right) + 4 :].reshape(-1, 3)
    for role in ("nan", "negative_infinity"):
        wanted = LIGHT.color(role).getRgb()[:3]  # type: ignore[arg-type]
        assert (compare_with == wanted).all(axis=1).any()
    absent = LIGHT.color("positive_infinity").getRgb()[:3]
    assert not (compare_with == absent).all(axis=1).any()


def test_nothing_at_all_is_shown_without_harm(view: HistogramView) -> None:
    view.show_histogram(histogram_of(np.empty(0)), 0.0, "x")
    change_theme(DARK)
    pixels_of(view)
    assert view.bar_at(view.rect().center().toPointF()) is None
