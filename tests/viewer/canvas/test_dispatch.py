"""Calls that types override, instead of a graph and above one."""

from __future__ import annotations

from itertools import combinations

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.document.facts.current_facts import current_facts
from gradviz.drawing.display.parts import RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.step import DispatchStep
from gradviz.story.blocks import Block
from gradviz.viewer.canvas.dispatch.cards import (
    MOST_CARDS,
    MOST_LINES,
    CardRole,
    cards_of,
)
from gradviz.viewer.canvas.dispatch.view import DispatchView, dispatch_block
from gradviz.viewer.source.source_passages import source_content_at
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_track import kinds_of
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.dispatch_builder import (
    DISPATCH_TENSORS,
    HANDLER,
    PROTOCOL,
    dispatch_trace,
    graph_and_dispatch_trace,
)
from tests.story.shipped import faults_of, texts
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import MemoryReader

VALUES = {record.id: value for record, value in DISPATCH_TENSORS}


@pytest.fixture
def index() -> TraceIndex:
    return index_trace(dispatch_trace(), VALUES.get)


def step(index: TraceIndex, number: int) -> DispatchStep:
    found = index.trace.steps[number - 1]
    assert isinstance(found, DispatchStep)
    return found


@pytest.mark.parametrize(
    ("number", "looks"),
    [
        (1, ["answer", "result"]),
        (2, ["answer", "waiting", "result"]),
        (3, ["failed", "failed"]),
        (4, ["passed", "passed", "failed"]),
    ],
)
def test_cards_of_each_answer(index: TraceIndex, number: int, looks: list[CardRole]) -> None:
    cards = cards_of(index, step(index, number))
    assert [card.look for card in (*cards.types, cards.result)] == looks
    assert cards.call.title == step(index, number).function


def test_what_cards_say(index: TraceIndex) -> None:
    second = cards_of(index, step(index, 2))
    assert [card.title for card in second.types] == ["Diagonal", "Other"]
    assert [line.text for line in second.types[0].lines] == [
        "its handler add handles it",
        "diagonal.py:6",
    ]
    assert [line.text for line in second.types[1].lines] == ["not asked"]
    assert second.result.title == "tensor 2×2, float64"
    assert second.result.lines[0].tensor == 1
    failed = cards_of(index, step(index, 3)).result
    assert (failed.title, failed.lines[0].text) == ("ValueError", "Shape mismatch: N=2 and N=3")
    assert cards_of(index, step(index, 6)).result.title == "Logged scalar, float64"


def test_thousands_of_types_and_values_are_counted(index: TraceIndex) -> None:
    one = step(index, 2)
    many = replace(one, types=("Other",) * 20_000, answers=(), inputs=one.inputs * 20_000)
    cards = cards_of(index, many)
    assert (len(cards.types), cards.types[-1].title) == (MOST_CARDS + 1, "19,980 more")
    assert (len(cards.call.lines), cards.call.lines[-1].text) == (MOST_LINES + 1, "19,950 more")


def test_a_call_asks_nothing_in_quiz_mode(index: TraceIndex) -> None:
    assert not has_quiz_answer(step(index, 2))


def boxes_of(block: Block) -> list[Rect]:
    """Where the cards are."""
    outlines = [
        (each, part.outline.rect)
        for each in block.drawn
        for part in each.parts
        if isinstance(part, Shape) and isinstance(part.outline, RoundedRect)
    ]
    return [
        Rect(x=drawn.x, y=drawn.y, width=rect.width, height=rect.height)
        for drawn, rect in outlines
        if drawn.key.startswith("dispatch:")
    ]


@pytest.mark.parametrize("room", [(1080.0, 580.0), (1500.0, 1500.0), (500.0, 330.0)])
def test_cards_keep_apart(index: TraceIndex, room: tuple[float, float]) -> None:
    for number in range(1, 8):
        cards = cards_of(index, step(index, number))
        block = dispatch_block(cards, VALUES.get, room)
        boxes = boxes_of(block)
        assert len(boxes) == len(cards.types) + 2
        for one, other in combinations(boxes, 2):
            assert (
                one.right <= other.x
                or other.right <= one.x
                or one.bottom <= other.y
                or other.bottom <= one.y
            )
        assert all(each.y >= 0 and each.bottom <= block.height for each in boxes)


