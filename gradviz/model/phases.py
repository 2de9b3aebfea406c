"""The run as a row of phases: forward, and each backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.model.index import Index


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
