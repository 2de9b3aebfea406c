"""Objects move from one picture to the next, and end where the next picture has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.named_values import named_value
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.display.parts import TextRun
from gradviz.model.step import NodeStep
from gradviz.story.blocks import text_block
from gradviz.story.click import Click
from gradviz.story.frame import Drawn, Frame, between
from gradviz.story.frames import Progress, progress_dots, story_frames
from gradviz.story.run import StoryRun
from tests.story.shipped import opened


def drawn(key: str, x: float, source: str = "") -> Drawn:
    (made,) = text_block(key, 20, key=key, source=source).drawn
    return made.placed(x, 0)


def frame(*objects: Drawn) -> Frame:
    return Frame(width=100, height=50, drawn=objects)


BEFORE = frame(drawn("stays", 0), drawn("goes", 10))
AFTER = frame(drawn("stays", 40), drawn("comes", 20), drawn("drops", 30, source="stays"))


def at(share: float) -> dict[str, Drawn]:
    return {each.key: each for each in between(BEFORE, AFTER, share).drawn}


def test_the_way_begins_and_ends_in_the_pictures() -> None:
    assert between(BEFORE, AFTER, 1) is AFTER
    start = at(0)
    assert start["stays"].x == 0
    assert (start["goes"].opacity, start["comes"].opacity) == (1, 0)
    assert start["drops"].x == 0, "it comes out of its source"
    assert start["drops"].opacity == 0, "without covering it"


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_on_the_way_every_object_is_between_its_places(share: float) -> None:
    now = at(share)
    assert now["stays"].x == pytest.approx(40 * share)
    assert now["drops"].x == pytest.approx(30 * share)
    assert now["comes"].x == 20, "what has no source appears where it is"
    assert now["goes"].opacity == max(0, 1 - 2 * share)
    assert set(now) == {"stays", "goes", "comes", "drops"}


def test_what_is_in_front_stays_there_for_half_of_the_way() -> None:
    before, after = frame(drawn("a", 0), drawn("b", 5)), frame(drawn("b", 50), drawn("a", 0))
    for share, keys in ((0.0, ["a", "b"]), (0.25, ["a", "b"]), (0.75, ["b", "a"])):
        assert [each.key for each in between(before, after, share).drawn] == keys


def test_a_text_changes_when_the_rest_of_the_first_picture_has_vanished() -> None:
    def said(text: str) -> Frame:
        return frame(*text_block(text, 20, key="headline").drawn, drawn(text, 50))

    old, new = said("old"), said("new")
    for share, text in ((0.25, "old"), (0.75, "new")):
        (part,) = between(old, new, share).drawn[-2].parts
        assert isinstance(part, TextRun)
        assert part.text == text


def test_what_vanishes_goes_back_to_its_source() -> None:
    forth = at(0.25)["drops"]
    back = {each.key: each for each in between(AFTER, BEFORE, 0.75).drawn}["drops"]
    assert (back.x, back.scale, back.opacity) == pytest.approx((forth.x, forth.scale, 1))


@pytest.mark.parametrize("sheets", ["{+ step 5 returned weight}", "sum grad_weight[0, 2]"])
def test_the_sheets_of_a_gradient_fold_onto_their_sum_and_come_out_of_it(
    sheets: str, tmp_path: Path
) -> None:
    with opened("functional-linear", False, tmp_path) as index:
        run, place = StoryRun(index=index), TracePosition(step=5, stage="engine")
        texts = (sheets, "{step 5 passed weight}")
        clicks = [Click(topic="", headline="Fold", text=each) for each in texts]
        apart, folded = story_frames(clicks, run, place, Progress(at=0, count=1))
        step = index.trace.steps[4]
        assert isinstance(step, NodeStep)
        (into,) = [each.item.tensor for each in step.passed if each.item.name == "weight"]
        (whole,) = [each for each in folded.drawn if each.key == f"v{into}:0"]
        (returned,) = [each.tensor for each in step.returned if each.name == "weight"]
        for frames, share in (((apart, folded), 0.25), ((folded, apart), 0.75)):
            now = {each.key: each for each in between(*frames, share).drawn}
            for number in range(4):
                (sheet,) = [each for each in apart.drawn if each.key == f"v{returned}:{number}"]
                moving = now[sheet.key]
                assert moving.x == pytest.approx(0.75 * sheet.x + 0.25 * whole.x)
                assert moving.y == pytest.approx(0.75 * sheet.y + 0.25 * whole.y)
                assert moving.opacity == 1


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_each_term_of_a_sum_comes_out_of_its_element_and_goes_back(
    share: float, tmp_path: Path
) -> None:
    with opened("linear", False, tmp_path) as index:
        run, place = StoryRun(index=index), TracePosition(step=5)
        texts = ("code", "sum grad_input[0, 1]")
        clicks = [Click(topic="", headline="Sum", text=each) for each in texts]
        code, summed = story_frames(clicks, run, place, Progress(at=0, count=1))
    here = {each.key: each for each in summed.drawn}
    terms = [each for each in summed.drawn if each.source.startswith("ring:")]
    assert len(terms) == 3
    for frames, way in (((code, summed), share), ((summed, code), 1 - share)):
        now = {each.key: each for each in between(*frames, way).drawn}
        for term in terms:
            ring, moving = here[term.source], now[term.key]
            assert moving.x == pytest.approx((1 - share) * ring.x + share * term.x)
            assert moving.y == pytest.approx((1 - share) * ring.y + share * term.y)
            assert moving.scale == pytest.approx(term.scale)
            assert moving.opacity == pytest.approx(2 * share)


def test_a_saved_tensor_moves_from_forward_to_its_note_and_on_to_backward(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        run, place = StoryRun(index=index), TracePosition(step=5)
        texts = ("{step 1 input weight}", "graph", "sum grad_input[0, 1]")
        clicks = [Click(topic="", headline="Saved", text=each) for each in texts]
        forward, graph, backward = story_frames(clicks, run, place, Progress(at=0, count=1))
        key = f"v{named_value(index, 'step 1 saved weight')[0].tensor}:0"
    notes = [each for each in graph.drawn if each.source == key]
    assert len(notes) == 2, "in the note, and in the leaf"
    for frames in ((forward, graph), (backward, graph)):
        (matrix,) = [each for each in frames[0].drawn if each.key == key]
        start = {each.key: each for each in between(*frames, 0).drawn}
        assert {(start[each.key].x, start[each.key].y) for each in notes} == {(matrix.x, matrix.y)}
    (matrix,) = [each for each in backward.drawn if each.key == key]
    half = {each.key: each for each in between(graph, backward, 0.5).drawn}
    for note in notes:
        assert half[note.key].x == pytest.approx((note.x + matrix.x) / 2)
        assert half[note.key].opacity == 1


def test_the_row_of_dots_stays_where_it_is() -> None:
    rows = []
    for count in (1, 2, 5):
        dots = list(progress_dots(Progress(at=1, count=4), count - 1, count, (1280, 720)))
        rows.append((dots[0].x, dots[-1].x))
        current = [each for each in dots if each.key.startswith("dot:1:")]
        assert len(current) == count
    assert len(set(rows)) == 1
