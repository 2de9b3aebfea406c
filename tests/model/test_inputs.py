"""Inputs and what-if changes: what is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.element_encoding import UnrepresentableNumberError
from gradviz.model.fill_values import filled_elements, filled_value
from gradviz.model.inputs import InputSpec, Number
from gradviz.model.tensor import TensorValue
from gradviz.model.validation.trace_rules import problems_of_change, validate
from gradviz.model.what_if import (
    ChangeRecord,
    ChangeTarget,
    GradientTarget,
    InputTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.model.what_if_values import (
    apply_change,
    change_between,
    content_key,
    element_bytes,
)
from gradviz.text.narration import describe_step
from gradviz.text.what_if import change_sentence, changes_line
from tests.builders import linear_trace

# The elements that a fill creates, as far as they are known before the run.


@pytest.mark.parametrize(
    ("spec", "elements"),
    [
        (InputSpec(name="x", shape=(2, 2), fill="arange"), (0, 1, 2, 3)),
        (InputSpec(name="x", fill="arange"), (0,)),
        (InputSpec(name="x", shape=(2,), fill="zeros", dtype="bool"), (0, 0)),
        (InputSpec(name="x", shape=(2,), fill="ones", dtype="complex64"), (1 + 0j, 1 + 0j)),
        (InputSpec(name="x", shape=(1,), fill="full", parameters=(7,), dtype="int8"), (7,)),
        (InputSpec(name="x", shape=(2, 3), fill="eye"), (1, 0, 0, 0, 1, 0)),
        (InputSpec(name="x", shape=(0, 3), fill="eye"), ()),
        (InputSpec(name="x", shape=(3,), fill="linspace", parameters=(1, -1)), (1, 0, -1)),
        (InputSpec(name="x", shape=(1,), fill="linspace", parameters=(3, 5)), (3,)),
        (InputSpec(name="x", shape=(0,), fill="linspace", parameters=(3, 5)), ()),
        (
            InputSpec(name="x", shape=(1,), fill="values", values=(0.1,), dtype="float16"),
            (0.09998,),
        ),
        (InputSpec(name="x", shape=(2,), fill="given", values=(1.5, 2.5)), (1.5, 2.5)),
    ],
    ids=lambda each: getattr(each, "fill", ""),
)
def test_elements(spec: InputSpec, elements: tuple[Number, ...]) -> None:
    assert filled_elements(spec) == pytest.approx(elements, abs=1e-5)
    value = filled_value(spec)
    assert value is not None
    assert value.shape == spec.shape
    assert np.allclose(value.array().ravel(), elements, atol=1e-5)


@pytest.mark.parametrize(
    "spec",
    [
        *(InputSpec(name="x", fill=fill) for fill in ("randn", "rand", "randint")),
        InputSpec(name="x", shape=(2,), fill="given"),
        InputSpec(name="x", shape=(4097,), fill="zeros"),
    ],
    ids=lambda spec: spec.fill,
)
def test_unknown_facts_are_left_out(spec: InputSpec) -> None:
    assert filled_elements(spec) is None
    assert filled_value(spec) is None


def test_what_a_dtype_cannot_hold_is_refused() -> None:
    with pytest.raises(UnrepresentableNumberError):
        filled_elements(InputSpec(name="x", shape=(200,), fill="arange", dtype="int8"))


@pytest.mark.parametrize(
    ("dtype", "wide"),
    [("bfloat16", "float64"), ("complex64", "complex128"), ("uint8", "int64"), ("bool", "bool")],
)
def test_no_bit_is_lost(dtype: str, wide: str) -> None:
    value = filled_value(InputSpec(name="x", shape=(2,), fill="ones", dtype=dtype))
    assert value is not None
    assert value.dtype == wide


# Exact changes: the change between two values, its result, and its sentence.


WEIGHT = InputTarget(position=1, name="weight")
SAVED = SavedTarget(saved=2, node=1, node_name="LinearFunctionBackward", slot=1, name="weight")
FLOW = GradientTarget(pass_id=1, edge=1, source_name="SumBackward0", target_name="AddBackward0")


def value(*numbers: float, dtype: str = "<f8") -> TensorValue:
    array = np.array(numbers, dtype=dtype)
    return TensorValue(dtype=array.dtype.name, shape=array.shape, data=array.tobytes())


def test_two_values_make_the_change_that_makes_one_of_the_other() -> None:
    old, new = value(1.0, 0.0, np.nan), value(1.0, -0.0, np.nan)
    change = change_between(WEIGHT, old, new)
    assert change is not None
    assert change.positions == (1,)
    assert apply_change(change, old) == new
    assert change_between(WEIGHT, old, old) is None
    assert change.seal == content_key(old) != content_key(new)


@pytest.mark.parametrize("way", ["all", "fill"])
def test_other_ways(way: str) -> None:
    bits = {"all": value(3.0, 4.0), "fill": value(2.5)}[way].data.hex()
    change = WhatIfChange(target=WEIGHT, dtype="float64", shape=(2,), way=way, bits=bits)
    assert list(problems_of_change(change)) == []
    new = apply_change(change, value(1.0, 2.0))
    assert new is not None
    assert new.array().tolist() == {"all": [3.0, 4.0], "fill": [2.5, 2.5]}[way]


def test_elements_in_their_bits() -> None:
    assert element_bytes(-0.0, "float64") == np.float64(-0.0).tobytes()
    assert element_bytes(1.5, "bfloat16") == b"\xc0\x3f"
    assert element_bytes(True, "bool") == b"\x01"
    assert element_bytes(1 + 2j, "complex64") == np.complex64(1 + 2j).tobytes()
    with pytest.raises(ValueError, match="cannot be set one by one"):
        element_bytes(1.0, "float8_e5m2")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"bits": "00"}, "does not have the right number of bits for its elements"),
        ({"bits": "zz"}, "does not have the right number of bits for its elements"),
        ({"old_bits": "0000"}, "does not have the right number of bits for its old elements"),
        ({"positions": (2,)}, "changes an element that does not exist"),
        ({"dtype": "quint8"}, "has a dtype or shape that cannot be changed"),
        ({"shape": (-1,)}, "has a dtype or shape that cannot be changed"),
    ],
)
def test_what_cannot_be_true(changes: dict[str, Any], problem: str) -> None:
    fine = change_between(WEIGHT, value(1.0, 2.0), value(1.0, 3.0))
    assert fine is not None
    assert problem in list(problems_of_change(replace(fine, **changes)))


def test_a_trace_with_a_change_that_does_not_fit_is_refused() -> None:
    fine = change_between(WEIGHT, value(1.0, 2.0), value(1.0, 3.0))
    assert fine is not None
    trace = linear_trace()
    assert validate(replace(trace, changes=(ChangeRecord(id=1, change=fine, old=1),))) == []
    assert validate(replace(trace, changes=(ChangeRecord(id=1, change=fine, new=99),))) == [
        "change 1 refers to tensor 99, which does not exist"
    ]


@pytest.mark.parametrize(
    ("target", "shape", "sentence"),
    [
        (WEIGHT, (2, 2), "weight[0, 1] = 2 instead of 4"),
        (WEIGHT, (), "weight = 2 instead of 4"),
        (
            SAVED,
            (2, 2),
            "element [0, 1] of saved weight of LinearFunctionBackward = 2 instead of 4",
        ),
        (
            FLOW,
            (2, 2),
            "element [0, 1] of the gradient from SumBackward0 to AddBackward0 = 2 instead of 4",
        ),
    ],
)
def test_the_sentence_of_one_element(
    target: ChangeTarget, shape: tuple[int, ...], sentence: str
) -> None:
    change = WhatIfChange(
        target=target,
        dtype="float32",
        shape=shape,
        way="elements",
        positions=(1 if shape else 0,),
        bits=np.float32(2).tobytes().hex(),
        old_bits=np.float32(4).tobytes().hex(),
    )
    assert change_sentence(change) == sentence


def test_the_sentences_of_several() -> None:
    both = change_between(WEIGHT, value(1.0, 2.0), value(5.0, 3.0))
    assert both is not None
    assert change_sentence(both) == "2 elements of weight changed"
    scaled = replace(both, way="scale", factor=0.5, positions=(), bits="", old_bits="")
    assert change_sentence(scaled) == "weight multiplied by 0.5"
    zero = replace(scaled, way="fill", bits=value(0.0).data.hex())
    assert change_sentence(zero) == "all elements of weight = 0"
    records = (
        ChangeRecord(id=1, change=both, applied=True),
        ChangeRecord(id=2, change=zero, problem="No."),
        ChangeRecord(id=3, change=scaled),
    )
    assert changes_line(replace(linear_trace(), changes=records)) == (
        "What If: 2 elements of weight changed; all elements of weight = 0 (not applied: "
        "No); weight multiplied by 0.5 (not reached in this run)."
    )
    assert changes_line(linear_trace()) == ""


def test_the_step_in_which_a_change_was_made_says_so() -> None:
    change = change_between(FLOW, value(1.0, 2.0), value(1.0, 3.0))
    assert change is not None
    trace = linear_trace()
    record = ChangeRecord(id=1, change=change, applied=True, step=4, old=1, new=2)
    plain, changed = index_trace(trace), index_trace(replace(trace, changes=(record,)))
    for step in trace.steps:
        more = (
            " What If changes a value here: element [1] of the gradient from "
            "SumBackward0 to AddBackward0 = 3 instead of 2."
        )
        expected = describe_step(plain, step) + (more if step.number == 4 else "")
        assert describe_step(changed, step) == expected
