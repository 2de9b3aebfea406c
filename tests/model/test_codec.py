"""Values survive a JSON round trip; values that do not match the type are refused."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.model.codec import CodecError, as_object, decode, encode, json_text
from gradviz.model.inputs import InputSpec
from gradviz.model.jacobian_report import WorstElement
from gradviz.model.statistics import Statistics
from gradviz.model.trace import Outcome
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
    assert as_object(statistics)["minimum"] == "NaN"
    assert math.isnan(decode(Statistics, data).minimum)  # type: ignore[arg-type]


NUMBERS = st.floats() | st.complex_numbers() | st.integers() | st.booleans()
"""All floats: NaN of each kind, infinities, zeros with a sign and the smallest ones."""

VALUES: st.SearchStrategy[Any] = st.recursive(
    NUMBERS
    | st.none()
    | st.text(st.characters(exclude_categories=[]))
    | st.builds(lambda one, other: replace(WORST, analytical=one, excess=other), NUMBERS, NUMBERS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_the_text_of_a_value_is_that_of_its_encoding(value: object) -> None:
    expected = json.dumps(encode(value), allow_nan=False, separators=(",", ":"))
    assert json_text(value) == expected
    assert expected.isascii()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"duration_ns": "1"}, "`int`, got `str`"),
        ({"duration_ns": True}, "`int`, got `bool`"),
        ({"duration_ns": 1.0}, "`int`, got `float`"),
        ({"kind": "ended"}, "Outcome: Invalid enum value 'ended'"),
        ({"kind": "e" * 1000}, "^.{0,250}$"),
        ({"message": None}, "`str`, got `null`"),
    ],
)
def test_wrong_forms_are_refused(change: dict[str, object], part: str) -> None:
    good = {"kind": "failed", "message": "x", "duration_ns": 1}
    assert decode(Outcome, good).message == "x"
    with pytest.raises(CodecError, match=part):
        decode(Outcome, good | change)


def test_objects_have_all_names() -> None:
    data = as_object(WORST)
    assert list(data) == list(WorstElement.__struct_fields__)
    assert (data["input_index"], data["analytical"]) == ([1, 0], ["Infinity", -0.0])
    report = as_object(replace(linear_trace().steps[0], location=None))
    assert [each["name"] for each in report["inputs"]]
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_numbers_keep_their_kind() -> None:
    values = (2**60 + 1, 1.0, -0.0, math.inf, complex(math.nan, -0.0), True)
    spec = InputSpec(name="x", shape=(6,), fill="values", values=values)
    data = json.loads(json.dumps(encode(spec), allow_nan=False))
    back = decode(InputSpec, data).values
    assert [repr(each) for each in back] == [repr(each) for each in (*values[:-1], 1)]
    data["values"] = ["1"]
    with pytest.raises(CodecError, match="not a number"):
        decode(InputSpec, data)
