"""A report with all kinds of matrices, and a panel that shows it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication

from gradviz.drawing.cells.cells import CellColors, matrix_cells
from gradviz.model.diagnosis import Diagnosis, Repair
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.source import Location
from gradviz.viewer.jacobians.map.jacobian_view import JacobianView
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import ANALYTICAL, NUMERICAL, MemoryReader, block, wrong_report

Opener = Callable[[MemoryReader], tuple[JacobiansPanel, ViewerState]]

SPREAD = np.where(NUMERICAL == 3, 1e-7, 0.0)
LINE = Location(source=1, path="linear.py", line=10, function="LinearFunction.backward")


def reader_of(report: JacobianReport, matrices: dict[int, np.ndarray]) -> MemoryReader:
    """A trace with a report and the matrices of its blocks, by tensor."""
    pairs = (*LINEAR_TENSORS, *(tensor(number, each) for number, each in matrices.items()))
    return MemoryReader(replace(linear_trace(), reports=(report,)), pairs)


def one_block(shown: JacobianBlock) -> JacobianReport:
    return replace(wrong_report(), blocks=(shown,))


def rich_reader() -> MemoryReader:
    """The wrong weight of the scene `linear`, with reference, forward mode, spread and repair."""
    wrong = wrong_report().blocks[1]
    shown = replace(wrong, reference=24, forward=25, spread=26, lines=(LINE,))
    diagnosis = Diagnosis(
        code="transposed",
        message="It lacks a transpose.",
        output=0,
        input=1,
        repair=Repair(message="It was transposed.", matrix=27, wrong=0),
    )
    report = replace(one_block(shown), diagnoses=(diagnosis,))
    matrices = {
        22: NUMERICAL,
        23: ANALYTICAL,
        24: NUMERICAL,
        25: ANALYTICAL,
        26: SPREAD,
        27: NUMERICAL,
    }
    return reader_of(report, matrices)


def lonely_reader(side: int = 4000, at: tuple[int, int] = (1234, 2345)) -> MemoryReader:
    """A large matrix of which one element is wrong."""
    numerical = np.zeros((side, side))
    analytical = numerical.copy()
    analytical[at] = 0.5
    worst = WorstElement(
        row=at[0],
        column=at[1],
        input_index=(at[0],),
        output_index=(at[1],),
        analytical=0.5 + 0j,
        numerical=0j,
        excess=5e4,
    )
    shown = replace(block("x", 0, (side,), (22, 23)), output_shape=(side,), wrong=1, worst=worst)
    return reader_of(one_block(shown), {22: numerical, 23: analytical})


def maps(panel: JacobiansPanel) -> JacobianView:
    assert panel.maps.view is not None
    return panel.maps.view


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def cells_across(plot: MapPlot) -> float:
    """Number of columns that are visible at once."""
    return plot.area().width() / (plot.place_of(0, 1).x() - plot.place_of(0, 0).x())


def show_cells(plot: MapPlot, heat: np.ndarray) -> None:
    """Show cells alone, all of them."""
    plot.cells.show_cells(matrix_cells(heat, CellColors(limit=1.0)))
    plot.show_all()
