"""Short value texts that never mislead."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.viewer.source.value_text import item_text
from tests.builders import linear_trace, tensor
from tests.viewer.traces import MemoryReader

PAIRS = (
    tensor(1, 0.1 + 0.2),
    tensor(2, [[3.0, 12.0], [3.0, 12.0]]),
    tensor(3, np.arange(100.0).reshape(10, 10)),
    tensor(4, np.zeros((0, 3))),
    tensor(5, np.full((9, 9), 2.5)),
    tensor(6, np.append(np.arange(99.0), np.nan)),
    tensor(7, [True, False]),
    tensor(8, -(2.0**-60)),
)


def text(item: Item) -> str:
    reader = MemoryReader(linear_trace(), PAIRS)
    return item_text(index_trace(reader.trace(), reader.value), item, reader.value)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "0.30000000000000004"),
        (2, "2×2 [[3 12] [3 12]]"),
        (3, "10×10 from 0 to 99"),
        (4, "0×3 empty"),
        (5, "9×9 all 2.5"),
        (6, "[100] from 0 to 98, with NaN or Inf"),
        (7, "[2] [True False]"),
        (8, "-8.673617379884035e-19"),
    ],
)
def test_tensors(number: int, expected: str) -> None:
    assert text(tensor_item("x", number)) == expected


def test_everything_else() -> None:
    assert text(none_item("x")) == "None"
    assert text(object_item("x", "(1,\n 2)")) == "(1, 2)"
    long = text(object_item("x", "a" * 200))
    assert long.endswith("a…")
    assert len(long) == 121
