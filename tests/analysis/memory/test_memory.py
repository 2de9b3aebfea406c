"""Which memory tensors share."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.memory.memory_regions import elements_differ, overlaps
from gradviz.analysis.memory.output_aliasing import OutputAlias, output_alias, output_aliases
from gradviz.model.item import tensor_item
from gradviz.model.tensor import ITEM_SIZES, TensorRecord
from gradviz.model.tensor_table import TensorTable
from tests.builders import linear_trace, tensor

# Which elements of a storage tensors share, compared with all their addresses.


def view(
    offset: int | None, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str = "float64"
) -> TensorRecord:
    record, _ = tensor(1, 0.0, storage=7)
    return replace(record, offset=offset, shape=shape, strides=strides, dtype=dtype)


def addresses(record: TensorRecord) -> set[int]:
    assert record.strides is not None
    assert record.offset is not None
    size = ITEM_SIZES[record.dtype]
    return {
        (record.offset + sum(at * by for at, by in zip(place, record.strides, strict=True))) * size
        + byte
        for place in itertools.product(*map(range, record.shape))
        for byte in range(size)
    }


@st.composite
def views(draw: st.DrawFn) -> TensorRecord:
    dimensions = draw(st.integers(0, 3))
    sizes = st.lists(st.integers(0, 4), min_size=dimensions, max_size=dimensions)
    shape, strides = tuple(draw(sizes)), tuple(draw(sizes))
    dtype = draw(st.sampled_from(["float64", "float32", "uint8"]))
    return view(draw(st.integers(0, 12)), shape, strides, dtype)


@given(views(), views())
def test_overlap_is_that_of_the_addresses(one: TensorRecord, other: TensorRecord) -> None:
    assert overlaps(one, other) == bool(addresses(one) & addresses(other))


def test_nothing_is_known_of_other_memory_or_without_an_offset() -> None:
    one = view(0, (4,), (1,))
    assert not overlaps(one, replace(one, storage=8))
    assert not overlaps(replace(one, storage=None), replace(one, storage=None))
    assert not overlaps(one, view(None, (2,), (1,)))
    assert not overlaps(one, view(0, (1 << 40,) * 40, (1,) * 40))
    assert not overlaps(one, view(0, (2,), (1 << 70,)))


@pytest.mark.parametrize(("row", "differ"), [([3.0, 4.0, 5.0], False), ([3.0, 9.0, 5.0], True)])
def test_a_row_is_compared_with_its_place_in_the_whole(row: list[float], differ: bool) -> None:
    whole, part = tensor(1, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), tensor(2, row, storage=1)
    values = {1: whole[1], 2: part[1]}
    index = index_trace(linear_trace(), values.get)
    records = replace(whole[0], offset=0), replace(part[0], offset=3)
    assert elements_differ(index, *records) is differ
    # Elements that were not stored may differ or not.
    unknown = replace(records[1], content="metadata", statistics=None)
    assert elements_differ(index, records[0], unknown) is None


# Which input an output is identical to or shares memory with.


def kinship(
    storage: int | None, *, dirty: bool = False, shape: tuple[int, ...] = (3,)
) -> OutputAlias | None:
    given, _ = tensor(90, np.arange(3.0))
    made, _ = tensor(91, np.arange(3.0).reshape(shape))
    given = replace(given, storage=40, version=0)
    made = replace(made, storage=storage, version=2)
    trace = linear_trace()
    call = replace(
        trace.calls[0],
        arguments=(tensor_item("x", 90),),
        outputs=(tensor_item("output", 91),),
        dirty=(0,) if dirty else (),
    )
    index = index_trace(replace(trace, calls=(call,), tensors=(*trace.tensors, given, made)))
    return output_alias(index, call.arguments, call.outputs[0], call.dirty)


def test_an_input_that_was_declared_dirty_is_the_output() -> None:
    assert kinship(40, dirty=True) == OutputAlias(name="x", same=True, before=0, after=2)


def test_undeclared_it_is_another_tensor_in_the_same_memory() -> None:
    assert kinship(40) == OutputAlias(name="x", same=False, before=0, after=2)


def test_a_view_is_not_the_input_itself() -> None:
    found = kinship(40, dirty=True, shape=(3, 1))
    assert found is not None
    assert not found.same


def test_each_of_many_inputs_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    bare = TensorTable.bare

    def record(table: TensorTable, tensor: int) -> TensorRecord:
        looked_at.append(tensor)
        return bare(table, tensor)

    monkeypatch.setattr(TensorTable, "bare", record)
    index = index_trace(linear_trace())
    inputs = [tensor_item(f"x{number}", 1 + number % 2) for number in range(100)]
    results = [tensor_item(f"y{number}", 3 - number % 2) for number in range(100)]
    aliases = output_aliases(index, inputs, results)
    assert [each and each.name for each in aliases] == [None, "x1"] * 50
    assert len(looked_at) == 200


def test_other_memory_and_unknown_memory() -> None:
    assert kinship(41) is None
    assert kinship(None) is None
