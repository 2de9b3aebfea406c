"""Shared memory has the same letter in graph and inspector, and is highlighted in both."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import MemoryReader


def shared(driver: GraphDriver) -> tuple[int, int]:
    """Shows a run in which the output L has the memory of weight; returns the two cards."""
    pairs = (*LINEAR_TENSORS[:3], tensor(4, 54.0, storage=2), *LINEAR_TENSORS[4:])
    driver.state.show(MemoryReader(linear_trace(), pairs))
    driver.wait()
    titles = [node.title for node in driver.scene.picture.nodes]
    output = next(at for at, node in enumerate(driver.scene.picture.nodes) if node.kind == "output")
    return titles.index("weight"), output


def test_nothing_is_marked_where_nothing_is_shared(driver: GraphDriver) -> None:
    assert driver.scene.storages.marks == {}


def test_cards_of_one_memory_have_one_letter_and_name_each_other(driver: GraphDriver) -> None:
    weight, output = shared(driver)
    signs = driver.scene.storages.marks
    saved = next(at for at, node in enumerate(driver.scene.picture.nodes) if node.kind == "saved")
    assert set(signs) == {weight, output, saved}
    assert {sign.text for sign in signs.values()} == {"A"}
    assert signs[weight].tip == "Memory A is shared by weight (step 1), output (step 2)."


def test_marks_lie_at_the_edge_of_their_card_and_take_no_text(driver: GraphDriver) -> None:
    for card in shared(driver):
        box, mark = driver.scene.box(card), driver.scene.storages.rect(card)
        assert box.left() < mark.left()
        assert mark.right() < box.right()
        assert mark.top() > box.center().y()


def test_the_mouse_on_a_card_lights_its_memory_up_everywhere(driver: GraphDriver) -> None:
    weight, output = shared(driver)
    lit: list[object] = []

    def marks() -> list[object]:
        return [driver.scene.storages.mark(card) for card in (weight, output)]

    at_rest = marks()
    driver.state.storage_highlighted.connect(lit.append)
    driver.panel.view.card_hovered.emit(weight, QPoint())
    assert lit == [2]
    lit_up = marks()
    assert all(now != before for now, before in zip(lit_up, at_rest, strict=True))
    driver.panel.view.card_hovered.emit(None, QPoint())
    assert marks() == at_rest
    driver.state.highlight_storage(2)
    assert marks() == lit_up
