"""What a question hides changes nothing that is shown before its answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer, quiz_answer_tensors
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.document.facts.current_facts import current_facts
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.content.hidden_graph_parts import hidden_cards
from gradviz.export.frame_svg import frame_svg
from gradviz.export.handout.page_layout import PAPERS, print_paint
from gradviz.export.handout.stop_pieces import handout_frames, stop_pieces
from gradviz.lesson.lesson import LessonStop
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from gradviz.model.statistics import statistics_of
from gradviz.model.step import NodeStep
from gradviz.model.step_values import items_in
from gradviz.store.reader import open_trace
from gradviz.store.shipped_run import lesson_run_key, lesson_run_keys, unpack_lesson_run
from gradviz.story.frames import Progress, stop_frames
from gradviz.story.run import StoryRun
from gradviz.text.narration import describe_revealed
from gradviz.viewer.canvas.interaction.hover_controller import card_facts_of

# The steps whose results the lessons ask for, by run.
ASKED = {
    "exp": 3,
    "mul-constant": 5,
    "mul-constant-undefined": 7,
    "non-differentiable": 7,
    "cube": 12,
    "cube-wrong": 5,
}
STOPS = {
    each.run: each
    for name in LESSONS
    for each in shipped_lesson(name).stops
    if each.question and ASKED.get(each.run) == each.number
}


def run_of(name: str, folder: Path) -> StoryRun:
    keys = [lesson_run_key(name, checked=checked) for checked in (False, True)]
    path = folder / "run.gradviz"
    unpack_lesson_run("en", next(key for key in keys if key in lesson_run_keys("en")), path)
    with open_trace(path) as reader:
        trace = reader.trace()
        values = {record.id: reader.value(record.id) for record in trace.tensors}
    return StoryRun(index=index_trace(trace, values.get))


def hidden_tensors(index: TraceIndex, number: int) -> frozenset[int]:
    """The answer of a step, and what only later steps have."""
    trace, at = index.trace, number - 1
    step = trace.steps[at]
    assert isinstance(step, NodeStep)
    before = (trace.steps[:at], trace.calls, trace.saved, step.incoming, step.received)
    later = _tensors(trace.steps[at:]) - _tensors(before)
    return later | quiz_answer_tensors(index, step)


def _tensors(part: object) -> frozenset[int]:
    return frozenset(item.tensor for item in items_in(part) if item.tensor is not None)


def with_other_values(run: StoryRun, tensors: frozenset[int]) -> StoryRun:
    """The same run, as if some tensors had other elements."""
    random, values = np.random.default_rng(1), {}
    records = []
    for record in run.index.trace.tensors:
        value = values[record.id] = run.index.value(record.id)
        if value is not None and record.id in tensors and value.dtype in ("float32", "float64"):
            array = random.normal(scale=5000, size=value.shape).astype(value.dtype)
            array.reshape(-1)[:1] = np.nan
            values[record.id] = structs.replace(value, data=array.tobytes())
            record = structs.replace(record, statistics=statistics_of(array))
        records.append(record)
    trace = structs.replace(run.index.trace, tensors=tuple(records))
    return StoryRun(index=index_trace(trace, values.get))


def shown(run: StoryRun, stop: LessonStop) -> dict[str, object]:
    """What a handout, a slide and the inspector show of a stop."""
    index, number = run.index, stop.number
    revealed = RevealedTrace.of_all(index)
    if stop.question:
        revealed = RevealedTrace.before_answer(index, number)
    place = TracePosition(step=number)
    return {
        "handout": handout(run, stop)[0],
        "slide": slides(run, stop)[0],
        "sentence": describe_revealed(revealed, place),
        "inspector": current_facts(revealed, number, place=place),
        "cards": _cards(run, revealed, number),
    }


def handout(run: StoryRun, stop: LessonStop) -> list[object]:
    """What each page of a handout shows; the lines for notes only fill it."""
    pages = []
    for frame in handout_frames("", "", (stop_pieces(stop, 1, run),), 1, PAPERS["a4"]):
        drawn = tuple(each for each in frame.drawn if each.key != "line")
        pages.append(looks(frame_svg(replace(frame, drawn=drawn), print_paint())))
    return list(pages)


def slides(run: StoryRun, stop: LessonStop) -> list[object]:
    """What each slide of a stop shows."""
    frames = stop_frames(stop, 0, run, Progress(at=0, count=1))
    return [looks(frame_svg(each, theme_paint("light"))) for each in frames]


def looks(svg: str) -> list[tuple[object, ...]]:
    """Texts and colors, but no places: a graph has space for what its labels will say."""
    root = ElementTree.fromstring(svg)
    return [(each.tag, each.text, each.get("fill"), each.get("stroke")) for each in root.iter()]


def _cards(run: StoryRun, revealed: RevealedTrace, number: int) -> list[object]:
    assert not isinstance(run.graph, str)
    cards = run.graph.graph.nodes
    hidden = hidden_cards(revealed, cards)
    return [
        card_facts_of(revealed, card, number) for at, card in enumerate(cards) if at not in hidden
    ]


@pytest.mark.parametrize("name", ASKED)
def test_nothing_shown_before_an_answer_depends_on_it(name: str, tmp_path: Path) -> None:
    run = run_of(name, tmp_path)
    asked = [step.number for step in run.index.trace.steps if has_quiz_answer(step)]
    assert STOPS[name].number in asked
    for number in asked:
        question = replace(STOPS[name], step=str(number), tab="graph", compare="")
        shows_code = all(each.startswith("code") for each in STOPS[name].show)
        if number != STOPS[name].number or shows_code:
            question = replace(question, ask="graph", show=("graph",))
        other = with_other_values(run, hidden_tensors(run.index, number))
        one, two = (shown(each, question) for each in (run, other))
        assert [each for each in one if one[each] != two[each]] == [], number
        is_other = slides(run, question) != slides(other, question)
        assert is_other or not quiz_answer_tensors(run.index, step_at(run.index, number)), number
