"""How curves and graph share the height of the Training tab."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.training.graph_page import GraphPage
from gradviz.viewer.training.panel import TrainingPanel
from tests.training_traces import training_trace
from tests.viewer.painted_texts import painted_texts
from tests.viewer.traces import MemoryReader

LOW, HIGH = (674, 642), (1190, 980)


def training_reader(last: float) -> MemoryReader:
    """30 iterations, the last with another loss; the gradient is NaN if that is not finite."""
    end = [3.0, 4.0] if math.isfinite(last) else [math.nan] * 2
    return MemoryReader(*training_trace([1.0] * 29 + [last], [[3.0, 4.0]] * 29 + [end]))


@pytest.fixture
def page(qtbot: QtBot, state: ViewerState) -> GraphPage:
    state.show(training_reader(40.0))
    page = GraphPage(QWidget(), TrainingPanel(state, Actions(QObject(state))))
    qtbot.addWidget(page)
    page.resize(*LOW)
    page.show_training(True)
    page.show()
    return page


def training_of(page: GraphPage) -> TrainingPanel:
    training = page.widget(0)
    assert isinstance(training, TrainingPanel)
    return training


def test_a_low_page_gives_the_graph_most_of_its_height(page: GraphPage) -> None:
    curves, graph = page.sizes()
    assert graph >= 440
    assert training_of(page).plot.is_low
    # With enough space for the graph, the curves get the rest.
    page.resize(*HIGH)
    assert page.sizes()[0] > curves
    assert not training_of(page).plot.is_low


def test_lists_get_more_height_than_curves(page: GraphPage) -> None:
    training, (curves, _) = training_of(page), page.sizes()
    training.as_changes.click()
    assert page.sizes()[0] > 1.4 * curves
    training.as_changes.click()
    assert page.sizes()[0] == curves


def test_a_dragged_line_stays(page: GraphPage, qtbot: QtBot) -> None:
    place = page.sizes()[0] + 130
    page.handle(1).setFocus()
    page.moveSplitter(place, 1)
    training_of(page).as_table.click()
    assert page.sizes()[0] == pytest.approx(place, abs=3)


@pytest.mark.parametrize("last", [40.0, math.inf])
@pytest.mark.parametrize("size", [LOW, HIGH])
def test_names_and_values_of_curves_can_be_read(
    page: GraphPage, state: ViewerState, size: tuple[int, int], last: float
) -> None:
    state.show(training_reader(last))
    page.resize(*size)
    training_of(page).plot.show_number(30)
    texts = [each for each in painted_texts(page) if each.owner == "IterationPlot"]
    words = " ".join(each.text for each in texts)
    known = {"loss", "gradient norm", "saved for backward", "30"}
    for each in known | ({"40", "5"} if last == 40.0 else {"inf", "NaN, Inf", "not recorded"}):
        assert each in words
    assert min(each.pixels for each in texts) >= 11
    assert not [each for each in texts if each.is_cut]
    overlaps = (one.rect.intersected(other.rect) for one, other in combinations(texts, 2))
    assert max(min(each.width(), each.height()) for each in overlaps) < 2


def test_a_click_on_a_low_curve_goes_to_its_iteration(page: GraphPage, qtbot: QtBot) -> None:
    plot = training_of(page).plot
    for number in (1, 17, 30):
        place = QPoint(round(plot.x_of(number)), 20)
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=place)
        assert plot.number == number
