"""Find the input of a call whose memory an output shares."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
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
    return output_aliases(index, inputs, (result,), dirty)[0]


def output_aliases(
    index: TraceIndex, inputs: Sequence[Item], results: Sequence[Item], dirty: Sequence[int] = ()
) -> list[OutputAlias | None]:
    """`output_alias` of each of many outputs; takes time for inputs plus outputs only."""
    outputs = [_record(index, each) for each in results]
    wanted = {each.storage for each in outputs if each is not None} - {None}
    first: dict[int | None, tuple[int, str, TensorRecord]] = {}
    for at, item in enumerate(inputs):
        if len(first) == len(wanted):
            break
        given = _record(index, item)
        if given is not None and given.storage in wanted:
            first.setdefault(given.storage, (at, item.name, given))
    marked = set(dirty)
    return [None if each is None else _alias(each, first, marked) for each in outputs]


def _alias(
    output: TensorRecord,
    first: Mapping[int | None, tuple[int, str, TensorRecord]],
    dirty: Container[int],
) -> OutputAlias | None:
    if output.storage not in first:
        return None
    at, name, given = first[output.storage]
    alike = (given.shape, given.strides) == (output.shape, output.strides)
    return OutputAlias(
        name=name, same=at in dirty and alike, before=given.version, after=output.version
    )


def _record(index: TraceIndex, item: Item) -> TensorRecord | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor)
