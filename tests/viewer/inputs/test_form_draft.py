"""Editing an argument's fields keeps typed values where possible."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec import structs

from gradviz.model.inputs import InputSpec, Offer, RunSubject
from gradviz.viewer.inputs.elements.typed_cells import TypedCells, read_cells
from gradviz.viewer.inputs.fields.field_reader import ArgumentReading, read_argument
from gradviz.viewer.inputs.form_draft import (
    ArgumentDraft,
    form_draft,
    with_cells,
    with_dtype,
    with_fill,
    with_shape,
)

pytestmark = pytest.mark.usefixtures("qapp")


def draft_of(spec: InputSpec) -> ArgumentDraft:
    offer = Offer(subject=RunSubject(scene="s"), title="s", inputs=(spec,))
    return form_draft(offer).arguments[0]


def typed(*numbers: float, shape: tuple[int, ...], dtype: str = "float64") -> ArgumentDraft:
    spec = InputSpec(name="x", shape=shape, dtype=dtype, fill="values", values=numbers)
    return draft_of(spec)


def texts(draft: ArgumentDraft) -> tuple[str, ...]:
    assert draft.cells is not None
    return draft.cells.texts


@pytest.mark.parametrize("dtype", ["float64", "float16", "complex64", "int64", "bool"])
def test_values_come_back_as_they_were(dtype: str) -> None:
    values = {
        "complex64": (1 + 2j, 0.1j, complex(1e-30, -5)),
        "int64": (2**60 + 1, -1, 0),
        "bool": (1, 0, 1),
    }.get(dtype, (0.1, -1e-30, 3.141592653589793))
    spec = InputSpec(name="x", shape=(3,), dtype=dtype, fill="values", values=values)
    assert read_argument(draft_of(spec), spec).spec == spec


def test_a_shape_with_as_many_elements_keeps_their_order() -> None:
    assert texts(with_shape(typed(1, 2, 3, 4, 5, 6, shape=(2, 3)), "3x2")) == tuple("123456")
    assert texts(with_shape(typed(1, 2, 3, 4, shape=(4,)), "2x2")) == tuple("1234")


def test_another_shape_keeps_the_elements_that_both_have() -> None:
    start = typed(1, 2, 3, 4, shape=(2, 2))
    assert texts(with_shape(start, "2x3")) == ("1", "2", "0", "3", "4", "0")
    assert texts(with_shape(start, "1x1")) == ("1",)
    assert texts(with_shape(start, "2x2x2")) == tuple("12340000")
    assert texts(with_shape(typed(1, 2, shape=(2,)), "2x2")) == ("1", "2", "0", "0")


def test_a_shape_that_is_none_keeps_all_elements() -> None:
    start = typed(1, 2, shape=(2,))
    assert texts(with_shape(start, "2x")) == ("1", "2")


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (InputSpec(name="x", shape=(2, 2), fill="arange"), ("0", "1", "2", "3")),
        (InputSpec(name="x", shape=(2, 2), fill="eye"), ("1", "0", "0", "1")),
        (InputSpec(name="x", shape=(2,), fill="full", parameters=(0.1,)), ("0.1", "0.1")),
        (InputSpec(name="x", shape=(3,), fill="linspace", parameters=(0, 1)), ("0", "0.5", "1")),
        (InputSpec(name="x", shape=(2,), fill="randn"), ("0", "0")),
        (InputSpec(name="x", shape=(1,), fill="ones", dtype="bool"), ("True",)),
        (InputSpec(name="x", shape=(), fill="given", values=(2.5,)), ("2.5",)),
    ],
    ids=lambda each: getattr(each, "fill", ""),
)
def test_typing_begins_with_the_elements_there_are(
    spec: InputSpec, wanted: tuple[str, ...]
) -> None:
    assert texts(with_fill(draft_of(spec), "values", spec)) == wanted


def test_typed_elements_outlive_another_fill() -> None:
    start = typed(1, 2, shape=(2,))
    gone = with_fill(start, "randn", None)
    assert texts(with_fill(gone, "values", None)) == ("1", "2")


def test_too_many_elements_are_not_made() -> None:
    spec = InputSpec(name="x", shape=(100, 100), fill="zeros")
    changed = with_fill(draft_of(spec), "values", spec)
    assert changed.cells is None
    assert texts(with_shape(changed, "2")) == ("0", "0")


def test_another_dtype_writes_numbers_its_own_way_and_keeps_the_rest() -> None:
    start = typed(1, 0, 0.1, shape=(3,))
    as_bool = with_dtype(start, "bool")
    assert texts(as_bool) == ("True", "False", "0.1")
    assert texts(with_dtype(as_bool, "float16")) == ("1", "0", "0.1")
    assert texts(with_dtype(start, "complex64")) == ("1+0j", "0+0j", "0.1")


def test_pasted_cells_give_the_shape_and_the_fill() -> None:
    spec = InputSpec(name="x", shape=(2,), fill="randn")
    changed = with_cells(draft_of(spec), TypedCells(shape=(1, 2), texts=("1", "2")))
    assert read_argument(changed, spec).spec == structs.replace(
        spec, shape=(1, 2), fill="values", values=(1, 2)
    )


def test_what_is_none_becomes_a_tensor_like_its_neighbours() -> None:
    inputs = (InputSpec(name="x", dtype="float32"), InputSpec(name="bias", kind="none"))
    offer = Offer(subject=RunSubject(scene="s"), title="s", inputs=inputs)
    assert form_draft(offer).arguments[1].dtype == "float32"


def reading(**fields: object) -> ArgumentReading:
    spec = InputSpec(name="x", shape=(2, 3))
    return read_argument(dataclasses.replace(draft_of(spec), **fields), spec)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"shape": "2x"}, "shape", "A size is missing"),
        ({"fill": "eye", "shape": "3"}, "fill", "two sizes, like 3×3"),
        (
            {"fill": "randn", "dtype": "int64"},
            "fill",
            "randn creates fractions, but int64 holds only integers",
        ),
        ({"fill": "arange", "dtype": "int8", "shape": "200"}, "fill", "int8 ends at 127"),
        ({"fill": "values", "shape": "5000"}, "fill", "The shape has 5,000"),
        ({"fill": "full", "parameters": ("a",)}, "parameter 0", "a is not a number"),
        ({"fill": "full", "parameters": ("300",), "dtype": "int8"}, "parameter 0", "fit in int8"),
        ({"fill": "linspace", "parameters": ("0", "")}, "parameter 1", "Enter a number"),
        ({"fill": "randint", "parameters": ("5", "5")}, "parameter 1", "less than high"),
        ({"fill": "randint", "parameters": ("0", "1.5")}, "parameter 1", "has a fraction"),
        (
            {"fill": "randint", "parameters": ("0", "300"), "dtype": "uint8"},
            "parameter 1",
            "uint8 goes from 0 to 255",
        ),
        ({"kind": "object", "text": "mean"}, "text", "needs quotes"),
    ],
)
def test_each_problem_is_shown_at_its_field(
    fields: dict[str, object], field: str, words: str
) -> None:
    found = reading(**fields)
    assert found.spec is None
    assert list(found.problems) == [field]
    assert words in next(iter(found.problems.values()))


def test_wrong_elements_are_counted_and_the_first_is_named() -> None:
    one = TypedCells(shape=(2, 2), texts=("1", "x", "3", "4"))
    found = reading(fill="values", shape="2×2", cells=one)
    assert found.problems == {"values": "Element [0, 1]: x is not a number."}
    assert read_cells(one, "float64").wrong == {1}
    two = TypedCells(shape=(2, 2), texts=("1", "2", "300", "-300"))
    found = reading(fill="values", shape="2×2", dtype="int8", cells=two)
    message = "2 elements are not valid. The first, [1, 0]: 300 does not fit in int8"
    assert found.problems["values"].startswith(message)


def test_rounding_is_reported_and_allowed() -> None:
    cells = TypedCells(shape=(3,), texts=("0.1", "0.5", "0.3"))
    found = reading(fill="values", shape="3", dtype="float16", cells=cells)
    assert found.spec is not None
    assert read_cells(cells, "float16").rounded == {0, 2}
    assert found.notes == (
        "2 elements are rounded to float16. 0.1 is stored as 0.0999755859375 in float16.",
    )
    found = reading(fill="arange", shape="300", dtype="bfloat16")
    assert found.notes == (
        "bfloat16 cannot represent every integer above 256, so arange is rounded there.",
    )
    assert reading(fill="arange", shape="257", dtype="bfloat16").notes == ()


def test_a_dtype_without_gradients_keeps_the_wish() -> None:
    whole = reading(fill="arange", dtype="int64", requires_grad=True).spec
    assert whole is not None
    assert not whole.requires_grad
    back = reading(fill="arange", dtype="float64", requires_grad=True).spec
    assert back is not None
    assert back.requires_grad
