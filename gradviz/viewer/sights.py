"""What can be pointed at in a tensor: one element, and the tensor itself to be seen large."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One element of a tensor of the trace.

    Attributes:
        tensor: Number of the tensor.
        index: Into the whole tensor, one number for each dimension.
    """

    tensor: int
    index: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A tensor that somebody wants to see large.

    Attributes:
        tensor: Its number.
        name: By which it was shown.
        step: The step at which it was shown.
    """

    tensor: int
    name: str
    step: int
