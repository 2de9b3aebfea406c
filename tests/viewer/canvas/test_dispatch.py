"""Calls that types override, instead of a graph and above one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage, QPainter

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.document.facts.current_facts import current_facts
from gradviz.model.step import DispatchStep
from gradviz.viewer.canvas.dispatch.cards import (
    MOST_CARDS,
    MOST_LINES,
    CardRole,
    cards_of,
)
from gradviz.viewer.canvas.dispatch.view import DispatchLayouter, paint_plan
from gradviz.viewer.source.source_passages import source_content_at
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from gradviz.viewer.timeline.timeline_track import STEP_KINDS, kinds_of
from tests.builders import LINEAR_TENSORS
from tests.dispatch_builder import (
    DISPATCH_TENSORS,
    HANDLER,
    PROTOCOL,
    dispatch_trace,
    graph_and_dispatch_trace,
)
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


@pytest.mark.parametrize("theme", [LIGHT, DARK, Theme(name="light", scale=1.8)])
@pytest.mark.parametrize("space", [QSizeF(650, 350), QSizeF(900, 900), QSizeF(300, 200)])
def test_cards_keep_apart(index: TraceIndex, theme: Theme, space: QSizeF, qapp: object) -> None:
    for number in range(1, 8):
        plan = DispatchLayouter(theme, VALUES.get).plan(cards_of(index, step(index, number)), space)
        rects = [box.rect for box in plan.boxes]
        assert not any(a.intersects(b) for a in rects for b in rects if a is not b)
        for box in plan.boxes:
            needed = sum(block.size.height() for block in box.blocks)
            assert needed < box.rect.height()
            assert box.rect.top() >= 0
            assert box.rect.bottom() <= max(space.height(), plan.size.height())
    image = QImage(space.toSize(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_plan(painter, plan)
    painter.end()


def test_a_flat_canvas_has_them_side_by_side(index: TraceIndex, qapp: object) -> None:
    cards = cards_of(index, step(index, 1))
    planner = DispatchLayouter(LIGHT, VALUES.get)
    flat, high = planner.plan(cards, QSizeF(700, 240)), planner.plan(cards, QSizeF(700, 700))
    assert len({box.rect.center().y() for box in flat.boxes}) == 1
    assert len({box.rect.center().x() for box in high.boxes}) == 1


def test_large_type_gets_smaller_before_a_word_is_broken(index: TraceIndex, qapp: object) -> None:
    cards, space = cards_of(index, step(index, 1)), QSizeF(760, 420)
    plan = DispatchLayouter(Theme(name="dark", scale=2.2), VALUES.get).plan(cards, space)
    assert not plan.breaks_words
    assert 1 <= plan.theme.scale < 2.2


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
    assert driver.panel.band.text == ""
    driver.state.go_to(driver.state.count)
    assert driver.panel.band.text.startswith("torch.mean  →  Diagonal  its handler mean handles it")
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
    assert {STEP_KINDS[kind] for kind in kinds_of(index).tolist()} == {"dispatch"}
