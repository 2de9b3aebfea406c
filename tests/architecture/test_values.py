"""Every dataclass in `model` is frozen, slotted and keyword-only."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

from tests.architecture.layers import PACKAGE


def faults(cls: type) -> list[str]:
    """What a dataclass lacks to be a value."""
    found = []
    if not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        found.append("not frozen")
    if "__slots__" not in vars(cls):
        found.append("no slots")
    positional = [each.name for each in dataclasses.fields(cls) if each.init and not each.kw_only]
    if positional:
        found.append(f"positional: {', '.join(positional)}")
    return found


def dataclasses_of(package: str) -> Iterator[type]:
    found = pkgutil.walk_packages([str(PACKAGE / package)], f"gradviz.{package}.")
    for module in map(importlib.import_module, sorted(each.name for each in found)):
        for thing in vars(module).values():
            at_home = isinstance(thing, type) and thing.__module__ == module.__name__
            if at_home and dataclasses.is_dataclass(thing):
                yield thing


def test_every_dataclass_of_the_model_is_a_value() -> None:
    classes = list(dataclasses_of("model"))
    found = {cls.__qualname__: faults(cls) for cls in classes if faults(cls)}
    assert len(classes) > 5
    assert found == {}


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"slots": True, "kw_only": True}, "not frozen"),
        ({"frozen": True, "kw_only": True}, "no slots"),
        ({"frozen": True, "slots": True}, "positional: a"),
    ],
)
def test_each_fault_is_found(options: dict[str, bool], fault: str) -> None:
    cls = dataclasses.make_dataclass("Point", [("a", int)], **options)
    assert faults(cls) == [fault]


def test_a_value_has_no_fault() -> None:
    assert (
        faults(dataclasses.make_dataclass("P", [("a", int)], frozen=True, slots=True, kw_only=True))
        == []
    )
