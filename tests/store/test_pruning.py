"""Items are found wherever a record can hold them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from gradviz.model.item import Item
from gradviz.model.step_values import items_in
from gradviz.store.reader import open_trace
from tests.fuzz.case import FuzzCase


def items_of_all_fields(value: Any) -> Iterator[Item]:
    """Items in every field, whatever its type."""
    if isinstance(value, Item):
        yield value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from items_of_all_fields(getattr(value, name))
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for member in value:
            yield from items_of_all_fields(member)


@pytest.mark.parametrize("name", ["check", "lines", "training"])
def test_fields_that_are_skipped_hold_no_items(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    FuzzCase(trace=name, changes=()).write(path)
    with open_trace(path) as reader:
        trace = reader.trace()
        found = list(items_in(trace))
        assert found == list(items_of_all_fields(trace)) != []
