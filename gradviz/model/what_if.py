"""What If changes: replacements of single values with which a run is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChangeMethod = Literal["elements", "all", "fill", "scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTarget:
    """An argument of the call.

    Attributes:
        position: Index among the arguments.
        name: Name of the parameter.
    """

    position: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterTarget:
    """A parameter of the module that is called.

    Attributes:
        name: Its path, such as ``layers.0.weight``.
    """

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTarget:
    """A value that a node saves for backward.

    Attributes:
        saved: Id of the `SavedSlot`.
        node: Id of the node.
        node_name: Name of the node, which must be the same in the new run.
        slot: Index among the saved values of the node.
        name: Name of the slot.
    """

    saved: int
    node: int
    node_name: str
    slot: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientTarget:
    """The gradient that flows along an edge in one backward pass.

    Attributes:
        pass_id: Id of the pass.
        edge: Id of the edge.
        source_name: Name of the node that passes it on.
        target_name: Name of the node that receives it.
        leaf: Name of the leaf that receives it; empty if the target is not a leaf.
    """

    pass_id: int
    edge: int
    source_name: str
    target_name: str
    leaf: str = ""


ChangeTarget = InputTarget | ParameterTarget | SavedTarget | GradientTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfChange:
    """One value changed at one moment of a run; its ids are those of the original run.

    Attributes:
        target: What is changed.
        dtype: Torch's dtype name without ``torch.``; the change keeps it.
        shape: Shape of the value; the change keeps it.
        way: ``elements`` sets some elements, ``all`` sets each one, ``fill`` sets all to one value,
            ``scale`` multiplies by ``factor``.
        positions: Row-major positions of the elements to set; empty for the other ways.
        bits: New elements as hexadecimal digits of their little-endian bytes: one for each
            position, one for each element, or one for all; empty for ``scale``.
        old_bits: Elements that were at ``positions`` before; empty if not stored.
        factor: Factor for ``scale``.
        seal: `~gradviz.model.what_if_values.content_key` the value before; empty if it was not
            stored.
    """

    target: ChangeTarget
    dtype: str
    shape: tuple[int, ...]
    way: ChangeMethod
    positions: tuple[int, ...] = ()
    bits: str = ""
    old_bits: str = ""
    factor: float = 1.0
    seal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRecord:
    """A change requested for a recording, and its result.

    Attributes:
        id: Number in the trace.
        change: Requested change.
        applied: Whether it was made.
        step: Step in which it was made; None for an input or parameter, or if it was not made.
        old: Tensor of the trace before the change; None if the run did not get there.
        new: Tensor that replaced it; None if the change was not made.
        problem: Why it was not made, as a sentence; empty if it was made or the run did not get
            there.
    """

    id: int
    change: WhatIfChange
    applied: bool = False
    step: int | None = None
    old: int | None = None
    new: int | None = None
    problem: str = ""
