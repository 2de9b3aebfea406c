"""One event of a run that made tensors, and when it began and ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from gradviz.model.inside import StageKind
from gradviz.model.item import Item
from gradviz.model.places import Place

MakingKind = Literal[
    "op", "call", "node", "engine", "sum", "zeros", "accumulate", "start", "unseen"
]
"""An aten op; a forward call; a node's backward; what the engine made of its result; the sum of
gradients that arrive at a node; zeros for an undefined gradient; the addition into ``.grad``; the
gradient that a pass starts with; code in a step that autograd does not see, as NumPy's."""

Moment = tuple[int, int, int]
"""When in a run: number of the step, stage, op; it orders what happened."""

_ORDER: Final = get_args(StageKind)
_AFTER_OPS: Final = 1 << 60
AFTER_STAGES: Final = len(_ORDER)
_ARRIVAL, _READY = 1, 2
"""Before the first stage: gradients arrive, and all that is given to the step is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """One event that took tensors and made others.

    Attributes:
        place: Where in the run; as fine as was recorded.
        kind: What made them.
        name: Of the op, the function or the node.
        inputs: What went in.
        outputs: What came out.
        begun: Before this moment the inputs were there.
        ended: At this moment the outputs were there.
    """

    place: Place
    kind: MakingKind
    name: str
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    begun: Moment
    ended: Moment


def seen_at(place: Place) -> Moment:
    """The moment after everything that happened in a place."""
    if place.stage is None:
        return (place.step, AFTER_STAGES, 0)
    at = _AFTER_OPS if place.op is None else place.op
    return (place.step, _ORDER.index(place.stage), at + 1)


def making_of(
    place: Place,
    kind: MakingKind,
    name: str,
    inputs: tuple[Item, ...],
    outputs: tuple[Item, ...],
) -> Making:
    """A making, with the moments that follow from where it was."""
    begun, ended = _span(place, kind)
    return Making(
        place=place,
        kind=kind,
        name=name,
        inputs=inputs,
        outputs=outputs,
        begun=begun,
        ended=ended,
    )


def _span(place: Place, kind: MakingKind) -> tuple[Moment, Moment]:
    """When the inputs were there, and when the outputs."""
    arrived, ready = (place.step, -1, _ARRIVAL), (place.step, -1, _READY)
    if kind in ("sum", "start", "zeros"):
        return arrived, arrived
    if place.op is not None:
        moment = op_moment(place)
        return (ready if kind == "unseen" else moment), moment
    over = (place.step, -1 if place.stage is None else _ORDER.index(place.stage), _AFTER_OPS)
    return (over if kind == "engine" else ready), over


def op_moment(place: Place) -> Moment:
    """When an op ran."""
    assert place.stage is not None
    assert place.op is not None
    return (place.step, _ORDER.index(place.stage), place.op)


def holds(items: tuple[Item, ...], twins: tuple[int, ...]) -> bool:
    """Whether one of some items is one of some tensors."""
    return any(item.tensor in twins for item in items)
