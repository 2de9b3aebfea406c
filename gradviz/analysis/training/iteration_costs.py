"""Time and memory of each iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration
from gradviz.model.step import ForwardStep, OptimizerStep
from gradviz.model.tensor import ITEM_SIZES


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationCost:
    """What one iteration took, with the recording.

    Attributes:
        duration_ns: Time from the start of its first step to the end of its last one.
        saved_bytes: Size of the tensors that its nodes saved for backward, without leaves such as
            parameters. Tensors that share memory count once, as the largest of them.
    """

    duration_ns: int
    saved_bytes: int


def iteration_costs(
    index: TraceIndex, iterations: Sequence[Iteration]
) -> tuple[IterationCost, ...]:
    """The cost of each iteration."""
    variables = (node.variable for node in index.trace.nodes if node.variable is not None)
    leaves = {index.tensor.bare(each).storage for each in variables}
    saved: list[dict[int, int]] = [{} for _ in iterations]
    # The calls before a pass are missing if it was recorded because its loss had jumped.
    first = {node: steps[0] for node, steps in index.visits.items()} | index.made_at
    made = sorted((step, node) for node, step in first.items())
    at = 0
    for step, node in made:
        while iterations[at].last < step:
            at += 1
        for slot in index.saved.get(node, ()):
            number = slot.item.tensor
            record = None if number is None else index.tensor.bare(number)
            if record is not None and record.storage not in leaves:
                memory = record.storage or -record.id
                size = math.prod(record.shape) * ITEM_SIZES.get(record.dtype, 0)
                saved[at][memory] = max(size, saved[at].get(memory, 0))
    return tuple(
        IterationCost(duration_ns=_duration(index, each), saved_bytes=sum(sizes.values()))
        for each, sizes in zip(iterations, saved, strict=True)
    )


def _duration(index: TraceIndex, iteration: Iteration) -> int:
    first, last = (index.trace.steps[step - 1] for step in (iteration.first, iteration.last))
    took = last.duration_ns if isinstance(last, ForwardStep | OptimizerStep) else 0
    return max(0, last.started_ns + took - first.started_ns)
