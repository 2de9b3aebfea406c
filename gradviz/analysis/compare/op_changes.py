"""Ops that one of two runs adds, lacks or replaces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradviz.analysis.compare.step_pairing import StepPair
from gradviz.analysis.compare.value_pairing import same_kind
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.step import ForwardStep


@dataclass(frozen=True, slots=True, kw_only=True)
class OpChange:
    """Ops of one run, and those that the other run has at the same place.

    Attributes:
        left: Numbers of the left steps; empty if the right run has its ops in addition.
        right: Numbers of the right steps; empty if the left run has its ops in addition.
        is_paired: Whether the values of the two steps are compared, because their outputs have the
            same shapes.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    is_paired: bool = False


def op_changes(
    left: TraceIndex, right: TraceIndex, pairs: Iterable[StepPair]
) -> tuple[OpChange, ...]:
    """Find the ops outside of backward passes in which two runs differ, in order.

    Args:
        left: The left run.
        right: The right run.
        pairs: All steps of both runs, in order.
    """
    found: list[OpChange] = []
    alone: tuple[list[int], list[int]] = [], []

    def end() -> None:
        if any(alone):
            found.append(OpChange(left=tuple(alone[0]), right=tuple(alone[1])))
            alone[0].clear()
            alone[1].clear()

    for one, other in pairs:
        before, after = _op(left, one), _op(right, other)
        if before is not None and after is not None:
            end()
            if not same_kind(left, right, before, after):
                steps = (before.number,), (after.number,)
                found.append(OpChange(left=steps[0], right=steps[1], is_paired=True))
        elif before is not None and other is None:
            alone[0].append(before.number)
        elif after is not None and one is None:
            alone[1].append(after.number)
        else:
            end()
    end()
    return tuple(found)


def _op(index: TraceIndex, number: int | None) -> ForwardStep | None:
    step = None if number is None else index.trace.steps[number - 1]
    return step if isinstance(step, ForwardStep) and step.pass_id is None else None
