"""Every record of `model` is a frozen, keyword-only Struct."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct, defstruct

from gradviz.model.codec import TraceRecord
from tests.architecture.layers import PACKAGE


def faults(cls: type) -> list[str]:
    """What a class of records lacks to be a value."""
    if not issubclass(cls, Struct):
        return ["no Struct"] if dataclasses.is_dataclass(cls) else []
    found = [] if cls.__struct_config__.frozen else ["not frozen"]
    # Of a keyword-only class, no field can be matched by position.
    return found + [f"positional: {name}" for name in cls.__match_args__]


def classes_of(package: str) -> Iterator[type]:
    found = pkgutil.walk_packages([str(PACKAGE / package)], f"gradviz.{package}.")
    for module in map(importlib.import_module, sorted(each.name for each in found)):
        for thing in vars(module).values():
            if isinstance(thing, type) and thing.__module__ == module.__name__:
                yield thing


def test_every_record_of_the_model_is_a_value() -> None:
    classes = list(classes_of("model"))
    found = {cls.__qualname__: faults(cls) for cls in classes if faults(cls)}
    assert sum(issubclass(each, Struct) for each in classes) > 60
    assert found == {}


def test_the_types_of_rows_are_no_texts() -> None:
    """To evaluate them takes longer than a short recording, and needs what a run may purge."""
    records = [each for each in classes_of("model") if issubclass(each, TraceRecord)]
    hints = {
        f"{each.__qualname__}.{name}": hint
        for each in records
        for name, hint in inspect.get_annotations(each).items()
    }
    assert len(hints) > 200
    assert [name for name, hint in hints.items() if isinstance(hint, str)] == []


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"kw_only": True}, ["not frozen"]),
        ({"frozen": True}, ["positional: a"]),
        ({"frozen": True, "kw_only": True}, []),
    ],
)
def test_each_fault_is_found(options: dict[str, Any], found: list[str]) -> None:
    assert faults(defstruct("Point", [("a", int)], **options)) == found
    assert faults(dataclasses.make_dataclass("Point", ["a"], **options)) == ["no Struct"]
