"""Find where NaN and Inf appear in a run: each affected tensor at its first step."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.catalogue.messages import say
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.inside import Inside, Op
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep
from gradviz.model.step_values import named_outputs, values_of


class NonFiniteTensor(Struct, frozen=True, kw_only=True):
    """A tensor with NaN or Inf, at its first appearance in the run.

    Attributes:
        step: Number of the step.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        nans: Number of NaN elements; None if there are some that were not counted.
        infinities: Number of infinite elements; None if there are some that were not counted.
        reaches: What `NonFiniteReach.of` returns for it.
    """

    step: int
    name: str
    tensor: int
    nans: int | None
    infinities: int | None
    reaches: int | None


def find_non_finite(
    index: TraceIndex,
    cancelled: Callable[[], bool] = bool,
    reach: NonFiniteReach | None = None,
) -> tuple[NonFiniteTensor, ...]:
    """Find the tensors with NaN or Inf, in the order in which the run first has them.

    A value that a step receives counts only if no earlier step had it: a bad gradient is reported
    where it was computed, not where it arrives. For a step without a NaN among its own values, the
    first op inside it that creates a NaN from inputs without one is reported; the same for Inf.

    Args:
        index: The trace.
        cancelled: Called from time to time; if it returns True, the result is incomplete or empty.
        reach: The reach of all of them, if already known.
    """
    if not index.finite.look(cancelled=cancelled):
        return ()
    known = index.finite.not_finite()
    non_finite = known.copy()
    reach = NonFiniteReach(index, cancelled) if reach is None else reach
    found: list[NonFiniteTensor] = []
    for step in index.trace.steps if non_finite else ():
        for _, item in values_of(step):
            # `pop`, so that each tensor is reported once, where the run first has it.
            flags = non_finite.pop(item.tensor, 0) if item.tensor is not None else 0
            if flags:
                outputs = named_outputs(step) if isinstance(step, ForwardStep) else ()
                item = next((each for each in outputs if each.tensor == item.tensor), item)
                found.append(_non_finite_tensor(index, step.number, item, flags, reach))
        if not non_finite or cancelled():
            break
    if non_finite and not cancelled():
        found += _within(index, known, found, reach, cancelled)
    return tuple(sorted(found, key=lambda each: each.step))


def _within(
    index: TraceIndex,
    non_finite: dict[int, int],
    found: Sequence[NonFiniteTensor],
    reach: NonFiniteReach,
    cancelled: Callable[[], bool],
) -> list[NonFiniteTensor]:
    """NaN and Inf that only ops had, because later ops replaced them by finite values."""
    found_steps = {NANS: {each.step for each in found if each.nans != 0}}
    found_steps[INFINITIES] = {each.step for each in found if each.infinities != 0}
    more = []
    for kind, steps in found_steps.items():
        having = {tensor for tensor, flags in non_finite.items() if flags & kind}
        for number in index.inside if having else ():
            if cancelled():
                return []
            item = None if number in steps else _first_made(index.inside[number], having)
            if item is not None:
                more.append(_non_finite_tensor(index, number, item, kind, reach))
    return more


def _first_made(inside: Inside, having: Container[int]) -> Item | None:
    ops = (op for part in inside.parts for op in part.ops)
    return next((item for op in ops for item in _made_by(op, having)), None)


def _made_by(op: Op, non_finite: Container[int]) -> Iterator[Item]:
    """Outputs of an op that are among the given tensors, if none of its inputs is."""
    if not any(item.tensor in non_finite for item in op.inputs):
        for item in op.outputs:
            if item.tensor in non_finite:
                yield replace(item, name=say("where.output", name=item.name, op=op.name))


def _non_finite_tensor(
    index: TraceIndex, step: int, item: Item, flags: int, reach: NonFiniteReach
) -> NonFiniteTensor:
    assert item.tensor is not None
    known = index.tensor[item.tensor].statistics
    nans = infinities = None
    if known is not None:
        nans, infinities = known.nans, known.infinities
    return NonFiniteTensor(
        step=step,
        name=item.name,
        tensor=item.tensor,
        nans=nans if flags & NANS else 0,
        infinities=infinities if flags & INFINITIES else 0,
        reaches=reach.of(item.tensor, step),
    )
