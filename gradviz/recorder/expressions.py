"""What the source calls the arguments of a call, read from the source and nowhere else.

Frames' local variables would tell as much, but asking for them keeps their values alive.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import torch


def argument_names(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None
) -> list[tuple[str, Any]]:
    """Names and values of a torch call's arguments; tensors in lists stand for themselves."""
    found: list[tuple[str, Any]] = []
    for value in args:
        found.extend(_flat("input", value))
    for name, value in kwargs.items():
        found.extend(_flat(name, value))
    tensors = sum(isinstance(value, torch.Tensor) for _, value in found)
    if tensors > 1:
        found = [
            (f"{name} {i}" if name == "input" else name, value)
            for i, (name, value) in enumerate(found)
        ]
    return found


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, list | tuple) and any(isinstance(v, torch.Tensor) for v in value):
        return [(name, member) for member in value]
    return [(name, value)]
