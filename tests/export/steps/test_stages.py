"""The steps of a trace with stages, lines and ops, as text and as JSON."""

import json
from collections.abc import Iterator

import jsonschema
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.position_paths import position_at_path
from gradviz.analysis.position.trace_position import LEVELS, Level, TracePosition, children
from gradviz.export.steps.json_document import steps_document, steps_json_lines, steps_members
from gradviz.export.steps.json_text import json_pieces
from gradviz.export.steps.text import steps_text
from gradviz.model.inside import Inside, RecordingLevel
from gradviz.model.item import array_item
from gradviz.model.trace import Trace
from gradviz.text.narration import describe_position
from tests.builders import linear_trace
from tests.inside_builder import (
    INSIDE_TENSORS,
    dying_trace,
    inside_trace,
    op,
    part,
    raising_trace,
)
from tests.schemas import assert_fits

VALUES = {record.id: value for record, value in INSIDE_TENSORS}.get

OPS_OF_STEP_5 = """\
5  backward  LinearFunction.backward receives grad_output 2×3 (all ones) and returns gradients\
 for input 2×2 and weight 2×3, and None for bias.
     backward  LinearFunction.backward receives grad_output 2×3 (all ones) and returns gradients\
 for input 2×2 and weight 2×3, and None for bias. 9 lines and 8 ops ran in this\
 stage. 3 of the ops are not visible to autograd.
       in linear.py
       line1     Line 23, `input, weight, bias = ctx.saved_tensors`, sets input to a 2×2 tensor,\
 weight to a 2×3 tensor and bias to None.
       line2     Line 24, `doubled = scaled(grad_output.clone(), 2.0)`, calls scaled and creates\
 doubled 2×3 (all 2).
         op1       aten::clone takes self 2×3 (all ones) and returns a 2×3 tensor (all ones).
         line3     Line 6, `tensor.mul_(factor)` in scaled, changes tensor in place to a 2×3 tensor\
 (all 2).
           op2       aten::mul_ takes self 2×3 (all ones) and other = 2.0 and writes a 2×3 tensor\
 (all 2) into self.
         line4     Line 7, `return tensor` in scaled, returns a 2×3 tensor (all 2).
"""


@pytest.fixture
def index() -> TraceIndex:
    return index_trace(inside_trace(), VALUES)


def test_text_shows_nesting(index: TraceIndex) -> None:
    text = "".join(f"{line}\n" for line in steps_text(index, "op"))
    assert OPS_OF_STEP_5 in text


def test_node_level_is_as_without_insides(index: TraceIndex) -> None:
    bare = index_trace(linear_trace(), VALUES)
    assert [line.split()[:2] for line in steps_text(index)] == [
        line.split()[:2] for line in steps_text(bare)
    ]
    assert len(list(steps_text(index))) == len(list(steps_text(bare))) == 11


def test_passes_are_one_line_each(index: TraceIndex) -> None:
    assert list(steps_text(index, "pass"))[1:] == [
        "1–2  forward   The forward phase runs 2 steps and creates 2 nodes.",
        "3–8  backward  The backward pass executes 2 nodes and reaches 2 leaves, input and weight.",
    ]


def test_lines_have_no_ops_and_stages_no_lines(index: TraceIndex) -> None:
    by_line, by_stage = list(steps_text(index, "line")), list(steps_text(index, "stage"))
    assert sum(line.lstrip().startswith("line") for line in by_line) == 18
    assert not any(line.lstrip().startswith("op") for line in by_line)
    assert not any(line.lstrip().startswith(("op", "line")) for line in by_stage)


@pytest.mark.parametrize(
    ("recorded", "asked", "listed"),
    [
        ("nodes", "stage", False),
        ("nodes", "line", True),
        ("nodes", "op", True),
        ("ops", "line", True),
        ("ops", "op", False),
        ("lines", "line", False),
        ("lines", "op", True),
        ("all", "line", False),
        ("all", "op", False),
    ],
)
def test_trace_that_is_less_deep_says_so(
    recorded: RecordingLevel, asked: Level, listed: bool
) -> None:
    trace = linear_trace()
    trace = replace(trace, origin=replace(trace.origin, level=recorded))
    second = list(steps_text(index_trace(trace), asked))[1]
    assert ("recorded" in second) == listed


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trace", [inside_trace(), dying_trace(), raising_trace()])
def test_document_of_every_level_fits_the_schema(trace: Trace, level: Level) -> None:
    document = steps_document(index_trace(trace, VALUES), level)
    assert_fits(document, "steps")
    assert len(document["steps"]) == (0 if level == "pass" else len(trace.steps))


