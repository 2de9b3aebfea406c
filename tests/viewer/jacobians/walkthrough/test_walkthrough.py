"""A check explained with the clicker in Presenter Mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import QEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.drawing.appearance.color_map import (
    color_table,
    current_color_map,
    dark_ink_on,
    set_color_map,
)
from gradviz.drawing.appearance.palette import (
    ColorMapName,
    PaletteTheme,
    color,
    contrast,
    mixed,
)
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.jacobians.code_passage import passage_of
from gradviz.viewer.jacobians.check_ideas import ideas_of
from gradviz.viewer.jacobians.walkthrough.large_matrix import DIM_ALPHA
from gradviz.viewer.jacobians.walkthrough.walkthrough import CheckWalkthrough
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT, Theme
from tests.viewer.jacobians.panel_reports import lonely_reader, rich_reader, settle
from tests.viewer.painted_texts import painted_texts
from tests.viewer.traces import linear_reader, wrong_report

STAGE = replace(LIGHT, scale=1.8)


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[tuple[CheckWalkthrough, ViewerState, JacobiansPanel]]:
    state = ViewerState(replace(STAGE))
    panel = JacobiansPanel(state)
    qtbot.addWidget(panel)
    panel.resize(1280, 620)
    state.presentation.set_presenting(True)
    panel.show()
    state.show(rich_reader())
    settle()
    yield panel.walkthrough, state, panel
    state.show(None)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


Shown = tuple[CheckWalkthrough, ViewerState, JacobiansPanel]


def kinds(state: ViewerState, walkthrough: CheckWalkthrough) -> list[str]:
    """Click through to the end."""
    found = []
    while True:
        assert walkthrough.idea is not None
        found.append(walkthrough.idea.kind)
        if not state.clicks.forward():
            return found


def test_each_click_shows_one_more_idea_and_back(shown: Shown) -> None:
    walkthrough, state, panel = shown
    assert not panel.bar.isVisible()
    view = walkthrough.view
    assert [each.title for each in view.matrices] == ["numerical", "", ""]
    assert state.presentation.idea is not None
    assert state.presentation.idea.title == "gradcheck · ∂ output / ∂ weight"
    assert (state.presentation.idea.at, state.presentation.idea.count) == (0, 6)
    assert kinds(state, walkthrough) == [
        "numerical",
        "analytical",
        "difference",
        "worst",
        "diagnosis",
        "repair",
    ]
    assert [each.title for each in view.matrices] == ["numerical", "analytical", "repaired"]
    assert state.clicks.back()
    assert [each.title for each in view.matrices] == ["numerical", "analytical", "difference"]
    state.clicks.rewind()
    assert state.presentation.idea.at == 0
    assert not state.clicks.has_previous


def test_the_same_element_is_marked_in_all_three(shown: Shown) -> None:
    walkthrough, state, _ = shown
    for _ in range(3):
        state.clicks.forward()
    settle()
    assert [each.emphasis.cell for each in walkthrough.view.matrices] == [(3, 0)] * 3
    assert all(each.emphasis.alone for each in walkthrough.view.matrices)
    assert walkthrough.view.sentences.shown == (
        "2 − 1 = 1. A difference of 0.00101 is allowed: this is 990 times as much.",
    )


def test_numbers_and_text_are_large(shown: Shown) -> None:
    walkthrough, state, panel = shown
    state.clicks.finish()
    settle()
    panel.grab()
    for matrix in walkthrough.view.matrices:
        assert len(matrix.painted_numbers) == 36
    assert walkthrough.view.sentences.pixels >= 18
    assert walkthrough.view.axes.font().pixelSize() >= 18


def test_the_code_of_the_gradient_is_marked(shown: Shown) -> None:
    walkthrough, state, _ = shown
    assert walkthrough.view.code.passage is None
    for _ in range(4):
        state.clicks.forward()
    passage = walkthrough.view.code.passage
    assert passage is not None
    assert (passage.first, passage.last, passage.marked) == (8, 10, {10})
    assert set(walkthrough.view.code.shown) == {8, 9, 10}


def test_without_known_lines_backward_is_shown_unmarked(shown: Shown) -> None:
    _, state, _ = shown
    assert state.index is not None
    (idea,) = ideas_of(structs.replace(wrong_report(), blocks=()))
    passage = passage_of(state.index, idea, ("torch refused this.",))
    assert passage is not None
    assert (passage.first, passage.last, passage.marked) == (8, 10, frozenset())


def test_a_hidden_page_neither_takes_clicks_nor_the_headline(shown: Shown) -> None:
    _, state, panel = shown
    panel.hide()
    assert state.presentation.idea is None
    assert not state.clicks.has_next
    panel.show()
    state.presentation.set_presenting(False)
    assert state.presentation.idea is None
    assert not state.clicks.has_next
    assert panel.bar.isVisible()


def test_the_maps_wait_until_presenter_mode_ends(shown: Shown) -> None:
    _, state, panel = shown
    assert panel.maps.view is None
    state.presentation.set_presenting(False)
    settle()
    assert panel.maps.view is not None
    assert panel.maps.view.isVisible()


def test_without_a_check_the_first_click_starts_it(shown: Shown) -> None:
    walkthrough, state, panel = shown
    state.show(linear_reader())
    panel.set_checkable(True)
    assert state.presentation.idea is not None
    assert state.presentation.idea.sentence == "Nothing has been checked yet."
    assert walkthrough.view.message.shown[-1] == "The next click starts the check."
    requests = QSignalSpy(panel.check_requested)
    assert state.clicks.forward()
    assert requests.count() == 1
    panel.show_progress(3, 12)
    assert not state.clicks.has_next
    assert walkthrough.view.message.shown == ("3 of 12 evaluations",)
    assert walkthrough.view.progress.isVisible()
    panel.show_idle()
    state.show(rich_reader())
    assert state.presentation.idea.at == 0
    assert state.clicks.has_next


def test_what_cannot_be_checked_says_why(shown: Shown) -> None:
    walkthrough, state, panel = shown
    state.show(linear_reader())
    panel.set_checkable(False, "A trace file cannot be checked.")
    assert not state.clicks.has_next
    assert walkthrough.view.message.shown[-1] == "A trace file cannot be checked."


def test_a_hidden_answer_hides_the_walkthrough(shown: Shown) -> None:
    walkthrough, state, _ = shown
    state.go_to(5)
    state.set_answer_hidden()
    assert not state.clicks.has_next
    assert not walkthrough.view.shows_evidence
    state.set_answer_hidden(False)
    assert walkthrough.view.shows_evidence


def test_a_dot_goes_to_its_idea(shown: Shown) -> None:
    walkthrough, state, _ = shown
    state.presentation.idea_requested.emit(3)
    assert walkthrough.idea is not None
    assert walkthrough.idea.kind == "worst"


def test_a_large_matrix_is_shown_near_its_worst_element(shown: Shown) -> None:
    walkthrough, state, panel = shown
    state.show(lonely_reader(120, (50, 70)))
    panel.grab()
    assert not any(each.painted_numbers for each in walkthrough.view.matrices)
    for _ in range(3):
        state.clicks.forward()
    panel.grab()
    numbers = [each.painted_numbers for each in walkthrough.view.matrices]
    assert [each.count("0.5") for each in numbers] == [0, 1, 1]
    assert np.allclose([len(each) for each in numbers], 49)


def test_the_theme_changes_the_size(shown: Shown) -> None:
    walkthrough, state, _ = shown
    before = walkthrough.view.axes.font().pixelSize()
    state.set_theme(Theme(name="dark", scale=2.5))
    assert walkthrough.view.axes.font().pixelSize() > before


@pytest.mark.parametrize(("width", "height"), [(1280, 620), (1920, 860)])
def test_no_text_is_small_or_cut_at_any_idea(shown: Shown, width: int, height: int) -> None:
    _, state, panel = shown
    panel.resize(width, height)
    more = True
    while more:
        settle()
        for text in painted_texts(panel):
            assert round(text.pixels) >= 18, text
            assert not text.is_cut, text
        more = state.clicks.forward()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", get_args(ColorMapName))
def test_numbers_beside_the_worst_element_stay_readable(
    theme: PaletteTheme, name: ColorMapName
) -> None:
    before = current_color_map()
    set_color_map(name)
    cells = color_table(theme)
    set_color_map(before)
    for cell, is_dark in zip(cells, dark_ink_on(cells), strict=True):
        dimmed = [
            mixed(each, color("panel", theme), DIM_ALPHA / 255)
            for each in ("#" + cell.tobytes().hex(), "#000000" if is_dark else "#ffffff")
        ]
        assert contrast(*dimmed) >= 3
