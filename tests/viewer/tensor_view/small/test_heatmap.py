import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.drawing.appearance.color_map import color_table, colors_of_values
from gradviz.drawing.cells.cell_numbers import MOST_HEIGHT, NumberFont
from gradviz.drawing.cells.cells import cells_of
from gradviz.drawing.cells.plane import plane_of
from gradviz.viewer.tensor_view.small import heatmap as heatmap_module
from gradviz.viewer.tensor_view.small.heatmap import Heatmap
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from tests.builders import tensor
from tests.viewer.pixels import grey, ground_of, ink_box, part, pixels_of
from tests.viewer.themes import change_theme


def heatmap(qtbot: QtBot, values: object, width: int = 320, limit: float = 0.0) -> Heatmap:
    _, value = tensor(1, values)  # type: ignore[arg-type]
    widget = Heatmap(APP_THEME)
    qtbot.addWidget(widget)
    limit = limit or float(np.nanmax(np.abs(values)))
    widget.show_cells(cells_of(plane_of(value), limit), "weight")
    widget.resize(width, widget.heightForWidth(width))
    widget.show()
    return widget


@pytest.mark.parametrize("width", [200, 320, 480])
def test_each_number_is_inside_its_cell(qtbot: QtBot, width: int) -> None:
    values = np.array([[0.0, -1.25], [123456.0, 1e-12]])
    widget = heatmap(qtbot, values, width)
    assert widget.numbers is not None
    pixels = pixels_of(widget)
    for row in range(2):
        for column in range(2):
            cell = part(pixels, widget.cell_rect(row, column), inset=1)
            left, top, right, bottom = ink_box(cell)
            assert left > 0
            assert top > 0
            assert right < cell.shape[1] - 1
            assert bottom < cell.shape[0] - 1


def test_numbers_are_left_out_rather_than_cut(qtbot: QtBot) -> None:
    values = np.linspace(-1, 1, 400).reshape(20, 20) / 3
    widget = heatmap(qtbot, values)
    assert widget.numbers is None
    assert widget.height() <= MOST_HEIGHT + 2
    assert widget.area().right() <= widget.width()


def test_numbers_with_fewer_digits_come_before_cells_without_any(qtbot: QtBot) -> None:
    values = np.array([[1.541, -0.2934, -2.179, 0.5684], [-1.085, -1.398, 0.4033, 0.838]])
    view = heatmap(qtbot, values, width=194)
    assert view.numbers == [["1.5", "-0.29", "-2.2", "0.57"], ["-1.1", "-1.4", "0.4", "0.84"]]


def test_numbers_without_space_are_measured_until_one_is_too_wide(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    def width(text: str) -> float:
        measured.append(text)
        return 0.6 * len(text)

    font = NumberFont(width=width, height=1.2)
    monkeypatch.setattr(heatmap_module, "number_font", lambda: font)
    widget = heatmap(qtbot, np.linspace(-1, 1, 80).reshape(10, 8) / 3)
    assert widget.numbers is None
    # The first number, with four digits and with three, at two widths.
    assert 0 < len(measured) <= 4


def test_a_wide_row_stays_within_the_panel(qtbot: QtBot) -> None:
    widget = heatmap(qtbot, np.arange(5000.0), width=300)
    assert widget.area().width() <= 300
    assert widget.area().height() >= 10


def test_a_single_large_element_of_a_huge_plane_is_painted(qtbot: QtBot) -> None:
    values = np.zeros((2000, 2000))
    values[777, 1234] = -5.0
    widget = heatmap(qtbot, values)
    pixels = pixels_of(widget)
    blue = colors_of_values(np.array([-5.0]), 5.0)[0]
    assert (pixels == blue).all(axis=2).any()


def test_the_mouse_moves_the_cursor_and_leaving_takes_it_away(qtbot: QtBot) -> None:
    widget = heatmap(qtbot, [[0.0, 1.0], [2.0, 3.0]])
    seen: list[object] = []
    widget.cursor_moved.connect(seen.append)
    qtbot.mouseMove(widget, widget.cell_rect(1, 0).center().toPoint())
    QApplication.processEvents()
    assert seen == [(1, 0)]
    assert widget.element_text((1, 0)) == "weight[1, 0] = 2.0"
    qtbot.mouseMove(widget, QPoint(widget.width() - 2, widget.height() - 2))
    QApplication.processEvents()
    assert seen[-1] is None


def test_shift_with_arrows_moves_the_cursor_and_arrows_alone_do_not(qtbot: QtBot) -> None:
    widget = heatmap(qtbot, [[0.0, 1.0], [2.0, 3.0]])
    seen: list[object] = []
    widget.cursor_moved.connect(seen.append)
    qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert seen == []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(widget, key, Qt.KeyboardModifier.ShiftModifier)
    assert seen == [(0, 0), (0, 1), (1, 1)]


def test_the_cursor_is_seen_on_dark_and_light_cells(qtbot: QtBot) -> None:
    widget = heatmap(qtbot, [[0.0, 5.0], [-5.0, 5.0]])
    for cell in ((0, 0), (0, 1), (1, 0)):
        widget.move_cursor(cell)
        shades = grey(part(pixels_of(widget), widget.cell_rect(*cell), inset=0))
        assert shades.min() < 20
        assert shades.max() > 235


def test_cells_and_their_numbers_take_the_colors_of_the_theme(qtbot: QtBot) -> None:
    widget = heatmap(qtbot, [[0.5, -1.0]])
    for theme in (LIGHT, DARK, LIGHT):
        change_theme(theme)
        cell = part(pixels_of(widget), widget.cell_rect(0, 0))
        assert ground_of(cell) == tuple(color_table(theme.name)[255 + 128].tolist())
        assert grey(cell).max() > 235 if theme.dark else grey(cell).min() < 20
