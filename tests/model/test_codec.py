"""Values survive a JSON round trip; values that do not match the type are refused."""

import json
import math

import pytest

from gradviz.model.codec import CodecError, decode, encode
from gradviz.model.console import ConsoleText
from gradviz.model.inputs import InputSpec
from gradviz.model.jacobian_report import WorstElement
from gradviz.model.statistics import Statistics
from gradviz.model.step import ErrorStep, PassEndStep, Step
from tests.builders import linear_trace

WORST = WorstElement(
    row=3,
    column=0,
    input_index=(1, 0),
    output_index=(0, 0),
    analytical=complex(math.inf, -0.0),
    numerical=complex(1, 2),
    excess=math.inf,
)


def test_non_finite_and_complex_numbers_survive_json() -> None:
    text = json.dumps(encode(WORST), allow_nan=False)
    back = decode(WorstElement, json.loads(text))
    assert back == WORST
    assert math.copysign(1, back.analytical.imag) == -1


def test_nan_survives_json() -> None:
    statistics = Statistics(
        count=1,
        minimum=math.nan,
        maximum=None,
        total=None,
        mean=None,
        std=None,
        norm=None,
        zeros=0,
        nans=1,
        positive_infinities=0,
        negative_infinities=0,
    )
    data = json.loads(json.dumps(encode(statistics), allow_nan=False))
    assert data["minimum"] == "NaN"
    assert math.isnan(decode(Statistics, data).minimum)  # type: ignore[arg-type]


def test_steps_keep_their_class() -> None:
    for step in linear_trace().steps:
        data = json.loads(json.dumps(encode(step, Step)))
        assert data["type"] == type(step).__name__
        assert decode(Step, data) == step  # type: ignore[arg-type]


GOOD = {"id": 1, "step": None, "stream": "stdout", "activity": "run", "text": "x"}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"id": "1"}, "not of type int"),
        ({"id": True}, "not of type int"),
        ({"stream": "stdin"}, "is not one of stdout, stderr"),
        ({"text": None}, "not of type str"),
        ({"step": 1.0}, "not of type int"),
        ({"extra": 1}, "fields do not match ConsoleText"),
    ],
)
def test_wrong_forms_are_refused(change: dict[str, object], part: str) -> None:
    assert decode(ConsoleText, GOOD).text == "x"
    with pytest.raises(CodecError, match=part):
        decode(ConsoleText, GOOD | change)


def test_unknown_or_missing_step_types_are_refused() -> None:
    data = encode(linear_trace().steps[7], Step)
    assert isinstance(decode(Step, data), PassEndStep)  # type: ignore[arg-type]
    for wrong in (
        data | {"type": "Origin"},
        encode(linear_trace().steps[7]),
        [],
        "x",
        {"type": []},
    ):
        with pytest.raises(CodecError, match="unknown type"):
            decode(Step, wrong)  # type: ignore[arg-type]
    with pytest.raises(CodecError, match="fields do not match ErrorStep"):
        decode(Step, data | {"type": ErrorStep.__name__})  # type: ignore[arg-type]


def test_numbers_keep_their_kind() -> None:
    values = (2**60 + 1, 1.0, -0.0, math.inf, complex(math.nan, -0.0), True)
    spec = InputSpec(name="x", shape=(6,), fill="values", values=values)
    data = json.loads(json.dumps(encode(spec), allow_nan=False))
    back = decode(InputSpec, data).values
    assert [repr(each) for each in back] == [repr(each) for each in (*values[:-1], 1)]
    data["values"] = [True]
    with pytest.raises(CodecError, match="not a number"):
        decode(InputSpec, data)
