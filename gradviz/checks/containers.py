"""The parts of dicts, lists, tuples and dataclasses, and containers with other parts."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from gradviz.recorder.patching.signals import calls_user_code


@calls_user_code
def container_parts(value: Any) -> list[tuple[str, Any]]:
    """The parts of a container, with how each is reached from it; empty for anything else."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", each) for key, each in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{field}", each) for field, each in zip(value._fields, value, strict=True)]
    if type(value) in (list, tuple):
        return [(f"[{at}]", each) for at, each in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{name}", getattr(value, name)) for name in _attributes(value)]
    return []


@calls_user_code
def _attributes(value: Any) -> list[str]:
    """The attributes of an instance of a dataclass: its fields, and what else it has computed."""
    fields = [each.name for each in dataclasses.fields(value)]
    names = dict.fromkeys((*fields, *getattr(value, "__dict__", ())))
    return [name for name in names if hasattr(value, name)]


@calls_user_code
def with_container_parts(template: Any, parts: list[Any]) -> Any:
    """A new container of the same type with other parts, in the order of `container_parts`."""
    if isinstance(template, tuple):
        return type(template)(*parts) if hasattr(template, "_fields") else tuple(parts)
    if isinstance(template, list):
        return parts
    made = copy.copy(template)
    if isinstance(template, dict):
        made.update(zip(template, parts, strict=True))
        return made
    for name, part in zip(_attributes(template), parts, strict=True):
        # Also works for frozen dataclasses.
        object.__setattr__(made, name, part)
    return made
