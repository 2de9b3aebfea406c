"""Unusual matrices are shown and explained: empty, scalar, complex, long, not finite."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK
from tests.sweeps import paired
from tests.viewer.column_texts import column_texts
from tests.viewer.jacobians.panel_reports import maps, one_block, reader_of, settle
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import MemoryReader, block

Shape = tuple[int, ...]


def reader(
    numerical: np.ndarray, analytical: np.ndarray, given: Shape, made: Shape
) -> MemoryReader:
    shown = replace(block("x", 0, given, (22, 23)), output_shape=made)
    return reader_of(one_block(shown), {22: numerical, 23: analytical})


SHAPES: list[tuple[Shape, Shape]] = [
    ((0, 3), (2,)),
    ((3,), (0,)),
    ((), ()),
    ((1,), ()),
    ((5000,), ()),
    ((1, 2, 1, 3), (1, 4, 1)),
]


@pytest.mark.parametrize(("shapes", "kind"), paired(SHAPES, ["float64", "complex128", "float32"]))
def test_shapes_and_dtypes(
    panel: JacobiansPanel,
    state: ViewerState,
    qtbot: QtBot,
    shapes: tuple[Shape, Shape],
    kind: str,
) -> None:
    given, made = shapes
    rng = np.random.default_rng(0)
    shape = int(np.prod(given)), int(np.prod(made))
    numerical = rng.normal(size=shape).astype(kind)
    if kind == "complex128":
        numerical = numerical + 1j * rng.normal(size=shape)
    state.show(reader(numerical, numerical * 2, given, made))
    settle()
    view = maps(panel)
    for place in (1, 0):
        qtbot.mouseClick(view.heads[2].switch.segment(place), Qt.MouseButton.LeftButton)
        qtbot.mouseClick(view.foot.buttons[0], Qt.MouseButton.LeftButton)
        settle()
        pixels_of(view)
    if 0 in shape:
        assert "empty" in view.readout
        assert "empty" in panel.findings.element.texts[0]
        assert panel.findings.worst.rows.rowCount() == 0
        return
    assert view.matrices.wrong.count == numerical.size
    assert panel.findings.worst.rows.rowCount() == min(20, numerical.size)
    told = " ".join(panel.findings.element.texts)
    assert "was changed by" in told
    assert "times the tolerance" in told
    state.set_theme(DARK)
    settle()
    pixels_of(view)


@pytest.mark.parametrize("non_finite", [np.nan, -np.inf])
def test_elements_that_are_not_finite(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot, non_finite: float
) -> None:
    numerical = np.ones((150, 100))
    analytical = np.full((150, 100), non_finite)
    state.show(reader(numerical, analytical, (150,), (100,)))
    settle()
    view = maps(panel)
    pixels_of(view)
    assert view.matrices.wrong.count == 15_000
    assert column_texts(panel.findings.worst, 0)[0].startswith("not finite")
    assert len(set(map(tuple, pixels_of(view.plots[1]).reshape(-1, 3).tolist()))) > 5
    qtbot.mouseClick(view.heads[2].switch.segment(1), Qt.MouseButton.LeftButton)
    settle()
    pixels_of(view)
    assert "outside the tolerance" in view.readout


def test_second_order_mentions_double_backward(panel: JacobiansPanel, state: ViewerState) -> None:
    shown = replace(block("x", 0, (2,), (22, 23)), output_name="grad_x", output_shape=(2,))
    report = replace(one_block(shown), order=2)
    state.show(reader_of(report, {22: np.eye(2), 23: np.eye(2)}))
    settle()
    panel.bar.switch.segment(1).click()
    settle()
    told = " ".join(panel.findings.element.texts)
    assert "Double backward received 1 at grad_x[0] and 0 elsewhere" in told
