"""Hover cards: correct, beside their card, and hidden when no longer needed."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.viewer.canvas.interaction.hover_controller import (
    HoverCard,
    card_facts_of,
    position_next_to,
)
from gradviz.viewer.theme.theme import DARK, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel
from tests.viewer.canvas.conftest import GraphDriver


def card_named(driver: GraphDriver, title: str) -> int:
    nodes = driver.scene.picture.nodes
    return next(at for at, node in enumerate(nodes) if node.title == title)


def hover_card(driver: GraphDriver) -> HoverCard:
    return next(iter(driver.panel.findChildren(HoverCard)))


def hover(driver: GraphDriver, card: int | None) -> None:
    view = driver.panel.view
    place = QPoint(2, 2) if card is None else view.card_rect(card).center().toPoint()
    view.card_hovered.emit(card, view.mapToGlobal(place))


def test_the_facts_of_a_custom_function(driver: GraphDriver) -> None:
    nodes = driver.scene.picture.nodes
    custom = nodes[card_named(driver, "LinearFunctionBackward")]
    facts = card_facts_of(driver.state.revealed, custom, 5)
    lines = dict(facts.lines)
    assert facts.title == "LinearFunctionBackward"
    assert lines["Function"] == "LinearFunction"
    assert lines["steps"] == "created in 1 · executed in 5"
    assert lines["receives"] == "grad_output 2×3"
    assert lines["returns"] == "input 2×2 · weight 2×3 · bias None"
    assert lines["saved"] == "input 2×2 · weight 2×3 · bias None"
    leaf = dict(card_facts_of(driver.state.revealed, nodes[card_named(driver, "weight")], 5).lines)
    assert leaf["tensor"] == "2×3 · float64 · cpu"
    assert leaf["steps"] == "accumulates in 7"
    assert (leaf["receives"], leaf["adds up to"]) == ("2×3", "2×3")


def test_quiz_mode_hides_the_answer(driver: GraphDriver) -> None:
    index = driver.state.index
    assert index is not None
    custom = driver.scene.picture.nodes[card_named(driver, "LinearFunctionBackward")]
    lines = dict(card_facts_of(RevealedTrace(index=index, until=4), custom, 5).lines)
    assert (lines["receives"], lines["returns"]) == ("grad_output 2×3", "?")
    early = dict(card_facts_of(RevealedTrace(index=index, until=3), custom, 3).lines)
    assert (early["receives"], early["returns"]) == ("?", "?")


def test_it_comes_after_a_while_and_goes_with_the_mouse(driver: GraphDriver, qtbot: QtBot) -> None:
    card, shown = card_named(driver, "weight"), hover_card(driver)
    hover(driver, card)
    assert not shown.isVisible()
    qtbot.waitUntil(shown.isVisible)
    assert shown.texts[0] == "weight"
    assert shown.accessibleDescription().startswith("weight. tensor: 2×3")
    QApplication.sendEvent(driver.panel.view.viewport(), QEvent(QEvent.Type.Leave))
    assert not shown.isVisible()


@pytest.mark.parametrize("title", ["weight", "LinearFunctionBackward", "saved tensors"])
def test_it_is_next_to_its_card(driver: GraphDriver, title: str) -> None:
    card, shown, view = card_named(driver, title), hover_card(driver), driver.panel.view
    driver.state.select(driver.scene.picture.nodes[card].nodes[0])
    driver.actions.describe.trigger()
    assert shown.isVisible()
    box = driver.panel.stage.current_box()
    assert box is not None
    rect = view.card_rect(box).toAlignedRect()
    over = QRect(view.viewport().mapToGlobal(rect.topLeft()), rect.size())
    assert not shown.geometry().intersects(over)


def test_the_key_shows_it_for_the_current_step_and_escape_ends_it(
    driver: GraphDriver, qtbot: QtBot
) -> None:
    shown, view = hover_card(driver), driver.panel.view
    driver.state.go_to(4)
    qtbot.keyClick(view, Qt.Key.Key_I)
    assert shown.isVisible()
    assert shown.texts[0] == "SumBackward0"
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not shown.isVisible()
    driver.actions.describe.trigger()
    assert shown.isVisible()
    driver.actions.describe.trigger()
    assert not shown.isVisible()


def test_it_follows_theme_and_type(driver: GraphDriver) -> None:
    shown = hover_card(driver)
    driver.actions.describe.trigger()
    width = shown.width()
    driver.state.set_theme(Theme(name="dark", scale=1.5))
    assert not shown.isVisible()
    driver.actions.describe.trigger()
    assert shown.width() == round(width * 1.5)
    image = shown.grab().toImage()
    assert image.pixelColor(3, 3).name() == DARK.color("panel").name()
    bottom = max(label.geometry().bottom() for label in shown.findChildren(PlainLabel))
    assert bottom <= shown.height()


def test_the_place_never_covers_what_it_is_about() -> None:
    screen, size = QRect(0, 0, 800, 600), QSize(300, 200)
    for x, y in itertools.product(range(0, 700, 50), range(0, 560, 40)):
        card = QRect(x, y, 100, 40)
        place = QRect(position_next_to(card, size, screen), size)
        assert not place.intersects(card)
        assert screen.contains(place)
    wide = QRect(10, 280, 780, 40)
    assert not QRect(position_next_to(wide, size, screen), size).intersects(wide)
