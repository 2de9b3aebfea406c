"""The grid of elements: spreadsheet keys and the clipboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from gradviz.model.inputs import InputSpec, Number, Offer, RunSubject
from gradviz.viewer.inputs.elements.cells_editor import CellsEditor
from gradviz.viewer.inputs.elements.cells_view import CellsView
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.pixels import part, pixels_of

CONTROL = Qt.KeyboardModifier.ControlModifier


class GridDriver:
    """The grid of a form's only argument."""

    def __init__(self, qtbot: QtBot, spec: InputSpec, theme: Theme = LIGHT) -> None:
        self.bot = qtbot
        self.form = InputsForm(ViewerState(theme))
        self.form.resize(400, 700)
        qtbot.addWidget(self.form)
        self.form.show()
        self.form.show_offer(Offer(subject=RunSubject(scene="s"), title="s", inputs=(spec,)))
        self.form.rows[0].open()
        qtbot.waitUntil(lambda: 0 in spec.shape or self.is_laid_out())
        self.view.setFocus()

    def is_laid_out(self) -> bool:
        return self.view.isVisible() and self.view.viewport().width() > 10

    @property
    def editor(self) -> CellsEditor:
        editor = self.form.rows[0].fields.editor
        assert editor is not None
        return editor

    @property
    def view(self) -> CellsView:
        return self.editor.view

    @property
    def field(self) -> QLineEdit:
        fields = [each for each in self.view.findChildren(QLineEdit) if each.isVisible()]
        assert len(fields) == 1
        return fields[0]

    @property
    def place(self) -> tuple[int, int]:
        return self.view.currentIndex().row(), self.view.currentIndex().column()

    @property
    def values(self) -> tuple[Number, ...] | None:
        offer = self.form.offer()
        return None if offer is None else offer.inputs[0].values

    @property
    def shape(self) -> tuple[int, ...]:
        offer = self.form.offer()
        assert offer is not None
        return offer.inputs[0].shape

    def type(self, text: str) -> None:
        """Begins to type in the current cell."""
        self.bot.keyClicks(self.view, text[0])
        self.bot.keyClicks(self.field, text[1:])

    def paste(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.bot.keyClick(self.view, Qt.Key.Key_V, CONTROL)

    def go(self, row: int, column: int) -> None:
        self.view.setCurrentIndex(self.view.model().index(row, column))


def matrix(dtype: str = "float64") -> InputSpec:
    return InputSpec(name="x", shape=(2, 3), dtype=dtype, fill="values", values=(1, 2, 3, 4, 5, 6))


def test_typing_replaces_and_counts_at_once(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    grid.type("7.5")
    # A run never misses what is still being typed.
    assert grid.field.isVisible()
    assert grid.values == (7.5, 2, 3, 4, 5, 6)
    assert grid.form.history.stack.count() == 1
    grid.form.history.stack.undo()
    assert grid.values == (1, 2, 3, 4, 5, 6)
    assert grid.field.text() == "1"


def test_enter_goes_down_and_tab_to_the_right(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    grid.type("9")
    qtbot.keyClick(grid.field, Qt.Key.Key_Return)
    assert grid.place == (1, 0)
    grid.type("8")
    qtbot.keyClick(grid.field, Qt.Key.Key_Tab)
    assert grid.place == (1, 1)
    grid.type("7")
    qtbot.keyClick(grid.field, Qt.Key.Key_Backtab)
    assert grid.place == (1, 0)
    assert grid.values == (9, 2, 3, 8, 7, 6)
    assert grid.form.history.stack.count() == 3
    qtbot.keyClick(grid.view, Qt.Key.Key_Return)
    assert grid.place == (0, 1)


def test_tab_leaves_after_the_last_element(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    visited = [grid.place]
    for _ in range(5):
        qtbot.keyClick(grid.view, Qt.Key.Key_Tab)
        visited.append(grid.place)
    assert visited == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    qtbot.keyClick(grid.view, Qt.Key.Key_Tab)
    assert grid.form.focusWidget() is not grid.view
    grid.view.setFocus()
    grid.go(0, 1)
    qtbot.keyClick(grid.view, Qt.Key.Key_Tab, CONTROL)
    assert grid.form.focusWidget() is not grid.view


def test_escape_takes_back_what_was_typed(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    grid.type("55")
    qtbot.keyClick(grid.field, Qt.Key.Key_Escape)
    assert grid.values == (1, 2, 3, 4, 5, 6)
    assert not grid.form.history.stack.canUndo()


def test_delete_sets_what_is_selected_to_zero(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(grid.view, key, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(grid.view, Qt.Key.Key_Delete)
    assert grid.values == (0, 0, 3, 0, 0, 6)
    grid.form.history.stack.undo()
    assert grid.values == (1, 2, 3, 4, 5, 6)


def test_copy_gives_lines_of_a_spreadsheet(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    qtbot.keyClick(grid.view, Qt.Key.Key_A, CONTROL)
    qtbot.keyClick(grid.view, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "1\t2\t3\n4\t5\t6"


@pytest.mark.parametrize(
    ("text", "shape", "values"),
    [
        ("tensor([[1., 2.],[3., 4.]])", (2, 2), (1, 2, 3, 4)),
        ("[1, 2]", (2,), (1, 2)),
        ("7\t8\n9\t10", (2, 3), (7, 8, 3, 9, 10, 6)),
        ("1\t2\t3\t4", (1, 4), (1, 2, 3, 4)),
    ],
)
def test_paste_fills_the_grid_and_gives_the_shape(
    qtbot: QtBot, text: str, shape: tuple[int, ...], values: tuple[float, ...]
) -> None:
    grid = GridDriver(qtbot, matrix())
    grid.paste(text)
    assert (grid.shape, grid.values) == (shape, values)
    grid.form.history.stack.undo()
    assert (grid.shape, grid.values) == ((2, 3), (1, 2, 3, 4, 5, 6))


def test_a_failed_paste_changes_nothing_and_is_reported(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    grid.paste("1,5\t2")
    refusal = grid.form.rows[0].fields.refusal
    assert refusal.text() == "1,5: use a decimal point, and no commas."
    assert grid.view.accessibleDescription() == refusal.text()
    assert grid.values == (1, 2, 3, 4, 5, 6)
    grid.type("4")
    assert refusal.text() == ""


def test_wrong_elements_are_reported_and_marked(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix("int8"))
    quiet = pixels_of(grid.view.viewport())
    grid.go(0, 1)
    grid.type("300")
    qtbot.keyClick(grid.field, Qt.Key.Key_Return)
    problem = grid.form.rows[0].fields.problem("values")
    assert problem == "Element [0, 1]: 300 does not fit in int8, whose range is -128 to 127."
    assert grid.values is None
    index = grid.view.model().index(0, 1)
    assert (
        index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == problem[len("Element [0, 1]: ") :]
    )
    box = grid.view.visualRect(index).toRectF()
    ground = part(pixels_of(grid.view.viewport()), box).reshape(-1, 3)
    assert (ground == LIGHT.color("error_fill").getRgb()[:3]).all(axis=1).mean() > 0.5
    assert (ground == LIGHT.color("error").getRgb()[:3]).all(axis=1).any()  # the line below
    assert not (part(quiet, box) == LIGHT.color("error").getRgb()[:3]).all(axis=-1).any()


def test_rounded_elements_have_a_corner(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix("float16"), DARK)
    grid.go(1, 1)
    grid.type("0.1")
    qtbot.keyClick(grid.field, Qt.Key.Key_Return)
    note = grid.form.rows[0].fields.elements_note.text()
    assert note == "0.1 is stored as 0.0999755859375 in float16."
    assert grid.values == (1, 2, 3, 4, 0.1, 6)
    color = DARK.color("warning").getRgb()[:3]
    box = grid.view.visualRect(grid.view.model().index(1, 1)).toRectF()
    marked = (part(pixels_of(grid.view.viewport()), box, 0) == color).all(axis=-1)
    assert marked[:4, -4:].any()
    assert not marked[8:].any()


def test_more_dimensions_have_a_choice_of_plane(qtbot: QtBot) -> None:
    spec = InputSpec(name="x", shape=(2, 3, 2, 2), fill="values", values=tuple(range(24)))
    grid = GridDriver(qtbot, spec)
    first, second = grid.editor.planes
    assert [first.maximum(), second.maximum()] == [1, 2]
    first.setValue(1)
    second.setValue(2)
    assert grid.view.copied_text() == "20"  # the current cell
    grid.view.clearSelection()
    assert grid.view.copied_text() == "20\t21\n22\t23"
    grid.go(1, 0)
    grid.type("-1")
    assert grid.values is not None
    assert grid.values[22] == -1
    assert [field.accessibleName() for field in (first, second)] == [
        "x: index of dimension 0",
        "x: index of dimension 1",
    ]


@pytest.mark.parametrize(("shape", "cells"), [((), (1, 1)), ((3,), (1, 3)), ((0, 3), (0, 0))])
def test_shapes_of_the_grid(qtbot: QtBot, shape: tuple[int, ...], cells: tuple[int, int]) -> None:
    count = 0 if 0 in shape else sum(shape) or 1
    spec = InputSpec(name="x", shape=shape, fill="values", values=(1,) * count)
    grid = GridDriver(qtbot, spec)
    assert (grid.view.model().rowCount(), grid.view.model().columnCount()) == cells
    assert grid.view.isVisible() == bool(count)


def test_every_kind_of_number_can_be_typed(qtbot: QtBot) -> None:
    for dtype, text, value in (
        ("float64", "-inf", float("-inf")),
        ("complex64", "1+2j", 1 + 2j),
        ("bool", "True", 1),
        ("int64", "9007199254740993", 9007199254740993),
    ):
        grid = GridDriver(qtbot, InputSpec(name="x", dtype=dtype, fill="values", values=(0,)))
        grid.type(text)
        assert grid.values == (value,)


def test_letters_and_the_clipboards_keys_are_not_taken_by_the_window(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())

    def taken(key: Qt.Key, text: str, modifiers: Qt.KeyboardModifier) -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, text)
        event.ignore()
        QApplication.sendEvent(grid.view, event)
        return event.isAccepted()

    none, alt = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
    assert taken(Qt.Key.Key_Question, "?", Qt.KeyboardModifier.ShiftModifier)
    assert taken(Qt.Key.Key_B, "b", none)
    assert taken(Qt.Key.Key_V, "\x16", CONTROL)
    assert not taken(Qt.Key.Key_R, "\x12", CONTROL)
    assert not taken(Qt.Key.Key_F, "f", alt)
    assert not taken(Qt.Key.Key_PageDown, "", none)
    assert not taken(Qt.Key.Key_Z, "\x1a", CONTROL)


def test_double_click_edits_in_place(qtbot: QtBot) -> None:
    grid = GridDriver(qtbot, matrix())
    place: QPoint = grid.view.visualRect(grid.view.model().index(1, 2)).center()
    qtbot.mouseClick(grid.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(grid.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert grid.field.text() == "6"
    qtbot.keyClicks(grid.field, "0")
    assert grid.values is not None
    assert grid.values[5] in (60, 0)


def test_tab_goes_once_round_and_leaves_nothing_out(qtbot: QtBot) -> None:
    spec = InputSpec(name="x", shape=(2, 1, 2), fill="values", values=(1, 2, 3, 4))
    grid = GridDriver(qtbot, spec)
    header = grid.form.rows[0].header
    header.setFocus()
    names = []
    while not names or grid.form.focusWidget() is not header:
        names.append(grid.form.focusWidget().accessibleName())
        qtbot.keyClick(grid.form.focusWidget(), Qt.Key.Key_Tab)
        assert len(names) < 30
    assert names == [
        *("x", "x: kind", "x: shape", "x: dtype", "x: fill", "x: requires_grad"),
        *("x: index of dimension 0", "x: elements", "x: elements"),
        *(
            "Seed",
            "How the backward pass starts",
            "Output that the backward pass starts at, counted from 0",
        ),
    ]


def test_the_current_element_is_in_sight(qtbot: QtBot) -> None:
    spec = InputSpec(name="x", shape=(6, 2), fill="values", values=(1,) * 12)
    grid = GridDriver(qtbot, spec)
    grid.form.resize(400, 160)
    qtbot.waitUntil(lambda: grid.form.area.verticalScrollBar().maximum() > 100)
    grid.form.rows[0].header.setFocus()
    grid.form.area.verticalScrollBar().setValue(0)

    def is_seen() -> bool:
        cell = grid.view.visualRect(grid.view.currentIndex())
        view = grid.form.area.viewport()
        return view.rect().contains(grid.view.viewport().mapTo(view, cell.center()))

    assert not is_seen()
    grid.view.setFocus()
    for _ in range(6):
        qtbot.waitUntil(is_seen)
        qtbot.keyClick(grid.view, Qt.Key.Key_Return)
