"""Find the input of a call whose memory an output shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputAlias:
    """How an output is related to an input.

    Attributes:
        name: Name of the input.
        same: Whether it is the input itself, declared dirty; otherwise it is another tensor in the
            same memory.
        before: Version of that memory when forward began; None if it was not recorded.
        after: Version of that memory when the call ended; None if it was not recorded.
    """

    name: str
    same: bool
    before: int | None
    after: int | None


def output_alias(
    index: TraceIndex, inputs: Sequence[Item], result: Item, dirty: Sequence[int] = ()
) -> OutputAlias | None:
    """Relation of an output to the first input whose memory it shares; None if none.

    Args:
        index: The trace.
        inputs: The inputs of the call.
        result: The output.
        dirty: Indices of the inputs that the call marked as dirty.
    """
    output = _record(index, result)
    if output is None or output.storage is None:
        return None
    for at, item in enumerate(inputs):
        given = _record(index, item)
        if given is not None and given.storage == output.storage:
            alike = (given.shape, given.strides) == (output.shape, output.strides)
            return OutputAlias(
                name=item.name,
                same=at in dirty and alike,
                before=given.version,
                after=output.version,
            )
    return None


def _record(index: TraceIndex, item: Item) -> TensorRecord | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor)
