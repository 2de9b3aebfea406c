"""Slicing: any two dimensions as rows and columns, the others by spin box and slider."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSlider
from pytestqt.qtbot import QtBot

from gradviz.drawing.cells.plane import PlaneCut, plane_of
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.tensor_view.controls.slicer import Slicer
from gradviz.viewer.theme.theme import LIGHT
from tests.builders import tensor

SHAPE = (2, 3, 4, 5)
VALUES = np.arange(120.0).reshape(SHAPE)


@pytest.fixture
def slicer(qtbot: QtBot) -> Slicer:
    widget = Slicer(LIGHT, large=True)
    qtbot.addWidget(widget)
    widget.show_record(tensor(1, VALUES)[0])
    widget.show()
    return widget


def seen(slicer: Slicer) -> np.ndarray:
    return plane_of(tensor(1, VALUES)[1], cut=slicer.cut).values


def choose(slicer: Slicer, which: int, axis: int) -> None:
    assert slicer.axes is not None
    box = slicer.axes.boxes[which]
    box.setCurrentIndex(axis)
    box.activated.emit(axis)


def test_it_begins_with_the_last_two_dimensions(slicer: Slicer) -> None:
    assert (seen(slicer) == VALUES[0, 0]).all()
    assert [box.prefix() for box in slicer.boxes] == ["dim 0: ", "dim 1: "]
    assert slicer.boxes[1].suffix() == " of 3"


def test_any_two_dimensions_can_be_rows_and_columns(slicer: Slicer) -> None:
    choose(slicer, 0, 0)
    assert (seen(slicer) == VALUES[:, 0, 0, :]).all()
    choose(slicer, 1, 1)
    assert (seen(slicer) == VALUES[:, :, 0, 0]).all()
    assert [box.prefix() for box in slicer.boxes] == ["dim 2: ", "dim 3: "]


def test_the_same_dimension_twice_swaps_the_two(slicer: Slicer) -> None:
    choose(slicer, 0, 3)
    assert (seen(slicer) == VALUES[0, 0].T).all()


def test_slider_and_box_move_together(slicer: Slicer, qtbot: QtBot) -> None:
    cuts: list[PlaneCut] = []
    slicer.cut_changed.connect(cuts.append)
    slider, box = slicer.findChildren(QSlider)[1], slicer.boxes[1]
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert box.value() == 1
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert slider.value() == 2
    assert (seen(slicer) == VALUES[0, 2]).all()
    assert len(cuts) == 2


def test_boxes_count_in_indices_of_the_tensor_and_sliders_in_kept_ones(slicer: Slicer) -> None:
    record: TensorRecord = replace(
        tensor(1, VALUES)[0], shape=(2, 9, 4, 5), kept_steps=(1, 3, 1, 1), content="preview"
    )
    slicer.show_record(record)
    assert slicer.findChildren(QSlider)[1].maximum() == 2
    assert slicer.boxes[1].maximum() == 6
    slicer.findChildren(QSlider)[1].setValue(2)
    assert slicer.boxes[1].value() == 6
    assert slicer.cut.at == (0, 2, 0, 0)


@pytest.mark.parametrize("values", [3.0, [1.0, 2.0], np.zeros((0, 2, 3))])
def test_there_is_nothing_to_choose_in_few_dimensions(slicer: Slicer, values: object) -> None:
    slicer.show_record(tensor(1, values)[0])  # type: ignore[arg-type]
    assert slicer.isHidden()


def test_every_control_has_a_name(slicer: Slicer) -> None:
    assert slicer.axes is not None
    for part in (*slicer.boxes, *slicer.findChildren(QSlider), *slicer.axes.boxes):
        assert part.accessibleName()
        assert part.toolTip()


@pytest.mark.parametrize(
    "cut",
    [PlaneCut(rows=0, columns=3, at=(0, 2, 1, 0)), PlaneCut(rows=3, columns=1, at=(1, 0, 3, 0))],
)
def test_a_cell_and_its_index_belong_together(cut: PlaneCut) -> None:
    plane = plane_of(tensor(1, VALUES)[1], cut=cut)
    for cell in np.ndindex(plane.values.shape):
        index = plane.index(*cell)
        assert VALUES[index] == plane.values[cell]
        assert plane.cell_of(index) == cell
