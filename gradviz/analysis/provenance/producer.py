"""Producers: events of a run that created tensors, and when they began and ended."""

from __future__ import annotations

from typing import Final, Literal, get_args

from msgspec import Struct

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.inside import StageKind
from gradviz.model.item import Item

ProducerKind = Literal[
    "op", "call", "node", "engine", "sum", "zeros", "accumulate", "update", "start", "unseen"
]
"""``op``: an aten op; ``call``: a forward call; ``node``: a node's backward; ``engine``: what the
engine made of its result; ``sum``: the sum of gradients that arrive at a node; ``zeros``: zeros
for an undefined gradient; ``accumulate``: the addition into ``.grad``; ``update``: an
optimizer's step; ``start``: the gradient that a pass starts with; ``unseen``: code that autograd
does not see, such as NumPy's.
"""

Moment = tuple[int, int, int]
"""A moment in a run for ordering events: step number, stage, op."""

_ORDER: Final = get_args(StageKind)
_AFTER_OPS: Final = 1 << 60
AFTER_STAGES: Final = len(_ORDER)
_ARRIVAL, _READY = 1, 2
"""Moments before the first stage: gradients arrive, then all inputs of the step are ready."""


class Producer(Struct, frozen=True, kw_only=True):
    """An event that took tensors and created others.

    Attributes:
        place: Place in the run, as fine as recorded.
        kind: What created them.
        name: Name of the op, function or node.
        inputs: Values that went in.
        outputs: Values that came out.
        begun: Moment before which the inputs existed.
        ended: Moment at which the outputs existed.
    """

    place: TracePosition
    kind: ProducerKind
    name: str
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    begun: Moment
    ended: Moment

    def output(self, aliases: tuple[int, ...]) -> int | None:
        """Position of a tensor among the outputs; None if it is only a view of their memory."""
        return next((at for at, item in enumerate(self.outputs) if item.tensor in aliases), None)


def moment_after(place: TracePosition) -> Moment:
    """The moment after everything that happened at a place."""
    if place.stage is None:
        return (place.step, AFTER_STAGES, 0)
    at = _AFTER_OPS if place.op is None else place.op
    return (place.step, _ORDER.index(place.stage), at + 1)


def make_producer(
    place: TracePosition,
    kind: ProducerKind,
    name: str,
    inputs: tuple[Item, ...],
    outputs: tuple[Item, ...],
) -> Producer:
    """Create a producer, with the moments that follow from its place and kind."""
    begun, ended = _span(place, kind)
    return Producer(
        place=place,
        kind=kind,
        name=name,
        inputs=inputs,
        outputs=outputs,
        begun=begun,
        ended=ended,
    )


def _span(place: TracePosition, kind: ProducerKind) -> tuple[Moment, Moment]:
    """The moments at which the inputs and the outputs existed."""
    arrived, ready = (place.step, -1, _ARRIVAL), (place.step, -1, _READY)
    if kind in ("sum", "start", "zeros"):
        return arrived, arrived
    if place.op is not None:
        moment = op_moment(place)
        return (ready if kind == "unseen" else moment), moment
    over = (place.step, -1 if place.stage is None else _ORDER.index(place.stage), _AFTER_OPS)
    return (over if kind == "engine" else ready), over


def op_moment(place: TracePosition) -> Moment:
    """The moment at which an op ran."""
    assert place.stage is not None
    assert place.op is not None
    return (place.step, _ORDER.index(place.stage), place.op)


def contains_any(items: tuple[Item, ...], aliases: tuple[int, ...]) -> bool:
    """Whether any item is one of the given tensors."""
    return any(item.tensor in aliases for item in items)
