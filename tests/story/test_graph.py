"""A graph on the stage can be read, and says who claims that something is wrong, not too early."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import torch

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.display.cards import HALO
from gradviz.store.reader import open_trace
from gradviz.story.blocks import bounds_of
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, story_frames
from gradviz.story.graph import graph_block, story_graph
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import step_clicks
from tests.recorder.recorded_run import record_run
from tests.story.shipped import opened, texts
from tests.story.test_picture import runs

ROOM = 1168.0, 480.0
CLAIM = "gradviz: In-place change not declared"


def graph_texts(index: TraceIndex, step: int, *, asked: bool = False) -> list[str]:
    drawing = story_graph(index)
    assert not isinstance(drawing, str)
    revealed = RevealedTrace.of_all(index)
    if asked:
        revealed = RevealedTrace.before_answer(index, step)
    return runs(graph_block(drawing, step, revealed, ROOM))


def graphs(index: TraceIndex) -> list[Frame]:
    """The graph of each step."""
    run, found = StoryRun(index=index), []
    for step in index.trace.steps:
        place = TracePosition(step=step.number)
        clicks = [each for each in step_clicks(run, place, asks=False) if each.text == "graph"]
        found += story_frames(clicks, run, place, Progress(at=0, count=1))
    return found


def test_a_finding_is_marked_once_as_a_claim_of_gradviz(tmp_path: Path) -> None:
    with opened("mark-dirty-unmarked", False, tmp_path) as index:
        shown = graph_texts(index, 6)
    assert shown.count("gradviz") == shown.count(CLAIM) == 1
    assert "error" not in shown


def test_the_halo_of_a_box_reaches_no_other_box_beside_it(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        drawing = story_graph(index)
    assert not isinstance(drawing, str)
    boxes = list(drawing.boxes.values())
    for one, other in combinations(boxes, 2):
        if one.y < other.bottom and other.y < one.bottom:
            assert max(one.x, other.x) - min(one.right, other.right) >= HALO


def test_no_claim_gives_an_answer_away(tmp_path: Path) -> None:
    with opened("mark-dirty-unmarked", False, tmp_path) as index:
        (finding,) = [each for each in index.trace.findings if each.node is not None]
        assert finding.step == 2
        early, asked, later = (
            graph_texts(index, 1),
            graph_texts(index, 6, asked=True),
            graph_texts(index, 2),
        )
    assert not {"gradviz", "error", CLAIM} & {*early, *asked}
    assert CLAIM in later


@pytest.mark.parametrize("name", ["linear", "functional-linear", "mark-dirty", "exp", "numpy"])
def test_a_small_graph_is_whole_and_can_be_read_at_each_step(name: str, tmp_path: Path) -> None:
    with opened(name, False, tmp_path) as index:
        frames = graphs(index)
    assert len(frames) > 4
    for frame in frames:
        found = [height for text, height, _ in texts(frame)]
        assert min(found) > 17
        assert not any(each.key == "graph:more" for each in frame.drawn)


def test_a_graph_with_open_groups_stays_below_the_sentence_of_its_step(tmp_path: Path) -> None:
    def train() -> None:
        layers = torch.nn.Sequential(*(torch.nn.Linear(3, 3) for _ in range(2)))
        for _ in range(20):
            layers(torch.ones(2, 3)).tanh().sum().backward()

    record_run(tmp_path, train)
    with open_trace(tmp_path / "run.gradviz") as reader:
        index = index_reader(reader)
        drawn = drawn_graph(index)
        assert isinstance(drawn, DrawnGraph)
        assert drawn.frames
        frames = graphs(index)
    for frame in frames:
        head, graph, dots = (
            bounds_of([each for each in frame.drawn if each.key.startswith(key)])
            for key in ("headline", "graph", "dot")
        )
        assert head.bottom < graph.y
        assert graph.bottom < dots.y


def test_headlines_of_all_steps_have_one_size(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        frames = graphs(index)
    lines = [[each for each in x.drawn if each.key.startswith("headline:")] for x in frames]
    assert len({len(each) for each in lines}) > 1, "some need more lines than others"
    assert len({line.scale for each in lines for line in each}) == 1
