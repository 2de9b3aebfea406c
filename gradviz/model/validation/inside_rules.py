"""Validation of the stages, lines and ops recorded inside the steps of a trace.

The ids that records of a trace may refer to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.columns import ACCUMULATE, DISPATCH, FORWARD, MISSING, NODE
from gradviz.model.inside import ExecutedLine, Inside, Op, StageKind, StageRecord, UserFrame
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


_ORDER: Final[tuple[StageKind, ...]] = get_args(StageKind)
_STAGES: Final[dict[int, frozenset[StageKind]]] = {
    FORWARD: frozenset({"forward", "setup_context", "save"}),
    NODE: frozenset({"backward", "engine"}),
    ACCUMULATE: frozenset({"accumulate"}),
    DISPATCH: frozenset({"forward"}),
    MISSING: frozenset(_ORDER),
}
"""The stages that each kind of step may have; a missing step may have any."""


class InsideRules:
    """Checks what was recorded inside the steps, in order, and collects the problems.

    Attributes:
        problems: One sentence each.
    """

    def __init__(self, known: KnownRecords, kinds: Sequence[int]) -> None:
        """Takes the records that may be referred to, and the kind of each step."""
        self.problems: list[str] = []
        self._known = known
        self._kinds = kinds
        self._last = 0

    def check(self, inside: Inside) -> None:
        """Check the next record."""
        in_order = self._last < inside.id <= len(self._kinds)
        if not in_order:
            self.problems.append(
                f"the details of step {inside.id} are out of order or belong to no step"
            )
        self._last = inside.id
        stages = [part.stage for part in inside.parts]
        places = [_ORDER.index(stage) for stage in stages]
        if any(first >= second for first, second in pairwise(places)):
            self.problems.append(
                f"step {inside.id} has a duplicate stage or stages in the wrong order"
            )
        if in_order and not self._stages_at(inside.id).issuperset(stages):
            self.problems.append(f"step {inside.id} has a stage that its kind does not allow")
        for part in inside.parts:
            place = f"step {inside.id}, stage {part.stage}"
            self.problems += self._of_part(place, part)

    def _stages_at(self, step: int) -> frozenset[StageKind]:
        return _STAGES.get(self._kinds[step - 1], frozenset())

    def _of_part(self, place: str, part: StageRecord) -> Iterator[str]:
        if not (0 <= part.more_lines < MOST_LINES and 0 <= part.more_ops < MOST_LINES):
            yield f"{place} leaves out an impossible number of lines or ops"
        for at, frame in enumerate(part.frames):
            yield from self._of_frame(f"{place}, call {at}", part, at, frame)
        for at, line in enumerate(part.lines):
            yield from self._of_line(f"{place}, line {at}", part, at, line)
        for at, op in enumerate(part.ops):
            yield from self._of_op(f"{place}, op {at}", part, op)

    def _items(self, place: str, items: Sequence[Item]) -> Iterator[str]:
        if items and not self._known.has_all(items):
            yield from self._known.problems_of(place, items)

    def _of_frame(self, place: str, part: StageRecord, at: int, frame: UserFrame) -> Iterator[str]:
        yield from self._items(place, frame.arguments)
        yield from self._known.problems_of_lines(place, (frame.function,))
        caller = frame.caller
        # The calling line must belong to an earlier call, so that calls cannot form a cycle.
        if caller is not None and not (
            0 <= caller < len(part.lines) and 0 <= part.lines[caller].frame < at
        ):
            yield f"{place} was made by a line that does not exist"

    def _of_line(self, place: str, part: StageRecord, at: int, line: ExecutedLine) -> Iterator[str]:
        yield from self._items(place, line.changes)
        if line.result is not None:
            yield from self._items(place, (line.result,))
        if not 0 <= line.frame < len(part.frames):
            yield f"{place} belongs to a call that does not exist"
        elif (caller := part.frames[line.frame].caller) is not None and caller >= at:
            yield f"{place} ran before the line that called it"
        last = replace(line.location, line=line.last_line)
        yield from self._known.problems_of_lines(place, (line.location, last))
        if not 0 < line.location.line <= line.last_line:
            yield f"{place} has an invalid range of source lines"

    def _of_op(self, place: str, part: StageRecord, op: Op) -> Iterator[str]:
        yield from self._items(place, (*op.inputs, *op.outputs))
        yield from self._known.problems_of_lines(place, (op.location,))
        if op.line is not None and not 0 <= op.line < len(part.lines):
            yield f"{place} was called by a line that does not exist"
        if any(not 0 <= position < len(op.inputs) for position in op.writes):
            yield f"{place} writes into an argument that does not exist"
