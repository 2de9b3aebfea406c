"""Divide a run into phases: forward, each backward pass, and each optimizer step."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

PhaseKind = Literal["forward", "backward", "update"]
"""``update``: an optimizer updates its parameters."""

_UPDATE = -1


class RunPhase(Struct, frozen=True, kw_only=True):
    """Consecutive steps of the same phase.

    Attributes:
        first: Number of the first step.
        last: Number of the last step.
        kind: Kind of phase, which determines color and name.
        pass_id: The backward pass; None for the other kinds.
    """

    first: int
    last: int
    kind: PhaseKind
    pass_id: int | None


def run_phases(
    passes: npt.NDArray[np.int64], updates: npt.NDArray[np.bool_]
) -> tuple[RunPhase, ...]:
    """The phases in order; together they cover all steps.

    Args:
        passes: Backward pass of each step; 0 for none.
        updates: Whether each step is an optimizer step.
    """
    words = np.where(updates, _UPDATE, passes)
    starts = [0, *(np.flatnonzero(np.diff(words)) + 1).tolist()] if len(words) else []
    ends = [*starts[1:], len(words)]
    return tuple(
        _phase(start + 1, end, int(words[start])) for start, end in zip(starts, ends, strict=False)
    )


def _phase(first: int, last: int, word: int) -> RunPhase:
    if word <= 0:
        kind: PhaseKind = "update" if word == _UPDATE else "forward"
        return RunPhase(first=first, last=last, kind=kind, pass_id=None)
    return RunPhase(first=first, last=last, kind="backward", pass_id=word)
