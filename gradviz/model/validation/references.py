"""The ids that records of a trace may refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct

from gradviz.model.item import Item
from gradviz.model.source import Location

MOST_LINES = 1 << 31
"""The viewer shows line numbers and counts in 32-bit integers."""


class KnownRecords(Struct, frozen=True, kw_only=True):
    """Ids of all records that can be referred to, by kind.

    Attributes:
        nodes: Node ids.
        edges: Source node of each edge, by id.
        calls: Ids of custom Function calls.
        modules: Ids of module calls.
        tensors: Tensor ids.
        matrices: Shapes of the tensors that Jacobian reports refer to, by id.
        lines: Number of lines of each source, by id.
        steps: Number of steps.
    """

    nodes: Set[int]
    edges: Mapping[int, int]
    calls: Set[int]
    modules: Set[int]
    tensors: Set[int]
    matrices: Mapping[int, tuple[int, ...]]
    lines: Mapping[int, int]
    steps: int

    def problem_of_line(self, location: Location | None) -> str:
        """Reason why a location does not fit its source; empty if it does."""
        if location is None:
            return ""
        line, source = location.line, location.source
        if source is None:
            return "" if 0 <= line < MOST_LINES else f"has the invalid line number {line}"
        count = self.lines.get(source)
        if count is None:
            return f"is in source {source}, which does not exist"
        return "" if 0 < line <= count else f"is in line {line} of a source with {count} lines"

    def problems_of_lines(self, place: str, locations: Iterable[Location | None]) -> Iterator[str]:
        """Report locations that are not in a source of the trace, one sentence each."""
        for location in locations:
            if problem := self.problem_of_line(location):
                yield f"{place} {problem}"

    def has_step(self, number: int | None) -> bool:
        """Whether a step exists, or none is referred to."""
        return number is None or 1 <= number <= self.steps

    def problems_of(self, place: str, items: Sequence[Item]) -> Iterator[str]:
        """Report items that refer to no tensor of the trace."""
        for item in items:
            if (item.kind == "tensor") != (item.tensor is not None):
                yield f"{place} has an item of kind {item.kind} with tensor {item.tensor}"
            elif item.tensor is not None and item.tensor not in self.tensors:
                yield f"{place} refers to tensor {item.tensor}, which does not exist"

    def has_all(self, items: Sequence[Item]) -> bool:
        """Whether all items are valid; called for every step, so it builds no messages."""
        tensors = self.tensors
        for item in items:
            if item.kind == "tensor":
                if item.tensor not in tensors:
                    return False
            elif item.tensor is not None:
                return False
        return True
