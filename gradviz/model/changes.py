"""Changes of single values with which a run is made again: what if this were another number?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Way = Literal["elements", "all", "fill", "scale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTarget:
    """An argument of the call.

    Attributes:
        position: Among the arguments, from 0.
        name: Of the parameter.
    """

    position: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterTarget:
    """A parameter of the module that is called.

    Attributes:
        name: Its path, like ``layers.0.weight``.
    """

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTarget:
    """A value that a node keeps for its backward.

    Attributes:
        saved: Id of the `SavedSlot`.
        node: Id of the node.
        node_name: Its name, which must be the same in the new run.
        slot: Position among what the node keeps.
        name: Of the slot.
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
        pass_id: The pass.
        edge: Id of the edge.
        source_name: Name of the node that passes it on.
        target_name: Name of the node that receives it.
        leaf: What the leaf is called that it is for; empty where it goes to no leaf.
    """

    pass_id: int
    edge: int
    source_name: str
    target_name: str
    leaf: str = ""


Target = InputTarget | ParameterTarget | SavedTarget | GradientTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value, changed at one moment of a run. Ids are those of the run that was there before.

    Attributes:
        target: What is changed.
        dtype: Torch's name without ``torch.``, which stays.
        shape: Which stays, too.
        way: ``elements`` sets some of them, ``all`` each one, ``fill`` sets all to one value,
            ``scale`` multiplies by ``factor``.
        positions: Of the elements that are set, in row-major order; empty for the other ways.
        bits: New elements as hexadecimal digits of their bytes, little-endian: one for each
            position, or each element, or the one for all; empty for ``scale``.
        old_bits: Those at the positions before; empty where they were not kept.
        factor: For ``scale``.
        seal: `~gradviz.model.change_bits.seal_of` the value before; empty where it was not kept.
    """

    target: Target
    dtype: str
    shape: tuple[int, ...]
    way: Way
    positions: tuple[int, ...] = ()
    bits: str = ""
    old_bits: str = ""
    factor: float = 1.0
    seal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRecord:
    """A change that a recording was asked for, and what came of it.

    Attributes:
        id: Number in the trace.
        change: What was asked for.
        applied: Whether it was made.
        step: Where it was made; None for an input or parameter, and where it was not made.
        old: Tensor of the trace that was there; None where it was not reached.
        new: Tensor that took its place; None where it was not made.
        problem: Why it was not made, as a sentence; empty where it was, or was never reached.
    """

    id: int
    change: Change
    applied: bool = False
    step: int | None = None
    old: int | None = None
    new: int | None = None
    problem: str = ""
