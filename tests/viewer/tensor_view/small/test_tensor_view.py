"""The tensor view of a panel, and its tags."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QSpinBox, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.document.tag import Tag
from gradviz.drawing.cells.plane import PlaneCut, plane_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.tensor_view.small import tensor_view
from gradviz.viewer.tensor_view.small.tensor_head import TagPills, TensorHead
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.tensor_view.storage_letters import StorageLetters, letter
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from gradviz.viewer.widgets.pill import Pill
from tests.builders import linear_trace, tensor
from tests.viewer.pixels import ground_of, part, pixels_of
from tests.viewer.themes import change_theme


@pytest.fixture
def view(qtbot: QtBot) -> TensorView:
    widget = TensorView(APP_THEME)
    qtbot.addWidget(widget)
    widget.resize(320, 400)
    widget.show()
    return widget


def sampled() -> tuple[TensorRecord, TensorValue]:
    record, _ = tensor(1, np.arange(60.0).reshape(10, 6))
    kept = np.ascontiguousarray(np.arange(60.0).reshape(10, 6)[::3, ::2])
    record = replace(
        record, content="preview", kept_shape=(4, 3), kept_steps=(3, 2), note="too large"
    )
    return record, TensorValue(dtype="float64", shape=(4, 3), data=kept.tobytes())


def text(view: TensorView) -> str:
    return " | ".join(view.texts).replace("\N{NO-BREAK SPACE}", " ")


def test_it_says_what_the_tensor_is(view: TensorView) -> None:
    record, value = tensor(1, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    view.show_tensor("weight", replace(record, version=2), value, tags=(Tag("leaf", "leaf"),))
    shown = text(view)
    for words in ("weight", "float64 · 2×3 · cpu · version 2"):
        assert words in shown
    # The numbers say the rest, which is also told on hover.
    assert "mean 2.5" not in shown
    hover = view.findChild(TensorHead).toolTip().replace("\N{NO-BREAK SPACE}", " ")
    for words in ("mean 2.5", "leaf", "1 zero"):
        assert words in hover
    assert view.heatmap.numbers == [["0", "1", "2"], ["3", "4", "5"]]


def test_another_tensor_of_the_same_shape_formats_only_what_changes(
    view: TensorView, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, value = tensor(1, np.arange(60.0).reshape(3, 4, 5))
    view.show_tensor("first", record, value)
    view.slicer.boxes[0].setValue(2)
    formatted: list[TensorRecord] = []
    monkeypatch.setattr(
        tensor_view, "statistics_line", lambda each: formatted.append(each) or "statistics"
    )
    renamed: list[str] = []
    monkeypatch.setattr(QSpinBox, "setPrefix", lambda _, text: renamed.append(text))
    view.show_tensor("second", record, value)
    assert formatted == [record]
    assert renamed == []
    assert view.slicer.boxes[0].value() == 0
    assert "statistics" in text(view)


def test_zeros_are_counted_in_words(view: TensorView) -> None:
    view.show_tensor("w", *tensor(1, [*range(100), 0.0]))
    assert "2 zeros" in text(view)


def test_dtype_and_device_are_named_only_where_they_are_unusual(view: TensorView) -> None:
    for usual, said in ((("float64", "cpu"), "2"), (("float32", "cpu"), "float64 · [2]")):
        view.show_tensor("w", *tensor(1, [1.0, 5.0]), usual=usual)
        assert view.texts[1].strip("[]") == said.strip("[]")
        assert "float64 · [2] · cpu" in view.accessibleName()


@pytest.mark.parametrize(
    ("values", "shown", "note"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], [["all 1"]], ""),
        ([2.0, 2.0], [["all 2"]], ""),
        ([[float("nan")] * 2] * 2, [["all nan"]], ""),
        ([[3.0, 5.0]] * 4, [["3", "5"]], "4 equal rows"),
        ([[0.0, 0.0], [-0.0, 0.0]], [["0", "0"], ["0", "0"]], ""),
        ([[1.0]], [["1"]], ""),
    ],
)
def test_equal_data_is_one_line_until_an_element_is_looked_at(
    view: TensorView, values: list[list[float]], shown: list[list[str]], note: str
) -> None:
    view.show_tensor("w", *tensor(1, values))
    assert view.heatmap.numbers == shown
    assert (note in view.texts) == bool(note)
    rows = np.atleast_2d(values).shape
    last = tuple(length - 1 for length in np.shape(values))
    view.mark_element(last)
    assert np.shape(view.heatmap.numbers) == rows
    assert view.heatmap.marked_cell == (rows[0] - 1, rows[1] - 1)
    assert not note or note not in view.texts
    view.mark_element(None)
    assert view.heatmap.numbers == shown


def test_the_mouse_shows_the_buttons(view: TensorView) -> None:
    view.show_tensor("w", *tensor(1, [1.0, 2.0]))
    place = QPointF(2, 2)
    assert not view.buttons.isVisible()
    QApplication.sendEvent(view, QEnterEvent(place, place, place))
    assert view.buttons.isVisible()
    assert view.rect().contains(view.buttons.geometry())
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert not view.buttons.isVisible()


def test_each_slice_paints_its_own_elements(view: TensorView, qtbot: QtBot) -> None:
    values = np.arange(24.0).reshape(2, 3, 2, 2)
    view.show_tensor("w", *tensor(1, values))
    assert [box.maximum() for box in view.slicer.boxes] == [1, 2]
    before = pixels_of(view.heatmap)
    qtbot.keyClick(view.slicer.boxes[1], Qt.Key.Key_Up)
    assert view.heatmap.numbers == [["4", "5"], ["6", "7"]]
    assert (pixels_of(view.heatmap) != before).any()
    view.slicer.go_to(PlaneCut(rows=2, columns=3, at=(1, 2, 0, 0)))
    assert view.heatmap.numbers == [["20", "21"], ["22", "23"]]
    assert view.heatmap.element_text((0, 1)) == "w[1, 2, 0, 1] = 21.0"


def test_slices_of_one_tensor_share_their_scale(view: TensorView) -> None:
    view.show_tensor("w", *tensor(1, [[[1.0, 1.0]], [[10.0, 10.0]]]))
    pale = ground_of(part(pixels_of(view.heatmap), view.heatmap.cell_rect(0, 0)))
    view.slicer.go_to(PlaneCut(rows=1, columns=2, at=(1, 0, 0)))
    assert ground_of(part(pixels_of(view.heatmap), view.heatmap.cell_rect(0, 0))) != pale


def test_a_scale_can_be_locked(view: TensorView) -> None:
    view.show_tensor("w", *tensor(1, [[1.0, 2.0]]), limit=100.0)
    locked = ground_of(part(pixels_of(view.heatmap), view.heatmap.cell_rect(0, 1)))
    view.show_tensor("w", *tensor(1, [[1.0, 2.0]]))
    assert ground_of(part(pixels_of(view.heatmap), view.heatmap.cell_rect(0, 1))) != locked
    assert view.limit == 2.0


def test_a_sample_says_that_it_is_one_and_names_true_indices(view: TensorView) -> None:
    view.show_tensor("big", *sampled())
    assert "every 3rd row, every 2nd column (too large)" in text(view)
    assert view.heatmap.element_text((2, 1)) == "big[6, 2] = 38.0"
    assert view.limit == 59.0


@pytest.mark.parametrize(
    ("values", "numbers"),
    [(7.5, [["7.5"]]), ([1.0, 2.0], [["1", "2"]]), ([[True, False]], [["True", "False"]])],
)
def test_few_dimensions(view: TensorView, values: object, numbers: list[list[str]]) -> None:
    view.show_tensor("x", *tensor(1, values))  # type: ignore[arg-type]
    assert view.heatmap.numbers == numbers
    assert not view.slicer.boxes


def test_without_elements_it_says_why(view: TensorView) -> None:
    view.show_tensor("nothing", *tensor(1, np.zeros((0, 3))))
    assert "Empty: no elements." in text(view)
    assert view.heatmap.isHidden()
    record = replace(tensor(1, [1.0])[0], content="metadata", note="a sparse layout")
    view.show_tensor("sparse", replace(record, statistics=None), None)
    assert "Values not kept: a sparse layout." in text(view)


def test_none_is_shown_as_none(view: TensorView) -> None:
    view.show_tensor("x", *tensor(1, [1.0, 2.0]))
    view.show_none("bias")
    assert view.texts == ("bias", "None")
    assert view.heatmap.isHidden()


def test_only_a_tensor_has_buttons(view: TensorView) -> None:
    view.show_none("alpha", "1")
    assert view.findChildren(QToolButton) == []
    view.show_tensor("x", *tensor(1, [1.0, 2.0]))
    view.show_none("alpha", "1")
    view.buttons.reveal(True)
    assert not view.buttons.isVisible()


def test_counts_of_nan_and_infinity_lead_to_the_first(view: TensorView, qtbot: QtBot) -> None:
    values = np.zeros((3, 2, 4))
    values[1, 1, 2], values[2, 0, 3], values[2, 1, 3] = np.nan, np.inf, np.inf
    view.show_tensor("x", *tensor(1, values))
    assert view.texts[-2:] == ("1 NaN", "2 +Inf")
    seen: list[object] = []
    view.cursor_moved.connect(seen.append)
    pill = next(pill for pill in view.pills if pill.text() == "2 +Inf")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert view.slicer.cut.at[0] == 2
    assert seen[-1] == (0, 3)


def test_complex_elements_show_both_parts_and_are_colored_by_magnitude(view: TensorView) -> None:
    view.show_tensor("z", *tensor(1, np.array([[3 + 4j, -5.0], [0, 1j]])))
    assert view.heatmap.numbers == [["3+4j", "-5+0j"], ["0+0j", "0+1j"]]
    pixels = pixels_of(view.heatmap)
    grounds = [ground_of(part(pixels, view.heatmap.cell_rect(0, column))) for column in (0, 1)]
    assert grounds[0] == grounds[1]


def test_bfloat16_shows_its_values(view: TensorView) -> None:
    bits = np.array([0x3F80, 0xC000], dtype="<u2")
    record = replace(tensor(1, [1.0, -2.0])[0], dtype="bfloat16")
    view.show_tensor("b", record, TensorValue(dtype="bfloat16", shape=(2,), data=bits.tobytes()))
    assert view.heatmap.numbers == [["1", "-2"]]


def test_names_from_outside_are_never_html(view: TensorView) -> None:
    view.show_tensor("<b>x</b>", *tensor(1, [1.0]))
    assert view.texts[0] == "<b>x</b>"


def test_the_theme_can_change(view: TensorView) -> None:
    view.show_tensor("x", *tensor(1, [1.0]), tags=(Tag("leaf", "leaf"),))
    before = pixels_of(view)
    change_theme(DARK)
    assert (pixels_of(view) != before).any()


def test_the_same_memory_has_the_same_letter() -> None:
    pairs = [tensor(1, [1.0], storage=5), tensor(2, [1.0], storage=5), tensor(3, [1.0], storage=9)]
    trace = replace(linear_trace(), tensors=tuple(record for record, _ in pairs))
    marks = StorageLetters(index_trace(trace))
    tags = [marks.tag(record) for record, _ in pairs]
    assert tags[0] is not None
    assert tags[0] == tags[1]
    assert tags[2] is None
    assert [letter(place) for place in (0, 25, 26, 52)] == ["A", "Z", "AA", "BA"]


def test_planes_name_true_indices() -> None:
    _, value = tensor(1, np.arange(24.0).reshape(2, 3, 4))
    plane = plane_of(value, (5, 2, 3), PlaneCut(rows=1, columns=2, at=(1, 0, 0)))
    assert plane.index(2, 1) == (5, 4, 3)
    assert plane.cell_of((5, 4, 3)) == (2, 1)
    assert plane.cell_of((0, 4, 3)) is None
    assert plane.cell_of((5, 3, 3)) is None
    assert plane.values[2, 1] == 21.0


def test_a_row_keeps_few_pills_that_it_does_not_show(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    row = TagPills(LIGHT, owner)
    many, few = (tuple(Tag(f"step {number}") for number in range(count)) for count in (20, 1))
    row.show(many)
    assert [each.text() for each in row.pills] == [each.text for each in many]
    row.show(few)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [each.text() for each in row.pills] == ["step 0"]
    assert len(owner.findChildren(Pill)) <= 3
    row.show(many)
    assert [each.text() for each in row.pills] == [each.text for each in many]
