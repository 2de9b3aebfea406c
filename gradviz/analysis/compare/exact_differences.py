"""Compare two runs of the same program step by step and bit for bit."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.analysis.compare.item_pairs import ValuePair, items_of_step, pairs_of_items
from gradviz.analysis.compare.tensor_difference import signed_difference
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.tensor import TensorValue

ExactVerdict = Literal["equal", "alike", "differs", "unknown", "only_left", "only_right"]
"""``alike``: the stored parts are equal but incomplete; ``unknown``: nothing was stored."""

_PAUSE_EVERY = 64
_AT_ONCE = 1000


def content_digests(index: TraceIndex, pause: Callable[[], None]) -> dict[int, bytes]:
    """Digests of the stored elements of the tensors of a trace, by tensor: equal for equal bits.

    They are read in batches; ``pause`` is called between these and may raise.
    """
    digests: dict[int, bytes] = {}
    ids = index.tensors.ids.tolist()
    for start in range(0, len(ids), _AT_ONCE):
        pause()
        for number, data in index.finite.blobs(ids[start : start + _AT_ONCE]):
            # Only digests are kept, since the elements of two runs may not fit into memory.
            digests[number] = hashlib.blake2b(data, digest_size=16).digest()
    return digests


class ExactComparator:
    """Decides whether values are the same in two runs, and caches the result per tensor pair."""

    def __init__(self, old: TraceIndex, new: TraceIndex, pause: Callable[[], None]) -> None:
        self._old, self._new = old, new
        self._digests = content_digests(old, pause), content_digests(new, pause)
        self._known: dict[tuple[int, int], ExactVerdict] = {}

    def verdict(self, pair: ValuePair) -> ExactVerdict:
        """Compare one value between both runs."""
        if pair.left is None or pair.right is None:
            return "only_right" if pair.left is None else "only_left"
        if pair.left.tensor is None or pair.right.tensor is None:
            same = (pair.left.kind, pair.left.text) == (pair.right.kind, pair.right.text)
            return "equal" if same else "differs"
        both = pair.left.tensor, pair.right.tensor
        verdict = self._known.get(both)
        if verdict is None:
            verdict = self._known[both] = self._of_tensors(*both)
        return verdict

    def _of_tensors(self, before: int, after: int) -> ExactVerdict:
        one, other = self._old.tensor.bare(before), self._new.tensor.bare(after)
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return "differs"
        digests = self._digests[0].get(before), self._digests[1].get(after)
        if one.content == other.content == "whole":
            return "equal" if digests[0] == digests[1] else "differs"
        if None not in digests and one.content == other.content and digests[0] != digests[1]:
            return "differs"
        if one.statistics is None or other.statistics is None:
            return "unknown"
        return "alike" if one.statistics == other.statistics else "differs"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExactDifferences:
    """Result of comparing two runs.

    Attributes:
        alignment: Which steps correspond.
        steps: Numbers of the new steps in which something differs, ascending.
        nodes: Ids of the nodes of the new run that these steps belong to.
        uncertain: Whether some values are equal only as far as they were stored.
        judge: Decides whether a value is the same in both runs.
    """

    alignment: RunAlignment
    steps: tuple[int, ...]
    nodes: frozenset[int]
    uncertain: bool
    judge: ExactComparator


def compare_exactly(
    old: TraceIndex, new: TraceIndex, pause: Callable[[], None] = lambda: None
) -> ExactDifferences:
    """Compare two runs.

    Args:
        old: The run to compare with.
        new: The run whose steps are reported.
        pause: Called from time to time; an exception that it raises ends the comparison.
    """
    alignment = align_runs(old, new)
    judge = ExactComparator(old, new, pause)
    differing: list[int] = []
    uncertain = False
    for number in range(1, len(new.trace.steps) + 1):
        if number % _PAUSE_EVERY == 0:
            pause()
        before = alignment.old(number)
        verdicts = set() if before is None else _verdicts(old, new, before, number, judge)
        uncertain = uncertain or bool(verdicts & {"alike", "unknown"})
        if before is None or verdicts & {"differs", "only_left", "only_right"}:
            differing.append(number)
    nodes = {node_at_step(new, number) for number in differing} - {None}
    return ExactDifferences(
        alignment=alignment,
        steps=tuple(differing),
        nodes=frozenset([node for node in nodes if node is not None]),
        uncertain=uncertain,
        judge=judge,
    )


def _verdicts(
    old: TraceIndex, new: TraceIndex, before: int, number: int, judge: ExactComparator
) -> set[ExactVerdict]:
    old_items = items_of_step(old, old.trace.steps[before - 1])
    pairs = pairs_of_items(old_items, items_of_step(new, new.trace.steps[number - 1]))
    return {judge.verdict(pair) for pair in pairs}


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceDetail:
    """How much two values of one shape and dtype differ.

    Attributes:
        differing: Number of elements whose bits differ.
        count: Number of elements compared.
        whole: Whether these are all elements.
        largest: Largest finite magnitude of new minus old; None if there is none, as for bool.
        relative: ``largest`` divided by the magnitude of the old element; None if that is 0.
        where: Index of that element among those compared; None without ``largest``.
    """

    differing: int
    count: int
    whole: bool
    largest: float | None
    relative: float | None
    where: tuple[int, ...] | None


def detail_of(old: TensorValue, new: TensorValue, *, whole: bool) -> DifferenceDetail:
    """Compare the stored elements of two values of one shape and dtype."""
    size = len(old.data) // max(1, old.array().size)
    # Compared as bytes, NaN equals the same NaN, and 0.0 differs from -0.0.
    bits = [np.frombuffer(each.data, np.uint8).reshape(-1, max(1, size)) for each in (old, new)]
    differing = int((bits[0] != bits[1]).any(axis=1).sum()) if bits[0].size else 0
    change = signed_difference(old, new)
    largest, relative, where = None, None, None
    if differing and change is not None:
        # -1 keeps elements without a finite difference from being the largest.
        sizes = np.where(np.isfinite(change), np.abs(change), -1.0)
        at = int(np.argmax(sizes))
        if sizes.flat[at] >= 0:
            largest = float(sizes.flat[at])
            where = tuple([int(place) for place in np.unravel_index(at, sizes.shape)])
            before = float(np.abs(old.array().flat[at]))
            relative = largest / before if before else None
    return DifferenceDetail(
        differing=differing,
        count=old.array().size,
        whole=whole,
        largest=largest,
        relative=relative,
        where=where,
    )


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
