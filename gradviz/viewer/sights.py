"""What can be pointed at in a tensor: one element, and the tensor itself to be seen large."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.trouble import TroubleKind


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A tensor of which somebody asks where something came from.

    Attributes:
        tensor: Its number.
        name: By which it was shown.
        step: The step at which it was shown.
        index: The element that is meant; None for whichever is wrong.
        kind: What is wrong with it; None for whatever is.
    """

    tensor: int
    name: str
    step: int
    index: tuple[int, ...] | None = None
    kind: TroubleKind | None = None
