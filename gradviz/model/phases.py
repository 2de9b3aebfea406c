"""The run as a row of phases: forward, and each backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt


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


def phases_of(passes: npt.NDArray[np.int64]) -> tuple[Phase, ...]:
    """The phases in order; together they are all steps.

    Args:
        passes: Of each step the backward pass that it belongs to; 0 for none.
    """
    starts = [0, *(np.flatnonzero(np.diff(passes)) + 1).tolist()] if len(passes) else []
    ends = [*starts[1:], len(passes)]
    return tuple(
        _phase(start + 1, end, int(passes[start])) for start, end in zip(starts, ends, strict=False)
    )


def _phase(first: int, last: int, pass_id: int) -> Phase:
    if pass_id == 0:
        return Phase(first=first, last=last, kind="forward", pass_id=None)
    return Phase(first=first, last=last, kind="backward", pass_id=pass_id)
