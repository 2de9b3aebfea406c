"""Which step of one run is which of another run of the same program."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gradviz.model.index import Index

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alignment:
    """Two runs side by side.

    Attributes:
        old_of: The old step of each new one; entry ``n`` belongs to step ``n + 1``, 0 for none.
        new_of: The other way round.
        diverged: Number of the first step at which the two are not the same, in both runs; None
            where both go the same way to the end.
    """

    old_of: Numbers
    new_of: Numbers
    diverged: int | None

    def old(self, number: int) -> int | None:
        """The old step of a new one; None where there is none."""
        return _at(self.old_of, number)

    def new(self, number: int) -> int | None:
        """The new step of an old one; None where there is none."""
        return _at(self.new_of, number)


def _at(numbers: Numbers, number: int) -> int | None:
    found = int(numbers[number - 1]) if 1 <= number <= len(numbers) else 0
    return found or None


def align(old: Index, new: Index) -> Alignment:
    """Finds the old step of each new one.

    By number, as long as kind, pass, node and line of the steps agree. From where they do not, the
    ``n``-th step of a kind, pass, node and line is taken for the ``n``-th of the same in the other.
    """
    codes: dict[tuple[str, ...], int] = {}
    before, after = _keys(old, codes), _keys(new, codes)
    common = min(len(before), len(after))
    unlike = np.flatnonzero((before[:common] != after[:common]).any(axis=1))
    same = int(unlike[0]) if len(unlike) else common
    old_of, new_of = np.zeros(len(after), np.int64), np.zeros(len(before), np.int64)
    old_of[:same] = new_of[:same] = np.arange(1, same + 1)
    together = same == len(before) == len(after)
    if not together:
        _align_rest(before, after, same, old_of, new_of)
    return Alignment(old_of=old_of, new_of=new_of, diverged=None if together else same + 1)


def _align_rest(
    before: Numbers, after: Numbers, since: int, old_of: Numbers, new_of: Numbers
) -> None:
    waiting: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at in range(len(before) - 1, since - 1, -1):
        waiting[tuple(before[at].tolist())].append(at)
    for at in range(since, len(after)):
        places = waiting.get(tuple(after[at].tolist()))
        if places:
            found = places.pop()
            old_of[at], new_of[found] = found + 1, at + 1


def _keys(index: Index, codes: dict[tuple[str, ...], int]) -> Numbers:
    """Kind, pass, node by name, and line of each step, in one row for each."""
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
