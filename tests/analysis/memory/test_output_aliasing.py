"""Which input an output is identical to or shares memory with."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.memory.output_aliasing import OutputAlias, output_alias, output_aliases
from gradviz.model.item import tensor_item
from gradviz.model.tensor import TensorRecord
from gradviz.model.tensor_table import TensorTable
from tests.builders import linear_trace, tensor


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
