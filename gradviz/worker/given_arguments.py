"""Descriptions of arguments that the user's file has created itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from msgspec.structs import replace

from gradviz.model.inputs import MOST_VALUES, InputSpec, Number
from gradviz.worker.user_errors import CaughtError, clean_message

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""An object's address, which is different in every process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenArgument:
    """An argument of an example.

    Attributes:
        spec: Its specification, with the fill ``given``.
        value: The argument itself.
        parts: Its parts, if it is a container that the form spreads out.
        is_part: Whether it is such a part itself.
    """

    spec: InputSpec
    value: Any
    parts: tuple[GivenArgument, ...] = ()
    is_part: bool = False


def describe_value(name: str, value: object, note: str = "") -> GivenArgument:
    """Describe one argument of an example, or a part of it.

    Args:
        name: Its name.
        value: The value.
        note: Why it is shown as a whole, although it is a container.
    """
    if value is None:
        return GivenArgument(spec=InputSpec(name=name, kind="none", fill="given"), value=value)
    # A nested tensor has no shape that a form could show.
    if isinstance(value, torch.Tensor) and not value.is_nested:
        return GivenArgument(spec=_describe_tensor(name, value), value=value)
    # Writing out everything inside could take long.
    text = f"<{type(value).__name__}>" if note else _text(value)
    spec = InputSpec(name=name, kind="object", fill="given", text=text, note=note)
    return GivenArgument(spec=spec, value=value)


MOST_SHOWN = 100_000
"""Limit for the elements of all inputs together, so that a message fits into one frame."""


def shown_specs(given: Sequence[GivenArgument], left: int = MOST_SHOWN) -> tuple[InputSpec, ...]:
    """The specifications, without the elements of those that exceed a total number."""
    specs = []
    for each in given:
        is_shown = len(each.spec.values) <= left
        left -= len(each.spec.values) if is_shown else 0
        specs.append(each.spec if is_shown else replace(each.spec, values=()))
    return tuple(specs)


def shape_fits(spec: InputSpec, tensor: torch.Tensor) -> bool:
    """Whether a specification asks for the shape that the file's tensor has."""
    return tuple(tensor.shape) == spec.shape


def _describe_tensor(name: str, tensor: torch.Tensor) -> InputSpec:
    return InputSpec(
        name=name,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        fill="given",
        values=_values(tensor),
        requires_grad=tensor.requires_grad,
    )


def _values(tensor: torch.Tensor) -> tuple[Number, ...]:
    """Elements to show in the form; none if there are too many or they cannot be read."""
    if tensor.layout != torch.strided or tensor.numel() > MOST_VALUES:
        return ()
    try:
        found = tensor.detach().cpu().flatten()
        if found.is_floating_point():
            found = found.double()
        return tuple((found.long() if found.dtype == torch.bool else found).tolist())
    except RuntimeError:  # for example a meta tensor, which has no values
        return ()


def _text(value: object) -> str:
    """Text to show in the form: the ``repr`` without addresses, or the type if ``repr`` raises."""
    text = f"<{type(value).__name__}>"
    with CaughtError():
        text = clean_message(_ADDRESS.sub("", repr(value)))
    return text
