"""Options of the maps: other matrices, the tolerance, the color range, the zeros."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.drawing.appearance.palette import PaletteTheme, color
from gradviz.drawing.cells.cell_numbers import ZERO
from gradviz.drawing.cells.cells import CellColors, tolerance_colors
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT, apply_theme
from tests.viewer.jacobians.panel_reports import SPREAD, lonely_reader, maps, rich_reader, settle
from tests.viewer.pixels import grey, ground_of, pixels_of
from tests.viewer.traces import ANALYTICAL, NUMERICAL, wrong_reader


@pytest.fixture
def panel(panel: JacobiansPanel, state: ViewerState) -> JacobiansPanel:
    state.show(rich_reader())
    settle()
    return panel


def choose(panel: JacobiansPanel, qtbot: QtBot, head: int, name: str) -> None:
    """Chooses from the list with the keyboard."""
    box = maps(panel).heads[head].box
    assert box is not None
    steps = box.findText(name) - box.currentIndex()
    key = Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up
    for _ in range(abs(steps)):
        qtbot.keyClick(box, key)
    settle()


def press(panel: JacobiansPanel, qtbot: QtBot, place: int) -> None:
    switch = maps(panel).heads[2].switch
    assert switch is not None
    qtbot.mouseClick(switch.segment(place), Qt.MouseButton.LeftButton)
    settle()


def numbers(panel: JacobiansPanel, which: int) -> list[str]:
    view = maps(panel)
    pixels_of(view)
    return view.plots[which].cells.painted_numbers


def test_the_repaired_difference_vanishes_on_the_scale_it_had(
    panel: JacobiansPanel, qtbot: QtBot
) -> None:
    before = maps(panel).matrices.layers[2].colors.limit
    choose(panel, qtbot, 1, "repaired")
    view = maps(panel)
    assert (view.matrices.layers[1].values == NUMERICAL).all()
    assert (view.matrices.layers[2].values == 0).all()
    assert view.matrices.layers[2].colors.limit == before == 1.0
    assert view.matrices.wrong.count == 0
    assert "within the tolerance" in view.readout
    choose(panel, qtbot, 1, "analytical")
    assert (maps(panel).matrices.layers[1].values == ANALYTICAL).all()


def test_forward_mode_and_reference_are_further_maps(panel: JacobiansPanel, qtbot: QtBot) -> None:
    box = maps(panel).heads[1].box
    assert box is not None
    names = [box.itemText(at) for at in range(box.count())]
    assert names == ["analytical", "repaired", "reference", "forward mode"]
    choose(panel, qtbot, 1, "forward mode")
    assert "forward mode 2.0" in maps(panel).readout
    told = " ".join(panel.findings.element.texts)
    assert "Forward mode, for a tangent of 1 at weight[1, 0], returned 2 at output[0, 0]." in told


def test_the_reference_can_be_what_is_compared_with(panel: JacobiansPanel, qtbot: QtBot) -> None:
    choose(panel, qtbot, 0, "reference")
    view = maps(panel)
    assert view.matrices.choice.base == "reference"
    assert "reference 1.0   analytical 2.0" in view.readout
    assert not any("was moved" in text for text in panel.findings.element.texts)


def test_a_repair_is_shown_from_its_card(panel: JacobiansPanel, qtbot: QtBot) -> None:
    (card,) = panel.findings.cards
    qtbot.mouseClick(card.repair_button, Qt.MouseButton.LeftButton)
    settle()
    assert maps(panel).matrices.choice.other == "repaired"
    assert maps(panel).heads[1].text == "repaired"


def test_the_tolerance_shows_by_how_much_each_fails(panel: JacobiansPanel, qtbot: QtBot) -> None:
    press(panel, qtbot, 1)
    view = maps(panel)
    excess = np.abs(ANALYTICAL - NUMERICAL) / (1e-5 + 1e-3 * np.abs(NUMERICAL))
    assert np.allclose(view.matrices.layers[2].values, excess)
    written = numbers(panel, 2)
    assert written[0] == "0"
    assert any(text.startswith("990") for text in written)
    # Inside is pale, outside dark: told apart in a grey print, too.
    pixels = grey(pixels_of(view.plots[2]))
    shades = []
    for cell in ((0, 0), (3, 0), (0, 3)):
        at = view.plots[2].place_of(*cell).toPoint()
        shades.append(pixels[at.y() - 9, at.x() - 12])
    assert shades[0] - max(shades[1:]) > 60
    press(panel, qtbot, 0)
    assert (maps(panel).matrices.layers[2].values == ANALYTICAL - NUMERICAL).all()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_scale_of_the_tolerance_has_its_seam_at_one(theme: PaletteTheme) -> None:
    excess = np.array([[0.0, 0.99, 1.0, 1.01, 1e3, np.inf]])
    colors = tolerance_colors(excess, 1e3, theme)[0].astype(int)
    shades = grey(colors.astype(np.uint8))
    ground = grey(np.array(list(bytes.fromhex(color("panel", theme)[1:])), dtype=np.uint8))
    away = np.abs(shades - ground)
    assert away[0] < away[1] < away[3] < away[4] <= away[5]
    assert np.abs(colors[2] - colors[3]).sum() > 100
    assert (colors[4] == colors[5]).all()


def test_the_spread_is_a_map_of_its_own(panel: JacobiansPanel, qtbot: QtBot) -> None:
    press(panel, qtbot, 2)
    view = maps(panel)
    assert (view.matrices.layers[2].values == SPREAD).all()
    view.move_cursor((3, 3))
    assert "spread 1e-07" in view.readout


def test_zeros_stand_out_from_what_is_nearly_zero(panel: JacobiansPanel, qtbot: QtBot) -> None:
    plain = numbers(panel, 0)
    qtbot.mouseClick(maps(panel).foot.buttons[0], Qt.MouseButton.LeftButton)
    settle()
    dotted = numbers(panel, 0)
    zero = (NUMERICAL == 0).reshape(-1)
    assert [text == ZERO for text in dotted] == zero.tolist()
    assert {text for text, each in zip(plain, zero, strict=True) if each} == {"0"}
    heat = np.array([[0.0, 1e-300]])
    colors = CellColors(limit=1.0, zeros=True).of(heat, "light")[0]
    assert (colors[0] != colors[1]).any()


def test_it_is_seen_whether_zeros_stand_out(
    panel: JacobiansPanel, state: ViewerState, qapp: QApplication
) -> None:
    for theme in (DARK, LIGHT):
        apply_theme(qapp, theme)
        state.set_theme(theme)
        button = maps(panel).foot.buttons[0]
        size, soft = button.size(), theme.color("accent_soft").getRgb()[:3]  # type: ignore[index]
        assert ground_of(pixels_of(button)[..., :3]) != soft
        button.click()
        settle()
        assert ground_of(pixels_of(button)[..., :3]) == soft
        assert button.size() == size
        button.click()
        settle()


def test_the_structure_is_reported(panel: JacobiansPanel) -> None:
    assert maps(panel).foot.structure.text() == (
        "analytical: 75% of the elements are exactly zero · difference = analytical − numerical"
    )


def test_what_was_chosen_stays_for_another_pair_as_far_as_it_has_it(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    press(panel, qtbot, 1)
    choose(panel, qtbot, 1, "repaired")
    state.show(wrong_reader())
    settle()
    choice = maps(panel).matrices.choice
    assert (choice.other, choice.third) == ("analytical", "tolerance")
    assert maps(panel).heads[1].box is None


def test_one_wrong_element_of_many_is_seen_in_the_tolerance(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    state.show(lonely_reader(800, (200, 300)))
    settle()
    press(panel, qtbot, 1)
    view = maps(panel)
    view.move_cursor((700, 20))
    at = view.plots[2].place_of(200, 300).toPoint()
    around = grey(pixels_of(view.plots[2]))[at.y() - 8 : at.y() + 8, at.x() - 8 : at.x() + 8]
    assert (around < 60).sum() > 20
