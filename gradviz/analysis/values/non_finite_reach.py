"""Decides which NaN and Inf of a run do harm: those that reach its roots, gradients or parameters.

All signs for NaN and Inf ask `NonFiniteReach`: red for those, gray for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Final

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.item import Item
from gradviz.model.settings.recording_scope import ALL_PASSES
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

UNSCALE: Final = "_amp_foreach_non_finite_check_and_unscale_"
"""The function with which ``torch.amp.GradScaler`` looks for NaN and Inf in ``.grad``."""


class NonFiniteReach:
    """How far NaN and Inf get: to a root, to the gradient of a leaf, or to a parameter.

    Not among these are gradients that `UNSCALE` saw and no optimizer used afterwards: a
    ``GradScaler`` skips a step in which the scale makes gradients overflow. An exception ends the
    run, so what was on its way then counts as reached.
    """

    def __init__(self, index: TraceIndex, cancelled: Callable[[], bool] = bool) -> None:
        """Follow the tensors now known not to be finite, from the end of the run to its start.

        Args:
            index: The trace.
            cancelled: Called from time to time; if it returns True, the result is incomplete.
        """
        self._index = index
        self._non_finite = index.finite.not_finite()
        self._of_tensor: dict[int, int] = {}
        self._of_step: dict[int, int] = {}
        self._of_memory: dict[int, int] = {}
        # By pass, node and slot: gradients that arrive, and whether the pass ran the node.
        self._arriving: dict[tuple[int, int, int], int] = {}
        self._ran: set[tuple[int, int]] = set()
        self._of_node: dict[int, int] = {}
        self._pass_end: dict[int, int] = {}
        self._used: set[int] = set()
        self._skips = _SkippedGradients(index)
        # Roots of a skipped pass: only the multiplication by the scale made them infinite.
        self._scaled: dict[int, int] = {}
        self._error = 0
        for step in reversed(index.trace.steps) if self._non_finite else ():
            if cancelled():
                break
            self._skips.see_writes_after(step.number)
            self._add(step)

    def of(self, tensor: int, step: int) -> int | None:
        """The first step at which a root, a leaf's gradient or a parameter has what a tensor has.

        Args:
            tensor: Number of a tensor with NaN or Inf.
            step: The step that has it, or inside which ops have it.

        Returns:
            None if none of them has it, as with a mask of -inf that ``softmax`` replaces by 0.
        """
        return self._of_tensor.get(tensor, self._of_step.get(step))

    def _add(self, step: Step) -> None:
        match step:
            case ForwardStep() | DispatchStep():
                self._add_call(step)
            case PassBeginStep():
                self._add_pass(step)
            case NodeStep():
                self._add_node(step)
            case AccumulateStep():
                self._add_accumulation(step)
            case PassEndStep():
                self._add_end(step)
            case OptimizerStep():
                self._add_update(step)
            case ErrorStep():
                self._error = step.number
                # Outside of passes it is the end of none.
                self._pass_end[step.pass_id or 0] = step.number
            case MissingStep():
                pass

    def _add_call(self, step: ForwardStep | DispatchStep) -> None:
        inputs, outputs = self._bad(step.inputs), self._bad(step.outputs)
        reached: list[int | None] = []
        if isinstance(step, ForwardStep):
            nodes = step.nodes or (step.node,)
            reached += [self._of_node.get(node) for node in nodes if node is not None]
        for memory in map(self._memory, outputs):
            reached.append(self._of_memory.get(memory))
            if memory in self._scaled and inputs:
                reached.append(self._scaled[memory])
            elif self._error and memory not in self._used:
                reached.append(self._error)
        self._used.update(map(self._memory, inputs))
        first = min(reached, key=_or_never, default=None)
        if first is not None:
            self._of_step[step.number] = first
            self._note((*inputs, *outputs), first)
        for tensor in (*inputs, *outputs):
            # What this call does not pass on may still reach something through another one.
            self._note((tensor,), self._of_memory.get(self._memory(tensor)))

    def _add_pass(self, step: PassBeginStep) -> None:
        # From here on, an exception of the run is not what results of calls were on their way to.
        self._error = 0
        roots = self._bad(root.value for root in step.roots)
        if self._skips.is_skipped(step.pass_id):
            self._scaled |= dict.fromkeys(map(self._memory, roots), step.number)
        else:
            self._note(roots, step.number)
        for root in step.roots:
            at = (step.pass_id, root.node, root.output_nr)
            self._note(self._bad((root.gradient,)), self._arriving.get(at))

    def _add_node(self, step: NodeStep) -> None:
        self._ran.add((step.pass_id, step.node))
        # Without gradients to pass on, it is the node that raised.
        reached = [None if step.finished else self._pass_end.get(step.pass_id)]
        for passed in step.passed:
            for tensor in self._bad((passed.item,)):
                self._note((tensor,), self._along(step.pass_id, passed.edge))
                reached.append(self._of_tensor.get(tensor))
        first = min(reached, key=_or_never)
        arrived = self._bad((*step.incoming, *step.received))
        self._note((*arrived, *self._bad(step.returned)), first)
        for slot, item in enumerate(step.incoming):
            for tensor in self._bad((item,)):
                # `autograd.grad` may return it, whatever becomes of it here.
                reaches = self._of_tensor.get(tensor)
                if reaches is not None:
                    self._arriving[step.pass_id, step.node, slot] = reaches
        if first is not None:
            self._of_step[step.number] = first
            if not arrived:
                # This node has made it, so what its call had in forward reaches as far.
                self._of_node[step.node] = first

    def _along(self, pass_id: int, edge: int | None) -> int | None:
        """How far a gradient that is passed on along an edge gets."""
        if edge is None:
            return None
        target = self._index.edge[edge]
        if (pass_id, target.target) in self._ran:
            return self._arriving.get((pass_id, target.target, target.target_slot))
        # Returned by `autograd.grad`, or an exception ended the pass before.
        return self._pass_end.get(pass_id)

    def _add_accumulation(self, step: AccumulateStep) -> None:
        self._ran.add((step.pass_id, step.node))
        kept, contributed = self._kept(step.pass_id, (step.total,)), self._bad((step.contribution,))
        if kept:
            self._of_step[step.number] = step.number
            self._note((*kept, *contributed), step.number)
            if contributed:
                self._arriving[step.pass_id, step.node, 0] = step.number
        elif not step.finished:
            self._note(contributed, self._pass_end.get(step.pass_id))

    def _add_end(self, step: PassEndStep) -> None:
        totals = self._kept(step.pass_id, [each.total for each in step.totals])
        results = self._bad(step.results)
        self._note((*results, *totals), step.number)
        if results:
            self._pass_end[step.pass_id] = step.number

    def _kept(self, pass_id: int, totals: Iterable[Item]) -> list[int]:
        """The totals of a pass that are not finite, except for those that are skipped."""
        kept = []
        for tensor in _tensors(totals):
            bad = tensor in self._non_finite
            skipped = (bad or self._skips.any_seen) and self._skips.see_accumulation(
                pass_id, self._memory(tensor), bad=bad
            )
            if bad and not skipped:
                kept.append(tensor)
        return kept

    def _add_update(self, step: OptimizerStep) -> None:
        updated, used = self._bad((*step.before, *step.after)), self._bad(step.gradients)
        if updated:
            self._of_step[step.number] = step.number
            self._note((*updated, *used, *self._bad(step.settings)), step.number)
        if used:
            # A fused optimizer skips a step itself.
            unchanged = step.finished and all(map(self._is_same, step.before, step.after))
            self._skips.see_use(map(self._memory, used), skipped=unchanged)
        elif self._skips.any_seen:
            self._skips.see_use(map(self._memory, _tensors(step.gradients)), skipped=False)

    def _is_same(self, before: Item, after: Item) -> bool:
        if before.tensor is None or after.tensor is None or before.tensor == after.tensor:
            return before.tensor == after.tensor
        value = self._index.value(before.tensor)
        return value is not None and value == self._index.value(after.tensor)

    def _note(self, tensors: Iterable[int], step: int | None) -> None:
        if step is None:
            return
        for tensor in tensors:
            for known, key in ((self._of_tensor, tensor), (self._of_memory, self._memory(tensor))):
                known[key] = min(step, known.get(key, step))

    def _bad(self, items: Iterable[Item]) -> list[int]:
        """The tensors among some items that are not finite."""
        return [each for each in _tensors(items) if each in self._non_finite]

    def _memory(self, tensor: int) -> int:
        return memory_of(self._index, tensor)


class _SkippedGradients:
    """Gradients that a ``GradScaler`` kept from the optimizer, seen from the end of the run."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._writes: dict[int, list[InPlaceWrite]] = {}
        for write in index.trace.writes:
            if write.op == UNSCALE:
                self._writes.setdefault(write.after_step, []).append(write)
        # Whether the gradient in a memory is skipped; and whether a pass has added to it since.
        self._skipped: dict[int, tuple[bool, bool]] = {}
        self._of_pass: dict[int, bool] = {}
        self.any_seen = bool(self._writes)
        # If the recording ended earlier than the run, an optimizer may have used it afterwards.
        scope = index.trace.scope
        self._unused_is_skipped = (
            index.trace.is_whole and scope.passes == ALL_PASSES and not scope.stopped
        )

    def see_writes_after(self, step: int) -> None:
        """Take note of the writes between a step and the next one."""
        for write in self._writes.get(step, ()):
            if write.target.tensor is not None:
                memory = memory_of(self._index, write.target.tensor)
                later = self._skipped.get(memory, (self._unused_is_skipped, False))
                self._skipped[memory] = (later[0] or later[1], False)

    def see_use(self, memories: Iterable[int], *, skipped: bool) -> None:
        """Take note of gradients that an optimizer was given; a fused one may skip them itself."""
        self._skipped |= dict.fromkeys(memories, (skipped, False))

    def see_accumulation(self, pass_id: int, memory: int, *, bad: bool) -> bool:
        """Take note of a total of a pass, and return whether it is skipped.

        Args:
            pass_id: The pass.
            memory: The memory of the total.
            bad: Whether it has NaN or Inf.
        """
        skipped, _ = self._skipped.get(memory, (False, False))
        self._skipped[memory] = (skipped, True)
        if bad:
            self._of_pass[pass_id] = skipped and self._of_pass.get(pass_id, True)
        return skipped

    def is_skipped(self, pass_id: int) -> bool:
        """Whether a pass has totals that are not finite, and all of them are skipped."""
        return self._of_pass.get(pass_id, False)


def memory_of(index: TraceIndex, tensor: int) -> int:
    """The number of a tensor's storage; a tensor with an unknown one has its own."""
    storage = index.tensor.bare(tensor).storage
    return -tensor if storage is None else storage


def _tensors(items: Iterable[Item]) -> list[int]:
    return [item.tensor for item in items if item.tensor is not None]


def _or_never(step: int | None) -> float:
    return inf if step is None else step
