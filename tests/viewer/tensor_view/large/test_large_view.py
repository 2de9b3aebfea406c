"""A large tensor view: heatmap, numbers and histogram of one plane share a cursor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.model.tensor import TensorValue
from gradviz.viewer.background import Background
from gradviz.viewer.tensor_view.large.large_view import MODES, LargeTensorView, TensorViewMode
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT, Theme
from tests.builders import tensor
from tests.viewer.pixels import pixels_of
from tests.viewer.themes import change_theme

CUBE = np.arange(24.0).reshape(2, 3, 4)


def display(values: object, **changes: object) -> ShownTensor:
    record, value = tensor(1, values)  # type: ignore[arg-type]
    return ShownTensor(name="x", record=structs.replace(record, **changes), value=value)  # type: ignore[arg-type]


@pytest.fixture
def view(qtbot: QtBot) -> LargeTensorView:
    widget = LargeTensorView(APP_THEME)
    qtbot.addWidget(widget)
    widget.resize(640, 560)
    widget.show()
    return widget


def choose(view: LargeTensorView, mode: TensorViewMode) -> None:
    view.options.switch.segment(MODES.index(mode)).click()


def messages(view: LargeTensorView) -> str:
    return view.readout.text()


def test_the_summary_is_one_line_with_everything(view: LargeTensorView) -> None:
    values = np.array([[0.0, 1.0, np.nan], [3.0, -np.inf, 5.0]])
    view.show_display(replace(display(values), mark="B"))
    assert view.summary.text().replace("\N{NO-BREAK SPACE}", " ") == (
        "float64 · 2×3 · cpu · memory B · 6 elements · 0 … 5 · mean 2.25 · std 1.92 · "
        "norm 5.916 · 1 zero · 1 NaN · 1 −Inf"
    )
    assert view.accessibleName().startswith("x: float64")


def test_cells_and_numbers_fill_the_available_area(view: LargeTensorView) -> None:
    view.show_display(display([[1.0, 2.0], [3.0, 4.0]]))
    QApplication.processEvents()
    small = view.heatmap.cell_rect(0, 0).width()
    assert view.heatmap.numbers == [["1", "2"], ["3", "4"]]
    view.show_display(display(np.ones((12, 12)) / 3))
    assert view.heatmap.cell_rect(0, 0).width() < small
    area = view.heatmap.area()
    assert area.right() <= view.heatmap.width()
    assert area.bottom() <= view.heatmap.height()


@pytest.mark.parametrize("mode", ["heatmap", "numbers"])
def test_arrow_keys_move_the_cursor_and_enter_pins(
    view: LargeTensorView, qtbot: QtBot, mode: TensorViewMode
) -> None:
    view.show_display(display(CUBE))
    choose(view, mode)
    picked: list[object] = []
    view.element_picked.connect(picked.append)
    shown = view.stack.currentWidget()
    shown.setFocus()
    view.table.move_cursor((0, 0))
    view.heatmap.move_cursor((0, 0))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(shown, key)
    assert messages(view) == "x[0, 2, 1] = 9.0"
    qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert picked == [(0, 2, 1)]


def test_a_pinned_element_stays_visible_without_the_mouse(view: LargeTensorView) -> None:
    view.show_display(display(CUBE))
    before = pixels_of(view.heatmap)
    view.mark_element((0, 1, 2))
    assert messages(view) == "x[0, 1, 2] = 6.0"
    assert (pixels_of(view.heatmap) != before).any()
    view.mark_element((1, 1, 2))
    assert view.heatmap.marked_cell is None
    view.slicer.boxes[0].setValue(1)
    assert view.heatmap.marked_cell == (1, 2)
    view.mark_element(None)
    assert "Point at an element" in messages(view)


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("<f4", "x[0] = 0.1"),
        ("<f8", "x[0] = 0.1"),
        ("<f2", "x[0] = 0.1"),
        ("<i8", "x[0] = 0"),
        ("|b1", "x[0] = True"),
        ("<c16", "x[0] = 0.1+0j"),
    ],
)
def test_the_exact_value_has_the_digits_of_its_dtype(
    view: LargeTensorView, dtype: str, text: str
) -> None:
    array = np.array([0.1]).astype(dtype)
    record = structs.replace(tensor(1, [0.1])[0], dtype=array.dtype.name, statistics=None)
    value = TensorValue(dtype=array.dtype.name, shape=(1,), data=array.tobytes())
    view.show_display(ShownTensor(name="x", record=record, value=value))
    view.mark_element((0,))
    assert messages(view) == text


@pytest.mark.parametrize(("dtype", "bits"), [("bfloat16", "<u2"), ("float8_e5m2", "|u1")])
def test_short_floats_are_shown_by_value(view: LargeTensorView, dtype: str, bits: str) -> None:
    codes = np.array([0x3F80, 0xC000] if bits == "<u2" else [0x3C, 0xC0], dtype=bits)
    record = structs.replace(tensor(1, [1.0, -2.0])[0], dtype=dtype)
    value = TensorValue(dtype=dtype, shape=(2,), data=codes.tobytes())
    view.show_display(ShownTensor(name="x", record=record, value=value))
    assert view.heatmap.numbers == [["1", "-2"]]


def test_each_part_of_complex_values_can_be_seen(view: LargeTensorView) -> None:
    values = np.array([[3 + 4j, -1j]])
    view.show_display(display(values))
    options = view.options
    expected = {
        "value": ([["3+4j", "0-1j"]], 5.0),
        "real": ([["3", "0"]], 3.0),
        "imag": ([["4", "-1"]], 4.0),
        "abs": ([["5", "1"]], 5.0),
        "angle": ([["0.9273", "-1.571"]], np.pi),
    }
    for part, (numbers, limit) in expected.items():
        options.parts.setCurrentIndex(options.parts.findData(part))
        options.view_request_changed.emit()
        assert view.heatmap.numbers == numbers
        assert view.heatmap.cells is not None
        assert view.heatmap.cells.colors.limit == pytest.approx(limit)
    view.mark_element((0, 0))
    assert messages(view) == "x[0, 0] = 3+4j"


def test_the_choice_of_a_part_is_there_for_complex_values_only(view: LargeTensorView) -> None:
    view.show_display(display(np.array([1j])))
    assert not view.options.parts.isHidden()
    view.show_display(display([1.0]))
    assert view.options.parts.isHidden()
    assert view.options.part == "value"


def test_outliers_can_be_left_out_of_the_scale_and_are_counted(
    view: LargeTensorView, qtbot: QtBot
) -> None:
    values = np.full((20, 20), 0.5)
    values[3, 4], values[7, 7] = 100.0, -100.0
    view.show_display(display(values))
    assert view.non_finite.pills == ()
    options = view.options
    options.reaches.setCurrentIndex(options.reaches.findData("most"))
    options.view_request_changed.emit()
    pill = view.non_finite.pills[0]
    assert pill.text() == "2 beyond the scale"
    assert view.bar.labels == ("-0.5", "0", "0.5")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert messages(view) == "x[3, 4] = 100.0"


def test_a_count_leads_to_the_first_in_whatever_plane_it_is(
    view: LargeTensorView, qtbot: QtBot
) -> None:
    values = CUBE.copy()
    values[1, 2, 3] = np.nan
    view.show_display(display(values))
    qtbot.mouseClick(view.non_finite.pills[0], Qt.MouseButton.LeftButton)
    assert view.slicer.cut.at == (1, 0, 0)
    assert messages(view) == "x[1, 2, 3] = nan"


def test_the_histogram_says_of_what_it_is(view: LargeTensorView) -> None:
    view.show_display(display(CUBE))
    choose(view, "histogram")
    assert messages(view) == "Histogram of all 24 elements."
    assert view.histogram.histogram is not None
    assert view.histogram.histogram.total == 24
    sample = display(
        CUBE, shape=(4, 6, 4), kept_steps=(2, 2, 1), content="preview", note="too many"
    )
    view.show_display(sample)
    assert messages(view) == "Histogram of the 24 kept elements of 96."
    assert view.note.text() == (
        "Statistics cover all 96 elements; 2×3×4 of them are shown: every 2nd index of "
        "dimension 0, every 2nd row (too many)."
    )


def test_stepping_keeps_the_plane_while_the_shape_stays(view: LargeTensorView) -> None:
    view.show_display(display(CUBE))
    view.slicer.boxes[0].setValue(1)
    view.show_display(display(CUBE * 2))
    assert view.heatmap.numbers is not None
    assert view.heatmap.numbers[0] == ["24", "26", "28", "30"]
    view.show_display(display(np.ones((3, 2, 2))))
    assert view.slicer.cut.at == (0, 0, 0)


@pytest.mark.parametrize("values", [7.5, np.zeros((0, 3)), [True, False], np.int64(3)])
def test_unusual_shapes_work(view: LargeTensorView, values: object) -> None:
    view.show_display(display(values))
    for mode in ("numbers", "histogram", "heatmap"):
        choose(view, mode)
        pixels_of(view)


def test_without_elements_there_is_only_what_is_known(view: LargeTensorView) -> None:
    record = structs.replace(tensor(1, [1.0])[0], content="metadata", note="a sparse layout")
    view.show_display(
        ShownTensor(name="x", record=structs.replace(record, statistics=None), value=None)
    )
    assert view.stack.isHidden()
    assert view.note.text() == "Values not kept: a sparse layout."


def test_a_large_tensor_is_prepared_in_the_background(qtbot: QtBot) -> None:
    background = Background()
    view = LargeTensorView(APP_THEME, background)
    qtbot.addWidget(view)
    view.resize(640, 560)
    view.show()
    view.show_display(display(CUBE))
    values = np.zeros((700, 800))
    values[5, 6] = 2.0
    view.show_display(display(values))
    assert view.stack.isHidden()
    assert messages(view) == "Preparing the heatmap…"
    qtbot.waitUntil(lambda: not background.busy)
    assert not view.stack.isHidden()
    view.mark_element((5, 6))
    assert messages(view) == "x[5, 6] = 2.0"
    background.close()


@pytest.mark.parametrize("theme", [DARK, Theme(name="light", scale=1.6)])
def test_it_follows_the_theme(view: LargeTensorView, theme: Theme) -> None:
    view.show_display(display(CUBE))
    before = pixels_of(view)
    change_theme(theme)
    QApplication.processEvents()
    after = pixels_of(view)
    assert after.shape != before.shape or (after != before).any()
    for label in (view.summary, view.readout):
        assert label.font().pixelSize() >= round(12 * theme.scale)


def test_the_table_shows_the_same_plane(view: LargeTensorView) -> None:
    values = np.array([[0.5, np.nan], [-1e-9, 3.0]])
    view.show_display(display(values))
    choose(view, "numbers")
    model = view.table.model()
    texts = [[model.index(row, column).data() for column in range(2)] for row in range(2)]
    assert texts == [["0.5", "nan"], ["-1e-09", "3"]]
    role = Qt.ItemDataRole
    nan = model.index(0, 1)
    assert nan.data(role.BackgroundRole) == LIGHT.color("nan")
    assert nan.data(role.AccessibleTextRole) == "x[0, 1] = nan"
    sample = display(np.arange(6.0).reshape(2, 3), shape=(4, 9), kept_steps=(2, 3))
    view.show_display(sample)
    heads = [
        model.headerData(2, Qt.Orientation.Horizontal),
        model.headerData(1, Qt.Orientation.Vertical),
    ]
    assert heads == ["6", "2"]
