"""Pictures show what was recorded, bit for bit, and say what they cannot show."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.display.parts import Shape, TextRun, ValuePlane
from gradviz.export.frame_svg import frame_svg
from gradviz.lesson.lesson import LessonStop
from gradviz.model.item import tensor_item
from gradviz.model.tensor import TensorValue
from gradviz.story.blocks import Block
from gradviz.story.click import Click
from gradviz.story.frame import LEAST_TEXT, Frame
from gradviz.story.frames import Progress, story_frames
from gradviz.story.picture import PictureMoment, StoryError, picture
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import stop_clicks
from gradviz.story.values import (
    ShownValue,
    cell_rect,
    empty_block,
    slices_block,
    value_block,
)
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.story.shipped import opened, texts

VALUES = {record.id: value for record, value in LINEAR_TENSORS}


@pytest.fixture(scope="module")
def index() -> TraceIndex:
    return index_trace(linear_trace(), VALUES.get)


def drawn(index: TraceIndex, text: str, *, asked: bool = False) -> Block:
    place = TracePosition(step=5)
    revealed = RevealedTrace.before_answer(index, 5) if asked else RevealedTrace.of_all(index)
    run = StoryRun(index=index, other=StoryRun(index=index))
    moment = PictureMoment(run=run, place=place, revealed=revealed, room=(1168, 500))
    return picture(moment, text)


def planes(block: Block) -> list[ValuePlane]:
    return [part for each in block.drawn for part in each.parts if isinstance(part, ValuePlane)]


def marked(block: Block) -> list[str]:
    """The lines of code that are marked."""
    return [
        "".join(part.text for part in each.parts[3:] if isinstance(part, TextRun))
        for each in block.drawn
        if each.key.startswith("code:") and isinstance(each.parts[0], Shape)
    ]


def runs(block: Block) -> list[str]:
    """All texts but the numbers of lines."""
    found = [part.text for each in block.drawn for part in each.parts if isinstance(part, TextRun)]
    return [each for each in found if not each.isdigit()]


def keys(block: Block) -> set[str]:
    return {each.key for each in block.drawn}


@pytest.mark.parametrize(
    ("query", "tensor"),
    [
        ("step 5 returned weight", "returned"),
        ("other: step 5 returned weight", "returned"),
        ("step 5 incoming grad_output", "incoming"),
    ],
)
def test_a_value_is_drawn_as_it_was_recorded(index: TraceIndex, query: str, tensor: str) -> None:
    step = index.trace.steps[4]
    items = getattr(step, tensor)
    (item,) = [each for each in items if each.name == query.split()[-1]]
    (plane,) = planes(drawn(index, f"{{{query}}}"))
    assert plane.value == index.value(item.tensor)


def test_the_place_of_a_value_has_none_of_its_elements(index: TraceIndex) -> None:
    known, asked = (drawn(index, f"{{{way}step 5 returned weight}}") for way in ("", "?"))
    assert planes(known)
    assert not planes(asked)
    assert asked.width >= 90


def test_a_sum_names_its_element_and_rings_what_it_is_made_of(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        block = drawn(index, "sum grad_input[0, 1]")
    rings = [each for each in keys(block) if each.startswith("ring:")]
    assert len(rings) == 7, "three products of two factors, and the result"
    sources = {each.source for each in block.drawn if each.source}
    assert sources
    assert sources <= keys(block), "each term comes out of a ring"


def test_a_graph_has_no_more_than_what_exists_and_may_be_seen(index: TraceIndex) -> None:
    shown, asked = (drawn(index, "graph", asked=each) for each in (False, True))
    answers = {
        index.value(each.tensor)
        for each in index.trace.steps[4].returned  # type: ignore[union-attr]
        if each.tensor is not None
    }
    assert answers & {each.value for each in planes(shown)}
    assert not answers & {each.value for each in planes(asked)}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{step 5 returned nothing}", "nothing"),
        ("{step 99 returned weight}", "99"),
        ("{whatever}", "whatever"),
        ("{check numerical}", "not checked"),
        ("sum weight[9, 9]", "weight[9, 9]"),
        ("code 99", "99"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(index: TraceIndex, text: str, part: str) -> None:
    with pytest.raises(StoryError, match=part.replace("[", r"\[")):
        drawn(index, text)


def test_long_lines_of_code_are_wrapped_and_never_cut(index: TraceIndex) -> None:
    from gradviz.document.source_excerpt import SourceExcerpt
    from gradviz.drawing.display.parts import TextRun
    from gradviz.story.code import code_block

    line = "    value = " + " + ".join(f"name_{number}" for number in range(40))
    excerpt = SourceExcerpt(file="a.py", first=1, lines=(line,), current=range(1, 2))
    block = code_block(excerpt, 700)
    runs = [part.text for each in block.drawn for part in each.parts if isinstance(part, TextRun)]
    assert "".join("".join(runs[1:]).split()) == "".join(line.split())
    assert block.width <= 701


def deck(*shape: int) -> ShownValue:
    data = np.arange(np.prod(shape), dtype="<f8").tobytes()
    value = TensorValue(dtype="float64", shape=shape, data=data)
    return ShownValue(item=tensor_item("w", 1), shape="", value=value, ink="border")


@pytest.mark.parametrize(
    ("shape", "facts"),
    [
        ((2, 3), ""),
        ((4, 2, 3), ""),
        ((20, 2, 3), "the first 8 of 20"),
        ((100, 2), "sampled"),
        ((0, 3), ""),
        ((0, 2, 3), ""),
    ],
)
def test_what_is_left_out_of_a_value_is_said(shape: tuple[int, ...], facts: str) -> None:
    shown = deck(*shape)
    assert shown.facts == facts
    for block in (value_block(shown), slices_block(shown, (1168, 500), "+"), empty_block(shown)):
        assert block.width > 0
        assert block.height > 0


def test_a_value_whose_elements_were_not_kept_says_so(index: TraceIndex) -> None:
    shown = replace(deck(2, 3), value=None, is_partial=True, shape="2x3")
    assert shown.facts == "2x3 · elements were not stored"
    assert not planes(value_block(shown))


def test_the_values_of_a_row_share_a_color_scale(index: TraceIndex) -> None:
    block = drawn(index, "{step 5 incoming grad_output} {step 5 returned input}")
    limits = {each.limit for each in planes(block)}
    assert limits == {max(np.abs(each.value.array()).max() for each in planes(block))}


@pytest.mark.parametrize("name", ["\x1b[31mw", "a\nb", "\u202ew", "<b>", "x" * 2_000])
def test_hostile_names_stay_text(index: TraceIndex, name: str) -> None:
    shown = replace(deck(2, 2), item=tensor_item(name, 1))
    frame = Frame(width=1280, height=720, drawn=value_block(shown).drawn)
    svg = frame_svg(frame, theme_paint("light"))
    ElementTree.fromstring(svg)
    assert "\x1b" not in svg
    assert "\u202e" not in svg
    assert "<b>" not in svg


def test_a_picture_keeps_its_place_when_the_headline_gets_another_line(index: TraceIndex) -> None:
    clicks = [
        Click(topic="", headline=words, text="{step 5 returned weight}")
        for words in ("short", "long " * 20)
    ]
    run, place = StoryRun(index=index), TracePosition(step=5)
    frames = story_frames(clicks, run, place, Progress(at=0, count=1))
    values = [[each for each in frame.drawn if each.key.startswith("v")] for frame in frames]
    assert values[0]
    assert values[0] == values[1]


def test_a_picture_leaves_long_texts_below_it_their_size(index: TraceIndex) -> None:
    note = "\n".join(["a line of a note"] * 12)
    values = "{step 5 incoming grad_output}\n{step 5 returned weight}"
    click = Click(topic="", headline="short", text=values, note=note)
    run, place = StoryRun(index=index), TracePosition(step=5)
    (frame,) = story_frames([click], run, place, Progress(at=0, count=1))
    sizes = [size for text, size, _ in texts(frame) if text == "a line of a note"]
    assert len(sizes) == 12
    assert min(sizes) >= LEAST_TEXT


def test_the_line_that_made_a_value_is_marked(tmp_path: Path) -> None:
    with opened("linear-wrong", True, tmp_path) as index:
        block = drawn(index, "code of step 5 returned weight: Look here")
        assert marked(block) == ["grad_weight = input.mm(grad_output)"]
        assert "remark:27" in keys(block)
        assert marked(drawn(index, "code of step 5 returned input")) == [
            "grad_input = grad_output.mm(weight.t())"
        ]
        assert marked(drawn(index, "code 5")) == [], "all of it is meant"


def test_a_value_that_no_line_made_has_no_code(index: TraceIndex) -> None:
    for value in ("step 5 returned weight", "step 1 input bias"):
        with pytest.raises(StoryError, match=f"There is no code of yours at {value}."):
            drawn(index, f"code of {value}")
    with pytest.raises(StoryError, match="step 5"):
        drawn(index, "code of step 5 returned nothing")


def test_definitions_are_shown_whole_and_several_share_the_picture(tmp_path: Path) -> None:
    with opened("linear", False, tmp_path) as index:
        alone = " ".join(runs(drawn(index, "code in LinearFunction.forward")))
        assert "def forward" in alone
        assert alone.endswith("return output")
        assert " ".join(runs(drawn(index, "code in forward"))) == alone
        both = drawn(index, "code in LinearFunction.forward\nother: code in LinearFunction.forward")
        assert " ".join(runs(both)) == f"{alone} {alone}"
        with pytest.raises(StoryError, match="There is no code of yours at ward"):
            drawn(index, "code in ward")


def test_an_error_is_told_in_its_own_words(index: TraceIndex, tmp_path: Path) -> None:
    with opened("cube-once", False, tmp_path) as failed:
        told = " ".join(runs(drawn(failed, "exception")))
    assert told.startswith("RuntimeError: trying to differentiate twice a function that was")
    with pytest.raises(StoryError, match="ended without an error"):
        drawn(index, "exception")


def test_with_the_answer_the_places_that_were_open_have_their_values(index: TraceIndex) -> None:
    ask = "{step 5 incoming grad_output} → {? step 5 returned input}"
    stop = LessonStop(scene="linear", step="5", question="And now?", answer="So.", ask=ask)
    run = StoryRun(index=index)
    place = TracePosition(step=5)
    clicks = stop_clicks(stop, run, place)
    asked, answered, *_ = story_frames(clicks, run, place, Progress(at=0, count=1))
    value = index.trace.steps[4].returned[0].tensor
    assert not [each for each in asked.drawn if each.key.startswith(f"v{value}:0")]
    assert [each for each in answered.drawn if each.key.startswith(f"v{value}:0")]


def test_no_number_of_a_deck_is_covered_in_part() -> None:
    tops = sorted(each.y for each in value_block(deck(4, 2, 3)).drawn if each.key.count(":") == 1)
    first_row = cell_rect(deck(4, 2, 3), (0, 0)).bottom
    steps = [after - before for before, after in pairwise(tops) if after > before]
    assert len(steps) >= 3
    assert min(steps) >= first_row


def test_a_matrix_alone_names_its_axes_and_rings_stand_beside_the_difference(
    tmp_path: Path,
) -> None:
    with opened("linear-wrong", True, tmp_path) as index:
        alone = drawn(index, "{check numerical weight}")
        assert "weight ↓ output →" in " ".join(" ".join(runs(alone)).split())
        both = drawn(index, "{check analytical weight} {check numerical weight}")
        three = drawn(
            index,
            "{check analytical weight} − {check numerical weight} = {check difference weight}",
        )
        assert "↓" not in " ".join(runs(both))
        counts = [
            sum(key.startswith("ring") for key in keys(each)) for each in (alone, both, three)
        ]
        assert counts == [0, 0, 3]
