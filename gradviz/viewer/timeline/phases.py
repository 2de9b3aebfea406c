"""The run as a row of phases: forward, and each backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.index import Index
from gradviz.model.query import phase_of
from gradviz.model.step import ErrorStep, ForwardStep, NodeStep, Step

StepKind = Literal["plain", "custom", "error"]
STEP_KINDS: tuple[StepKind, ...] = ("plain", "custom", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Neighbouring steps of the same phase.

    Attributes:
        first: Number of the first step.
        last: Number of the last.
        kind: Which colour and name it has.
        pass_id: The backward pass; None for forward.
    """

    first: int
    last: int
    kind: Literal["forward", "backward"]
    pass_id: int | None


def phases_of(index: Index) -> tuple[Phase, ...]:
    """The phases in order; together they are all steps."""
    found: list[Phase] = []
    first: Step | None = None
    previous: Step | None = None
    for step in index.trace.steps:
        if first is None or step.pass_id != first.pass_id:
            if first is not None and previous is not None:
                found.append(_phase(first, previous))
            first = step
        previous = step
    if first is not None and previous is not None:
        found.append(_phase(first, previous))
    return tuple(found)


def _phase(first: Step, last: Step) -> Phase:
    return Phase(first=first.number, last=last.number, kind=phase_of(first), pass_id=first.pass_id)


def kinds_of(index: Index) -> npt.NDArray[np.int8]:
    """Of each step the position of its kind in `STEP_KINDS`."""
    kinds = np.zeros(len(index.trace.steps), dtype=np.int8)
    for at, step in enumerate(index.trace.steps):
        if isinstance(step, ErrorStep):
            kinds[at] = 2
        elif isinstance(step, ForwardStep):
            kinds[at] = step.call is not None
        elif isinstance(step, NodeStep):
            kinds[at] = index.node[step.node].kind == "custom"
    return kinds


def printing_steps(index: Index) -> npt.NDArray[np.int64]:
    """Numbers of the steps during which something was printed."""
    return np.array(sorted(index.printed), dtype=np.int64)
