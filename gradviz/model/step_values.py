"""The values that a step has, derived from the fields of its class.

Everything that asks which values a step has uses `values_of`, so that no reader misses a field.
"""

import typing
from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any, Final, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.codec import fields_with_type, hints_of, is_record
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, Step

StepRole = Literal[
    "input", "output", "root", "root_gradient", "incoming", "received", "returned", "passed",
    "contribution", "total", "leaf", "result", "setting", "gradient",
]  # fmt: skip
"""Role of a value in its step. A pass differentiates ``root`` and starts with ``root_gradient``; an
optimizer has ``input`` before and ``output`` after its update, which uses ``gradient``.
"""

ROLES: Final[dict[str, StepRole]] = {
    "inputs": "input",
    "outputs": "output",
    "roots.value": "root",
    "roots.gradient": "root_gradient",
    "incoming": "incoming",
    "received": "received",
    "returned": "returned",
    "passed.item": "passed",
    "contribution": "contribution",
    "total": "total",
    "leaf": "leaf",
    "results": "result",
    "totals.total": "total",
    "settings": "setting",
    "before": "input",
    "gradients": "gradient",
    "after": "output",
}
"""The role of each field with items; a field without one is an error of `fields_of`."""

MADE: Final[frozenset[StepRole]] = frozenset(
    ("output", "root_gradient", "returned", "passed", "total", "result")
)
"""What a step creates or passes on; all other values exist before it."""

VALUES: Final[frozenset[StepRole]] = frozenset(("input", "output", "root", "leaf", "setting"))
"""All others are gradients."""

StepItem = tuple[StepRole, Item]


def values_of(step: Step) -> list[StepItem]:
    """All values of a step with their roles, in the order of its fields."""
    return [value for _, values in fields_of(step) for value in values]


def fields_of(step: Step) -> list[tuple[str, list[StepItem]]]:
    """Name of each field of a step that has values, and those values with their roles.

    Raises:
        KeyError: If a field has no role in `ROLES`.
    """
    fields: list[tuple[str, list[StepItem]]] = []
    # Called for each step of a trace when it is opened, so it skips what most steps lack.
    for name, parts in _fields(cast(Hashable, type(step))):
        found = getattr(step, name)
        if not found:
            continue
        records = found if isinstance(found, tuple) else (found,)
        if len(parts) == 1:
            ((role, part),) = parts
            values = [(role, getattr(each, part) if part else each) for each in records]
        else:
            values = [(role, getattr(each, part)) for each in records for role, part in parts]
        fields.append((name, values))
    return fields


def named_outputs(step: ForwardStep) -> tuple[Item, ...]:
    """What a step returned, under the names of the variables that the source assigns it to."""
    if len(step.assigned) != len(step.outputs):
        return step.outputs
    named = zip(step.assigned, step.outputs, strict=True)
    return tuple([replace(item, name=name) if name else item for name, item in named])


def items_in(value: Any) -> Iterator[Item]:
    """All items inside a record or a collection of records."""
    if isinstance(value, Item):
        yield value
    elif isinstance(value, Struct):
        for name in fields_with_type(cast(Hashable, type(value)), Item):
            yield from items_in(getattr(value, name))
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for member in value:
            yield from items_in(member)


@cache
def _fields(kind: Any) -> tuple[tuple[str, tuple[tuple[StepRole, str], ...]], ...]:
    return tuple((name, tuple(_parts(kind, name))) for name in fields_with_type(kind, Item))


def _parts(kind: Any, name: str) -> Iterator[tuple[StepRole, str]]:
    """Roles of the items in a field, and their fields in its records; empty for items alone."""
    hint = hints_of(kind)[name]
    held = (hint, *typing.get_args(hint))
    if Item in held:
        yield ROLES[name], ""
        return
    for record in filter(is_record, held):
        for part in fields_with_type(cast(Hashable, record), Item):
            yield ROLES[f"{name}.{part}"], part
