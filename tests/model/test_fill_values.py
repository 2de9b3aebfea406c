"""The elements that a fill creates, as far as they are known before the run."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.model.element_encoding import UnrepresentableNumberError
from gradviz.model.fill_values import filled_elements, filled_value
from gradviz.model.inputs import InputSpec, Number


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
