"""Computes the kind of each step, and which steps printed."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.columns import DISPATCH, ERROR, FORWARD, NODE
from gradviz.model.index import Index

StepKind = Literal["plain", "custom", "error", "dispatch"]
STEP_KINDS: tuple[StepKind, ...] = ("plain", "custom", "error", "dispatch")


def kinds_of(index: Index) -> npt.NDArray[np.int8]:
    """Return the position in `STEP_KINDS` of each step's kind."""
    steps = index.steps
    custom = [node.id for node in index.trace.nodes if node.kind == "custom"]
    kinds = np.zeros(len(steps.kinds), dtype=np.int8)
    kinds[(steps.kinds == FORWARD) & (steps.calls != 0)] = 1
    kinds[(steps.kinds == NODE) & np.isin(steps.nodes, custom)] = 1
    kinds[steps.kinds == ERROR] = 2
    kinds[steps.kinds == DISPATCH] = 3
    return kinds


def printing_steps(index: Index) -> npt.NDArray[np.int64]:
    """Return the numbers of the steps during which something was printed."""
    return np.array(sorted(index.printed), dtype=np.int64)
