"""The legend: complete, not in the way, and following the preferences."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from gradviz.viewer.canvas.interaction.graph_legend import (
    SIGN_HEIGHT,
    SIGN_WIDTH,
    GraphLegend,
    LegendEntry,
    legend_entries,
)
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import failed_reader


def legend_of(driver: GraphDriver) -> GraphLegend:
    return driver.panel.surroundings


def test_the_graph_is_arranged_for_the_space_beside_the_legend(
    driver: GraphDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.panel.resize(1100, 700)
    driver.wait()
    widths: list[int] = []
    monkeypatch.setattr(
        driver.panel.arranger, "arrange", lambda _, __, space: widths.append(space.width)
    )
    assert legend_of(driver).isVisible()
    for shown in (False, True):
        driver.actions.legend.trigger()
        qtbot.waitUntil(lambda shown=shown: len(widths) == 1 + shown)
    view = driver.panel.view
    assert widths == [view.width(), view.uncovered_rect.width()]
    assert widths[0] > widths[1]


def test_the_legend_has_an_entry_for_every_sign_of_the_graph(driver: GraphDriver) -> None:
    texts = legend_of(driver).texts
    assert texts[:6] == [
        "custom Function",
        "built-in node",
        "AccumulateGrad",
        "leaf",
        "output",
        "saved tensors",
    ]
    assert {"current step", "done", "to come", "not in this pass", "selected"} <= set(texts)
    assert "closed group" not in texts


@pytest.mark.parametrize("theme", [LIGHT, DARK, Theme(name="light", scale=1.5)], ids=str)
def test_every_entry_is_inside_the_legend_and_has_a_sign(driver: GraphDriver, theme: Theme) -> None:
    legend = legend_of(driver)
    driver.state.set_theme(theme)
    ground = theme.color("panel").name()
    image = legend.grab().toImage()
    for top in legend.tops:
        assert 0 < top <= legend.height() - theme.px(21)
        middle = round(top + theme.px(21) / 2)
        signs = {image.pixelColor(x, middle).name() for x in range(theme.px(12), theme.px(70))}
        texts = {image.pixelColor(x, middle).name() for x in range(theme.px(78), legend.width())}
        assert signs - {ground}
        assert texts - {ground}


def test_folding_the_legend_is_remembered_and_frees_its_area(driver: GraphDriver) -> None:
    view, legend = driver.panel.view, legend_of(driver)
    assert legend.isVisible()
    assert view.uncovered_rect.left() >= legend.geometry().right()
    cards = [view.card_rect(at) for at in range(len(driver.scene.picture.nodes))]
    assert not any(card.toAlignedRect().intersects(legend.geometry()) for card in cards)
    driver.panel.strip.legend.click()
    assert not legend.isVisible()
    assert view.uncovered_rect.left() == 0
    assert not driver.state.preferences.legend
    driver.actions.legend.trigger()
    assert legend.isVisible()
    assert driver.panel.strip.legend.isChecked()


def test_a_narrow_view_has_the_legend_only_if_it_is_asked_for(driver: GraphDriver) -> None:
    legend, strip = legend_of(driver), driver.panel.strip
    driver.panel.resize(500, 600)
    assert not legend.isVisible()
    assert not strip.legend.isChecked()
    assert driver.state.preferences.legend
    driver.panel.resize(900, 640)
    assert legend.isVisible()
    assert strip.legend.isChecked()
    driver.panel.resize(500, 600)
    strip.legend.click()
    assert legend.isVisible()
    strip.legend.click()
    assert not legend.isVisible()
    assert not driver.state.preferences.legend


def test_a_legend_with_more_signs_does_not_cover_the_graph(
    driver: GraphDriver,
) -> None:
    view, legend = driver.panel.view, legend_of(driver)
    driver.panel.resize(655, 390)
    assert not legend.isVisible()
    driver.actions.legend.trigger()
    assert legend.isVisible()
    usual = len(legend.texts)
    driver.state.show(failed_reader())
    driver.wait()
    assert "problem" in legend.texts
    assert len(legend.texts) > usual
    cards = [view.card_rect(at) for at in range(len(driver.scene.picture.nodes))]
    assert not any(card.toAlignedRect().intersects(legend.geometry()) for card in cards)


def test_the_strip_shows_node_count_and_scale(driver: GraphDriver) -> None:
    strip, view = driver.panel.strip, driver.panel.view
    assert strip.facts.text() == "4 nodes"
    # Below a panel that covers a part of the bar, no fact is cut.
    picture = driver.scene.picture
    strip.show_facts(picture, 0.5, small=True)
    whole = strip.facts.text()
    assert whole.startswith("4 nodes · too large to read: ")
    strip.cover(strip.facts.geometry().right() - strip.fontMetrics().horizontalAdvance(whole) // 2)
    assert strip.facts.text() == "4 nodes"
    assert whole in strip.facts.toolTip()
    strip.cover(0)
    assert strip.facts.text() == whole
    view.zoom_to(0.5)
    assert strip.scale.text() == "50%"
    strip.scale.click()
    assert view.scale_factor == pytest.approx(1.0)
    for button in (strip.legend, strip.scale):
        assert button.accessibleName()
        assert button.toolTip()


INK = 40
"""How much a border differs from the ground and from every fill, of 255."""
ENOUGH = 15
"""Pixels that an eye takes for another shape; two tints of one shape differ in none of them."""


def ink(entry: LegendEntry, theme: Theme) -> np.ndarray:
    """The painted pixels of a sign, whatever their color."""
    image = QImage(int(SIGN_WIDTH), int(SIGN_HEIGHT), QImage.Format.Format_RGB32)
    image.fill(theme.color("panel"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    entry.paint(painter, theme)
    painter.end()
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    values = rows[:, : grey.width()].astype(int)
    return np.abs(values - values[0, 0]) > INK


@pytest.mark.parametrize("name", ["light", "dark"])
def test_kinds_differ_without_color(qapp: object, name: str) -> None:
    theme = Theme(name="dark" if name == "dark" else "light")
    kinds = legend_entries(None)[0]
    for one, other in combinations(kinds, 2):
        different = int((ink(one, theme) ^ ink(other, theme)).sum())
        assert different >= ENOUGH, f"{one.text} looks like {other.text}: {different}"
