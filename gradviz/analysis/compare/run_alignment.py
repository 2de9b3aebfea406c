"""Match the steps of two runs of the same program."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex

StepNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunAlignment:
    """Which steps of two runs correspond to each other.

    Attributes:
        old_of: For each new step, its old step; entry ``n`` belongs to step ``n + 1``, 0 for none.
        diverged: Number of the first step at which the two runs differ, which is the same in both;
            None if they take the same path to the end.
    """

    old_of: StepNumbers
    diverged: int | None

    def old(self, number: int) -> int | None:
        """The old step that corresponds to a new one; None if there is none."""
        found = int(self.old_of[number - 1]) if 1 <= number <= len(self.old_of) else 0
        return found or None


def align_runs(old: TraceIndex, new: TraceIndex) -> RunAlignment:
    """Match each step of a new run with its step in an old run.

    Steps correspond by number as long as their kind, pass, node and line agree. From the first
    difference on, the ``n``-th remaining step with some kind, pass, node and line corresponds to
    the ``n``-th remaining one with the same values in the other run.
    """
    codes: dict[tuple[str, ...], int] = {}
    before, after = _keys(old, codes), _keys(new, codes)
    common = min(len(before), len(after))
    unlike = np.flatnonzero((before[:common] != after[:common]).any(axis=1))
    same = int(unlike[0]) if len(unlike) else common
    old_of = np.zeros(len(after), np.int64)
    old_of[:same] = np.arange(1, same + 1)
    waiting: dict[tuple[int, ...], list[int]] = defaultdict(list)
    # From the end, so that `pop` returns the earliest step.
    for at in range(len(before) - 1, same - 1, -1):
        waiting[tuple(before[at].tolist())].append(at + 1)
    for at in range(same, len(after)):
        if numbers := waiting.get(tuple(after[at].tolist())):
            old_of[at] = numbers.pop()
    together = same == len(before) == len(after)
    return RunAlignment(old_of=old_of, diverged=None if together else same + 1)


def _keys(index: TraceIndex, codes: dict[tuple[str, ...], int]) -> StepNumbers:
    """Kind, pass, node name and line of each step as integers, one row per step."""
    columns = index.steps
    highest = max(index.node, default=0)
    names = np.zeros(highest + 1, np.int64)
    for number, node in index.node.items():
        name = (node.name, node.variable_name)
        names[number] = codes.setdefault(name, len(codes) + 1)
    return np.stack(
        [columns.kinds.astype(np.int64), columns.passes, names[columns.nodes], columns.lines],
        axis=1,
    )
