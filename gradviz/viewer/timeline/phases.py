"""The run as a row of phases: forward, and each backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.columns import ERROR, FORWARD, NODE
from gradviz.model.index import Index

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
    passes = index.steps.passes
    starts = [0, *(np.flatnonzero(np.diff(passes)) + 1).tolist()] if len(passes) else []
    ends = [*starts[1:], len(passes)]
    return tuple(
        _phase(start + 1, end, int(passes[start])) for start, end in zip(starts, ends, strict=False)
    )


def _phase(first: int, last: int, pass_id: int) -> Phase:
    if pass_id == 0:
        return Phase(first=first, last=last, kind="forward", pass_id=None)
    return Phase(first=first, last=last, kind="backward", pass_id=pass_id)


def kinds_of(index: Index) -> npt.NDArray[np.int8]:
    """Of each step the position of its kind in `STEP_KINDS`."""
    steps = index.steps
    custom = [node.id for node in index.trace.nodes if node.kind == "custom"]
    kinds = np.zeros(len(steps.kinds), dtype=np.int8)
    kinds[(steps.kinds == FORWARD) & (steps.calls != 0)] = 1
    kinds[(steps.kinds == NODE) & np.isin(steps.nodes, custom)] = 1
    kinds[steps.kinds == ERROR] = 2
    return kinds


def printing_steps(index: Index) -> npt.NDArray[np.int64]:
    """Numbers of the steps during which something was printed."""
    return np.array(sorted(index.printed), dtype=np.int64)
