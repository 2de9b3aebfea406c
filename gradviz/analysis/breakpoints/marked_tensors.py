"""Find where marked tensors (NaN, Inf, a large norm) appear or occur in a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradviz.analysis.breakpoints.step_tensors import (
    StepTensors,
    TensorIds,
    callers,
    gradients_of,
    leaf_of,
    sent_to,
    tensors_in,
    tensors_left_by_line,
    tensors_of_step,
    variables_before,
)
from gradviz.analysis.breakpoints.tensor_facts import TensorFacts
from gradviz.analysis.position.trace_position import TracePosition, stages_of
from gradviz.model.inside import StageRecord
from gradviz.model.step import AccumulateStep, PassEndStep, Step


def positions_of_marked(
    facts: TensorFacts, marked: frozenset[int], *, appears: bool, gradients: bool = False
) -> Iterator[TracePosition]:
    """Walk through the run and yield the finest places that involve marked tensors.

    Args:
        facts: Facts about the trace.
        marked: Tensors with the property that is looked for.
        appears: Whether a place counts only if an output is marked and no input is. Inputs are
            those of an op, the variables of a line's function, or for a step what it receives, what
            its node saved, and the summands of a summed gradient. Elements that left torch, as for
            numpy, count as inputs of everything that comes back in the same stage. A tensor that is
            marked when the run first has it also counts. If False, all places with marked tensors
            count.
        gradients: Whether only gradients on the node level count.
    """
    if not marked:
        return
    walk = _MarkedWalk(facts, marked, appears=appears, gradients=gradients)
    for step in facts.index.trace.steps:
        if step.number % 50 == 0:
            facts.pause()
        yield from walk.step(step)


class _MarkedWalk:
    def __init__(
        self, facts: TensorFacts, marked: frozenset[int], *, appears: bool, gradients: bool
    ) -> None:
        self._index = facts.index
        self._marked = marked
        self._appears = appears
        self._gradients = gradients
        self._seen: set[int] = set()
        self._storages: set[int] = set()
        self._totals: dict[tuple[str, int], TensorIds] = {}

    def step(self, step: Step) -> list[TracePosition]:
        """The places of one step."""
        index = self._index
        traffic = (gradients_of if self._gradients else tensors_of_step)(index, step)
        if isinstance(step, AccumulateStep):
            # The previous value of the leaf's ``.grad`` is also a summand.
            leaf = leaf_of(index, step.node)
            traffic = replace(traffic, knows=self._totals.get(leaf, frozenset()))
            self._totals[leaf] = tensors_in([step.total])
        if isinstance(step, PassEndStep):
            totals = {leaf_of(index, each.node): tensors_in([each.total]) for each in step.totals}
            before = [self._totals.get(leaf, frozenset()) for leaf in totals]
            self._totals |= totals
            traffic = replace(traffic, knows=sent_to(index, step).union(*before))
        arrives = (traffic.arrives | traffic.beside) & self._marked
        found: list[TracePosition] = []
        if self._appears and self._comes_in(step, arrives):
            found.append(TracePosition(step=step.number))
        made: TensorIds = frozenset()
        inside = None if self._gradients else index.inside.get(step.number)
        for part in inside.parts if inside is not None else ():
            places, held = self._part(TracePosition(step=step.number, stage=part.stage), part)
            made |= held
            found += places
        found += self._whole(step, traffic, inside_has=bool(made or found))
        self._see(made | (traffic.all & self._marked))
        return found

    def _comes_in(self, step: Step, arrives: TensorIds) -> bool:
        """Whether a marked tensor arrives that nothing recorded has created or passed on."""
        fresh = [each for each in arrives if each not in self._seen and not self._is_view(each)]
        # A new sum of gradients is no surprise if one of its summands was already marked.
        return bool(fresh) and not sent_to(self._index, step) & self._marked

    def _is_view(self, tensor: int) -> bool:
        record = self._index.tensor.bare(tensor)
        return record.storage is not None and record.storage in self._storages

    def _see(self, tensors: TensorIds) -> None:
        for tensor in tensors - self._seen:
            self._seen.add(tensor)
            storage = self._index.tensor.bare(tensor).storage
            if storage is not None:
                self._storages.add(storage)

    def _whole(self, step: Step, traffic: StepTensors, *, inside_has: bool) -> list[TracePosition]:
        """The whole step, or its engine stage, unless something finer inside it counts."""
        place, marked = TracePosition(step=step.number), self._marked
        given = (traffic.arrives | traffic.knows) & marked
        if inside_has:
            return []
        if not self._appears:
            return [place] if traffic.all & marked else []
        if given:
            return []
        if traffic.made & marked:
            return [place]
        if traffic.engine & marked and "engine" in stages_of(self._index, step):
            return [TracePosition(step=step.number, stage="engine")]
        return []

    def _part(
        self, stage: TracePosition, part: StageRecord
    ) -> tuple[list[TracePosition], TensorIds]:
        """The places inside a stage, and the marked tensors that were created there."""
        found: list[TracePosition] = []
        held: set[int | None] = set()
        made: TensorIds = frozenset()
        # What left torch may be part of anything that comes back, since its use is not recorded.
        outside: TensorIds = frozenset()
        marked = self._marked
        for at, op in enumerate(part.ops):
            given, new = tensors_in(op.inputs) & marked, tensors_in(op.outputs) & marked
            if not op.seen:
                outside |= given
                given |= outside if new else frozenset()
            if (new and not given) if self._appears else (new or given):
                found.append(_inside(stage, op.line, at))
            if new or (given and not self._appears):
                held.update(callers(part, op.line))
            made |= new
        before = variables_before(part) if part.lines else []
        # Called lines come after their callers, so in reverse the finest place comes first.
        for at in reversed(range(len(part.lines))):
            new = tensors_left_by_line(part.lines[at]) & marked
            if new and at not in held:
                if not self._appears or not marked & set(before[at].values()):
                    found.append(_inside(stage, at, None))
                held.update(callers(part, at))
            made |= new
        return found, made


def _inside(stage: TracePosition, line: int | None, op: int | None) -> TracePosition:
    return TracePosition(step=stage.step, stage=stage.stage, line=line, op=op)
