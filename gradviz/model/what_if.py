"""What If changes: replacements of single values with which a run is repeated."""

from typing import Literal

from gradviz.model.codec import Natural, Real, TraceRecord

ChangeMethod = Literal["elements", "all", "fill", "scale"]


class InputTarget(TraceRecord, frozen=True, kw_only=True, tag=True):
    """An argument of the call.

    Attributes:
        position: Index among the arguments.
        name: Name of the parameter.
    """

    position: Natural
    name: str


class ParameterTarget(TraceRecord, frozen=True, kw_only=True, tag=True):
    """A parameter of the module that is called.

    Attributes:
        name: Its path, such as ``layers.0.weight``.
    """

    name: str


class SavedTarget(TraceRecord, frozen=True, kw_only=True, tag=True):
    """A value that a node saves for backward.

    Attributes:
        saved: Id of the `SavedSlot`.
        node: Id of the node.
        node_name: Name of the node, which must be the same in the new run.
        slot: Index among the saved values of the node.
        name: Name of the slot.
    """

    saved: Natural
    node: Natural
    node_name: str
    slot: Natural
    name: str


class GradientTarget(TraceRecord, frozen=True, kw_only=True, tag=True):
    """The gradient that flows along an edge in one backward pass.

    Attributes:
        pass_id: Id of the pass.
        edge: Id of the edge.
        source_name: Name of the node that passes it on.
        target_name: Name of the node that receives it.
        leaf: Name of the leaf that receives it; empty if the target is not a leaf.
    """

    pass_id: Natural
    edge: Natural
    source_name: str
    target_name: str
    leaf: str = ""


ChangeTarget = InputTarget | ParameterTarget | SavedTarget | GradientTarget


class WhatIfChange(TraceRecord, frozen=True, kw_only=True):
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
    shape: tuple[Natural, ...]
    way: ChangeMethod
    positions: tuple[Natural, ...] = ()
    bits: str = ""
    old_bits: str = ""
    factor: Real = 1.0
    seal: str = ""


class ChangeRecord(TraceRecord, frozen=True, kw_only=True):
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

    id: Natural
    change: WhatIfChange
    applied: bool = False
    step: Natural | None = None
    old: Natural | None = None
    new: Natural | None = None
    problem: str = ""