def test_document_holds_lines_and_ops(index: TraceIndex) -> None:
    step = steps_document(index, "op")["steps"][4]
    backward, engine = step["stages"]
    assert [each["caller"] for each in backward["calls"]] == [None, 2]
    assert backward["lines"][2]["changes"][0]["values"] == [[2, 2, 2], [2, 2, 2]]
    assert backward["lines"][5]["last_line"] == 28
    assert backward["ops"][1]["writes"] == ["self"]
    assert backward["ops"][1]["line"] == 3
    assert backward["ops"][2]["seen"] is False
    assert engine == {
        "place": "5/engine",
        "stage": "engine",
        "sentence": "The engine checks 2 gradients and changes nothing.",
        "recorded": True,
        "finished": True,
        "duration_ns": 2000,
        "thread": "",
        "more_lines": 0,
        "more_ops": 0,
        "calls": [],
        "lines": [],
        "ops": [],
    }


def test_paths_in_a_document_lead_to_their_positions(index: TraceIndex) -> None:
    stages = [stage for step in steps_document(index, "op")["steps"] for stage in step["stages"]]
    listed = [
        each for stage in stages for each in (stage, *stage.get("lines", ()), *stage.get("ops", ()))
    ]
    assert len(listed) > 30
    for each in listed:
        assert describe_position(index, position_at_path(index, each["place"])) == each["sentence"]


def test_schema_refuses_a_line_without_a_place(index: TraceIndex) -> None:
    document = steps_document(index, "line")
    del document["steps"][4]["stages"][0]["lines"][0]["place"]
    with pytest.raises(jsonschema.ValidationError):
        assert_fits(document, "steps")


def test_pieces_are_the_text_that_json_would_write(index: TraceIndex) -> None:
    whole = steps_document(index, "op")
    text = "".join(json_pieces(steps_members(index, "op")))
    assert text == json.dumps(whole, indent=1)
    empty = "".join(json_pieces({"a": iter(()), "b": {}}))
    assert json.loads(empty) == {"a": [], "b": {}}


def test_text_of_a_repeated_object_is_made_once() -> None:
    class Counted(list[int]):
        times = 0

        def __iter__(self) -> Iterator[int]:
            self.times += 1
            return super().__iter__()

    shared = Counted([1, 2])
    document = {"all": [{"first": shared, "second": ()}, {"first": shared, "second": (3,)}]}
    assert "".join(json_pieces(document)) == json.dumps(document, indent=1)
    shared.times = 0
    "".join(json_pieces({"all": [{"first": shared}]}))
    once, shared.times = shared.times, 0
    "".join(json_pieces(document))
    assert shared.times == once > 0


def test_every_stage_of_the_walk_is_in_the_text(index: TraceIndex) -> None:
    lines = list(steps_text(index, "stage"))
    for number in range(1, len(index.trace.steps) + 1):
        for stage in children(index, TracePosition(step=number)):
            text = describe_position(index, stage)
            assert any(line.endswith(text) and str(stage.stage) in line for line in lines)


def test_steps_are_made_one_at_a_time(index: TraceIndex) -> None:
    asked: list[int] = []

    def values(number: int) -> None:
        asked.append(number)

    steps = steps_members(replace(index, value=values), "op")["steps"]
    assert not asked
    counts = [len(asked) for _ in steps]
    assert counts == sorted(counts)
    assert 0 < counts[0] < counts[-1]


def test_array_of_numpy_is_distinguished_from_a_tensor() -> None:
    trace = inside_trace()
    listed = part("forward", ops=[op("Tensor.numpy", [], [array_item("output", 1)], seen=False)])
    trace = replace(trace, insides=(Inside(id=1, parts=(listed,)),))
    document = steps_document(index_trace(trace, VALUES), "op")
    assert_fits(document, "steps")
    (output,) = document["steps"][0]["stages"][0]["ops"][0]["outputs"]
    assert output["array"] is True
    assert output["values"] == [[0, 1], [2, 3]]
    assert "array" not in document["steps"][0]["inputs"][0]


def test_some_steps_only(index: TraceIndex) -> None:
    wanted = range(3, 5)
    header, *lines = steps_text(index, "node", wanted)
    everything = list(steps_text(index))
    assert header == everything[0]
    assert [line for line in everything if line.lstrip()[:1] in ("3", "4")] == lines
    assert [each["number"] for each in steps_members(index, "node", wanted)["steps"]] == [
        3,
        4,
    ]


def test_one_line_of_json_for_each_step(index: TraceIndex) -> None:
    document = steps_document(index, "op")
    lines = list(steps_json_lines(index, "op"))
    assert [json.loads(line) for line in lines] == document["steps"]
    assert not any("\n" in line for line in lines)
    assert list(steps_json_lines(index, "op", range(2, 4))) == lines[1:3]
