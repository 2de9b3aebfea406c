"""The parts of a function's outputs that are checked; a complex output has two.

The parts of dicts, lists, tuples and dataclasses, and containers with other parts.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import torch
from msgspec import Struct
from torch import Tensor

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


_MOST_DEPTH = 16
"""What is nested deeper is no output."""


class OutputPart(Struct, frozen=True, kw_only=True):
    """An output, or the real or imaginary part of a complex one.

    Attributes:
        output: Position among the function's outputs.
        part: ``real`` or ``imag`` for a complex output, else empty.
        shape: Shape of the output.
        dtype: The part's dtype, which is always real.
        device: The output's device, which may be another than the inputs'.
    """

    output: int
    part: Literal["", "real", "imag"]
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    @calls_user_code
    def of(self, outputs: tuple[Any, ...]) -> Tensor:
        """Take this part from what the function returned."""
        value: Tensor = outputs[self.output]
        if self.part == "imag":
            return torch.imag(value)
        return torch.real(value) if self.part == "real" else value


class NamedOutputs(tuple[Any, ...]):
    """Outputs that a function returned inside of containers.

    Attributes:
        names: The expressions for their places, such as ``output['loss']``.
        returned: What was returned, as a tuple.
    """

    names: tuple[str, ...] = ()
    returned: tuple[Any, ...] = ()


def as_tuple(returned: Any) -> tuple[Any, ...]:
    """What a function returned, as a tuple of outputs.

    A tuple or list has its members as outputs. If one of them is a container with tensors, or if a
    dict or dataclass with tensors was returned, everything inside is an output: `NamedOutputs`.
    """
    if isinstance(returned, Tensor):  # By far the most frequent case.
        return (returned,)
    outputs = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
    if not any(map(contains_tensor, outputs)):
        return outputs
    places = list(_leaves("output", returned, ()))
    found = NamedOutputs(each for _, each in places)
    found.names, found.returned = tuple(place for place, _ in places), outputs
    return found


def contains_tensor(value: object, containers: tuple[int, ...] = ()) -> bool:
    """Whether a value is a container with a tensor at any depth."""
    if not _can_be_opened(value, containers):
        return False
    members: Iterable[object] = (part for _, part in container_parts(value))
    # Also those of other types, whose parts have no names here.
    if isinstance(value, Mapping | list | tuple):
        members = value.values() if isinstance(value, Mapping) else value
    inner = (*containers, id(value))
    return any(isinstance(each, Tensor) or contains_tensor(each, inner) for each in members)


def _leaves(place: str, value: Any, containers: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    parts = container_parts(value) if _can_be_opened(value, containers) else []
    if not parts:
        yield place, value
    for inner, part in parts:
        yield from _leaves(place + inner, part, (*containers, id(value)))


def _can_be_opened(value: object, containers: tuple[int, ...]) -> bool:
    is_tensor = isinstance(value, Tensor)
    return not is_tensor and len(containers) < _MOST_DEPTH and id(value) not in containers


def is_continuous(value: object) -> bool:
    """Whether a value is a floating-point or complex tensor."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def parts_of(outputs: tuple[Any, ...], *, differentiable: bool) -> tuple[OutputPart, ...]:
    """All parts to check, in gradcheck's order: first imaginary parts, then real ones.

    Args:
        outputs: What the function returned.
        differentiable: Whether to skip outputs that do not require a gradient; otherwise every
            floating-point or complex output is included.
    """
    chosen = [
        (position, value)
        for position, value in enumerate(outputs)
        if is_continuous(value) and (value.requires_grad or not differentiable)
    ]
    first = [_part(k, value, "imag" if value.is_complex() else "") for k, value in chosen]
    second = [_part(k, value, "real") for k, value in chosen if value.is_complex()]
    return (*first, *second)


def places(parts: Iterable[OutputPart]) -> dict[tuple[int, str], int]:
    """Index of each part by its output and part name."""
    return {(part.output, part.part): k for k, part in enumerate(parts)}


def _part(position: int, value: Tensor, part: Literal["", "real", "imag"]) -> OutputPart:
    dtype = value.dtype.to_real() if value.is_complex() else value.dtype
    return OutputPart(
        output=position, part=part, shape=value.shape, dtype=dtype, device=value.device
    )
