"""Rules for the What If changes of a trace."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gradviz.model.tensor import ITEM_SIZES
from gradviz.model.validation.references import KnownRecords
from gradviz.model.what_if import ChangeRecord, WhatIfChange


def problems_of_change(change: WhatIfChange) -> Iterator[str]:
    """Inconsistencies of a change, each as a phrase that follows its name."""
    size = ITEM_SIZES.get(change.dtype)
    count = math.prod(change.shape)
    if size is None or min(change.shape, default=0) < 0:
        yield "has a dtype or shape that cannot be changed"
        return
    wanted = {"elements": len(change.positions), "all": count, "fill": 1, "scale": 0}[change.way]
    if not _has(change.bits, wanted * size):
        yield "does not have the right number of bits for its elements"
    if change.old_bits and not _has(change.old_bits, len(change.positions) * size):
        yield "does not have the right number of bits for its old elements"
    if any(not 0 <= position < count for position in change.positions):
        yield "changes an element that does not exist"


def _has(bits: str, count: int) -> bool:
    try:
        return len(bytes.fromhex(bits)) == count
    except ValueError:
        return False


def change_problems(records: Sequence[ChangeRecord], known: KnownRecords) -> Iterator[str]:
    """Inconsistencies of all changes in a trace, one sentence each."""
    for record in records:
        for problem in problems_of_change(record.change):
            yield f"change {record.id} {problem}"
        if not known.has_step(record.step):
            yield f"change {record.id} was made in a step that does not exist"
        for tensor in (record.old, record.new):
            if tensor is not None and tensor not in known.tensors:
                yield f"change {record.id} refers to tensor {tensor}, which does not exist"