def test_a_flat_canvas_has_them_side_by_side(index: TraceIndex) -> None:
    cards = cards_of(index, step(index, 1))
    flat = boxes_of(dispatch_block(cards, VALUES.get, (1160, 400)))
    high = boxes_of(dispatch_block(cards, VALUES.get, (1160, 1160)))
    assert len({round(each.y + each.height / 2) for each in flat}) == 1
    assert len({round(each.x + each.width / 2) for each in high}) == 1


def test_large_type_gets_smaller_before_it_scrolls_and_is_not_broken(qtbot: QtBot) -> None:
    state = ViewerState(Theme(name="dark", scale=2.2))
    view = DispatchView(state)
    qtbot.addWidget(view)
    view.resize(760, 420)
    view.show()
    state.show(MemoryReader(dispatch_trace(), DISPATCH_TENSORS))
    state.go_to(4)
    frame = view.picture.frame
    assert frame is not None
    assert faults_of(frame, (20 / 2.2, 0)) == []
    said = {word for text, _, _ in texts(frame) for word in text.split()}
    assert said >= {"torch.mul", "NotImplemented", "TypeError", "Multiple"}
    assert view.verticalScrollBar().maximum() == 0
    view.resize(760, 120)
    assert view.verticalScrollBar().maximum() > 0
    assert "NotImplemented" in view.picture.accessibleName()
    state.show(None)


def test_the_picture_replaces_the_graph(driver: GraphDriver) -> None:
    driver.state.show(MemoryReader(dispatch_trace(), DISPATCH_TENSORS))
    driver.wait()
    panel = driver.panel
    assert panel.dispatch.isVisible()
    assert not panel.view.isVisible()
    assert not panel.band.isVisible()
    driver.state.go_to(3)
    assert panel.dispatch.cards is not None
    assert panel.dispatch.cards.result.title == "ValueError"
    assert "Diagonal raises ValueError" in panel.dispatch.accessibleDescription()
    panel.grab()


def test_the_band_is_above_a_graph(driver: GraphDriver) -> None:
    assert not driver.panel.band.isVisible()
    driver.state.show(MemoryReader(graph_and_dispatch_trace(), LINEAR_TENSORS))
    driver.wait()
    assert driver.panel.view.isVisible()
    assert driver.panel.band.isVisible()
    driver.state.go_to(1)
    assert driver.panel.band.words.text == ""
    driver.state.go_to(driver.state.count)
    assert driver.panel.band.words.text.startswith(
        "torch.mean  →  Diagonal  its handler mean handles it"
    )
    driver.panel.grab()


def test_the_inspector_shows_the_type_that_handled_the_call(index: TraceIndex) -> None:
    facts = current_facts(RevealedTrace.of_all(index), 2)
    assert facts is not None
    asked = next(each for each in facts.sections if each.key == "dispatch-types")
    texts = [getattr(row, "text", "") for row in asked.rows]
    assert texts[0] == "1. Diagonal: its handler add handles it"
    assert texts[1] == "def add(input, other):"
    assert texts[-1] == "2. Other: not asked"
    (way,) = [row.places[0].place for row in asked.rows if hasattr(row, "places")]
    assert (way.step, way.stage, way.line) == (2, "forward", 1)
    raised = current_facts(RevealedTrace.of_all(index), 3)
    assert raised is not None
    assert [tag.text for tag in raised.tags] == ["raised"]


def test_the_source_shows_the_handler(index: TraceIndex) -> None:
    revealed = RevealedTrace.of_all(index)
    whole = source_content_at(revealed, TracePosition(step=2))
    assert whole.where == HANDLER
    assert whole.about == "Diagonal was called to handle torch.add."
    inside = source_content_at(revealed, TracePosition(step=2, stage="forward", line=1))
    assert inside.active is not None
    assert inside.active.block == (8, 8)
    assert source_content_at(revealed, TracePosition(step=5)).where == PROTOCOL


def test_the_timeline_distinguishes_them(index: TraceIndex) -> None:
    (kind,) = set(kinds_of(index).tolist())
    assert kind not in kinds_of(index_trace(linear_trace()))
