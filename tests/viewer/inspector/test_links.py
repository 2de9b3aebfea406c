"""Links between elements, memory and steps in the inspector, also for screen readers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.tensor_refs import ElementRef, TensorRef
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets import screen_reader
from gradviz.viewer.widgets.pill import Pill
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.inspector.openers import Opener
from tests.viewer.traces import MemoryReader, linear_reader
from tests.viewer.view_requests import requests_of

INPUT, WEIGHT, GRAD_WEIGHT = 1, 2, 8


def views(inspector: Inspector) -> dict[int, list[TensorView]]:
    """The visible views, by their tensor."""
    found: dict[int, list[TensorView]] = {}
    for section in inspector.sections:
        for row in section.rows:
            for view in (row, *row.findChildren(TensorView)):
                if isinstance(view, TensorView) and view.display is not None:
                    found.setdefault(view.display.record.id, []).append(view)
    return found


def pill(inspector: Inspector, text: str) -> Pill:
    return next(
        each for each in inspector.findChildren(Pill) if each.isVisible() and each.text() == text
    )


def click(qtbot: QtBot, view: TensorView, cell: tuple[int, int]) -> None:
    place = view.heatmap.cell_rect(*cell).center().toPoint()
    qtbot.mouseClick(view.heatmap, Qt.MouseButton.LeftButton, pos=place)


def test_a_click_pins_the_element_in_the_weight_and_its_gradient(
    opened: Opener, qtbot: QtBot
) -> None:
    inspector, state = opened(linear_reader(), 5)
    shown = views(inspector)
    click(qtbot, shown[WEIGHT][0], (1, 2))
    assert state.element == ElementRef(tensor=WEIGHT, index=(1, 2))
    for tensor_id, group in shown.items():
        expected = (1, 2) if tensor_id in (WEIGHT, GRAD_WEIGHT) else None
        assert [view.heatmap.marked_cell for view in group] == [expected] * len(group)
    click(qtbot, shown[GRAD_WEIGHT][0], (0, 0))
    assert shown[WEIGHT][0].heatmap.marked_cell == (0, 0)
    click(qtbot, shown[GRAD_WEIGHT][0], (0, 0))
    assert state.element is None


def test_the_pin_is_there_again_at_the_next_step(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 5)
    state.pin(ElementRef(tensor=WEIGHT, index=(1, 0)))
    state.go_to(7)
    assert {view.heatmap.marked_cell for group in views(inspector).values() for view in group} == {
        (1, 0)
    }
    assert "weight.grad[1, 0] = 4.0" in views(inspector)[GRAD_WEIGHT][1].texts


def test_a_double_click_asks_for_the_large_view(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 5)
    view = views(inspector)[GRAD_WEIGHT][0]
    with qtbot.waitSignal(requests_of(state).tensor_requested) as caught:
        qtbot.mouseDClick(
            view.heatmap, Qt.MouseButton.LeftButton, pos=view.heatmap.rect().center() / 2
        )
    assert caught.args == [TensorRef(tensor=GRAD_WEIGHT, name="grad_weight", step=5)]
    with qtbot.waitSignal(requests_of(state).tensor_requested):
        view.buttons.buttons[0].click()


def test_what_cannot_be_opened_has_no_buttons(opened: Opener) -> None:
    inspector, _ = opened(linear_reader(), 5)
    none = next(
        row
        for section in inspector.sections
        for row in section.rows
        if isinstance(row, TensorView) and row.display is None
    )
    assert not any(button.isVisible() for button in none.buttons.buttons)


def test_a_gradient_leads_to_the_step_that_made_it(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 5)
    link = pill(inspector, "from step 4")
    assert link.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert state.number == 4


def test_a_gradient_leads_to_the_node_it_flows_to(opened: Opener, qtbot: QtBot) -> None:
    inspector, state = opened(linear_reader(), 5)
    with qtbot.waitSignal(requests_of(state).node_requested) as caught:
        qtbot.mouseClick(pill(inspector, "to leaf weight"), Qt.MouseButton.LeftButton)
    assert caught.args == [4]


def test_the_mark_of_shared_memory_names_the_others_and_lights_them_up(opened: Opener) -> None:
    shared = (*LINEAR_TENSORS[:7], tensor(8, [[2.0] * 3, [4.0] * 3], storage=2))
    inspector, _ = opened(MemoryReader(linear_trace(), shared), 5)
    sharing = [views(inspector)[number][-1] for number in (WEIGHT, GRAD_WEIGHT)]

    def marks() -> list[Pill]:
        shown = (each.buttons.letter for each in inspector.findChildren(TensorView))
        return [pill for pill in shown if pill.isVisible()]

    assert marks() == []
    place = QPointF(2, 2)
    QApplication.sendEvent(sharing[0], QEnterEvent(place, place, place))
    assert {(mark.text(), mark.is_highlighted) for mark in marks()} == {("A", True)}
    assert {each.buttons.letter for each in sharing} <= set(marks())
    assert "weight (step 1)" in marks()[0].accessibleDescription()
    assert "weight (step 5)" in marks()[0].accessibleDescription()
    QApplication.sendEvent(sharing[0], QEvent(QEvent.Type.Leave))
    assert marks() == []


def test_copy_copies_the_tensor(opened: Opener, qtbot: QtBot) -> None:
    inspector, _ = opened(linear_reader(), 5)
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(
        views(inspector)[INPUT][0].heatmap, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
    )
    text = QGuiApplication.clipboard().text()
    assert text == "torch.tensor([[0.0, 1.0],\n              [2.0, 3.0]], dtype=torch.float64)"


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts for a screen reader."""
    texts: list[str] = []

    class Listener(QAccessible):
        @staticmethod
        def updateAccessibility(event: object) -> None:  # noqa: N802 - Qt's name
            assert isinstance(event, QAccessibleAnnouncementEvent)
            texts.append(event.message())

    monkeypatch.setattr(screen_reader, "QAccessible", Listener)
    return texts


def test_the_sentence_is_announced_once_for_each_step(opened: Opener, announced: list[str]) -> None:
    inspector, state = opened(linear_reader(), 4)
    announced.clear()
    state.go_to(5)
    state.set_theme(Theme(name="dark"))
    state.pin(ElementRef(tensor=WEIGHT, index=(0, 0)))
    assert inspector.facts is not None
    assert announced == [inspector.facts.sentence]


def test_the_element_under_the_keyboard_s_cursor_is_announced(
    opened: Opener, announced: list[str], qtbot: QtBot
) -> None:
    inspector, _ = opened(linear_reader(), 5)
    heatmap = views(inspector)[WEIGHT][0].heatmap
    heatmap.window().activateWindow()
    heatmap.setFocus()
    announced.clear()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(heatmap, key, Qt.KeyboardModifier.ShiftModifier)
    assert announced == ["weight[0, 0] = 0.0", "weight[1, 0] = 3.0"]


def test_widgets_are_used_again_from_step_to_step(opened: Opener) -> None:
    inspector, state = opened(linear_reader(), 1)
    for number in range(1, state.count + 1):
        state.go_to(number)
    made = set(inspector.findChildren(TensorView))
    for number in (1, 5, 7, 5, 2):
        state.go_to(number)
    assert set(inspector.findChildren(TensorView)) == made
