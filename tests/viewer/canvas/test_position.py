"""The graph at positions inside a step: active edges, and the texts on the card."""

from __future__ import annotations

import pytest

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import inside_reader


@pytest.fixture
def opened(driver: GraphDriver) -> GraphDriver:
    driver.state.show(inside_reader())
    driver.wait()
    return driver


def states(driver: GraphDriver) -> dict[str, str]:
    """The state of each edge, named by the cards at its ends."""
    words = {NOW: "now", DONE: "done", TO_COME: "to come"}
    picture, edges = driver.scene.picture, driver.scene.edges
    titles = [node.title for node in picture.nodes]
    return {
        f"{titles[curve.source]} > {titles[curve.target]}": words.get(edges.state(at), "none")
        for at, curve in enumerate(picture.curves)
    }


def test_while_a_node_computes_only_what_it_was_given_flows(opened: GraphDriver) -> None:
    state = opened.state
    state.go_to(5)
    whole = states(opened)
    assert whole["LinearFunctionBackward > AccumulateGrad"] == "now"
    assert whole["SumBackward0 > LinearFunctionBackward"] == "done"
    state.go_to_place(TracePosition(step=5, stage="backward", line=1))
    computing = states(opened)
    assert computing["LinearFunctionBackward > AccumulateGrad"] == "to come"
    assert computing["SumBackward0 > LinearFunctionBackward"] == "now"
    texts = " ".join(opened.scene.labels.labels.values())
    assert "grad_weight" not in texts
    state.go_to_place(TracePosition(step=5, stage="engine"), "stage")
    assert states(opened) == whole


def test_the_card_says_where_inside_of_it_we_are(opened: GraphDriver) -> None:
    state, scene = opened.state, opened.scene
    state.go_to(5)
    assert scene.place.marks == {}
    state.go_to_place(TracePosition(step=5, stage="backward", line=1))
    ((card, text),) = scene.place.marks.items()
    assert scene.picture.nodes[card].title == "LinearFunctionBackward"
    assert text == "backward · line 24"
    box, rect = scene.box(card), scene.place.rect(card)
    assert box.left() < rect.left()
    assert rect.right() < box.right()
    state.set_level("node")
    assert scene.place.marks == {}


def test_what_is_saved_is_lit_while_it_is_saved(opened: GraphDriver) -> None:
    state, scene = opened.state, opened.scene
    state.go_to_place(TracePosition(step=1, stage="save"), "stage")
    lit = [scene.picture.nodes[card].kind for card in scene.cards_now]
    assert sorted(lit) == ["custom", "saved"]
    state.go_to_place(TracePosition(step=1, stage="forward"), "stage")
    assert [scene.picture.nodes[card].kind for card in scene.cards_now] == ["custom"]


def test_words_that_do_not_fit_are_elided(opened: GraphDriver) -> None:
    state, scene = opened.state, opened.scene
    state.go_to_place(TracePosition(step=6, stage="accumulate", op=0), "op")
    ((card, text),) = scene.place.marks.items()
    assert text
    assert scene.box(card).left() <= scene.place.rect(card).left()
    scene.place.show_place(card, ("a" * 200,))
    assert scene.place.marks[card].endswith("…")
    assert scene.box(card).left() <= scene.place.rect(card).left()


def test_the_name_of_a_method_is_whole_on_a_brief_card(driver: GraphDriver) -> None:
    driver.state.show(inside_reader())
    driver.panel.resize(300, 400)
    driver.wait()
    scene = driver.scene
    assert scene.picture.detail.brief
    cards = [at for at, node in enumerate(scene.picture.nodes) if node.kind == "custom"]
    for card in cards:
        scene.place.show_place(card, ("backward", "setup_context"))
        assert scene.place.marks == {card: "setup_context"}
        assert scene.box(card).left() <= scene.place.rect(card).left()
        assert scene.place.rect(card).right() <= scene.box(card).right()
    assert cards
