"""What happened to the gradient of each leaf: passes that add to it, optimizers that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, wraps
from itertools import islice
from typing import Any

from msgspec import Struct, field

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.finding import Severity
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.statistics import Statistics
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
)
from gradviz.text.punctuation import join_sentences

MOST_STEPS = 20_000
"""A loop makes its mistakes from the beginning, so later steps are not examined."""


class LearningProblem(Struct, frozen=True, kw_only=True):
    """A mistake, as a finding that is still to be recorded.

    Attributes:
        code: Code of its `FindingKind`.
        severity: ``error`` if the results of the run are wrong, or nothing is learned.
        message: The cause, what it does, and the remedy.
        step: Number of the step that shows it.
        location: The line to change; None if it is unknown.
        node: The node that it concerns, if any.
    """

    code: str
    severity: Severity
    message: str
    step: int
    location: Location | None
    node: int | None = None


Problems = Iterator[LearningProblem]
"""What a rule finds, in order of the run."""


def problem(
    key: str,
    severity: Severity,
    *,
    step: int,
    location: Location | None,
    node: int | None = None,
    more: Iterable[str] = (),
    **words: object,
) -> LearningProblem:
    """A mistake with a sentence whose key begins with the code of its kind.

    Args:
        key: Key of the sentence, without ``finding.``.
        severity: How serious it is.
        step: Number of the step that shows it.
        location: The line to change, which the sentence calls ``line``; None if it is unknown.
        node: The node that it concerns, if any.
        more: Sentences that follow.
        words: What the sentence inserts; of a location, its line, and 0 of an unknown one.
    """
    said = {"line": location, "step": step, **words}
    sentence = say(f"finding.{key}", **{name: _line(each) for name, each in said.items()})
    return LearningProblem(
        code=key.partition(".")[0],
        severity=severity,
        message=join_sentences((sentence, *more)),
        step=step,
        location=location,
        node=node,
    )


def _line(word: object) -> object:
    if word is None:
        return 0
    return word.line if isinstance(word, Location) else word


class LeafUpdate(Struct, frozen=True, kw_only=True):
    """What an optimizer step did with one leaf.

    Attributes:
        step: The step.
        before: The leaf, as the optimizer names it.
        gradient: The gradient that was used.
    """

    step: OptimizerStep
    before: Item
    gradient: Item


class Leaf(Struct):
    """A leaf, known by its memory, which stays the same when an optimizer changes the values.

    Attributes:
        name: Name of the leaf, or empty.
        events: The steps that added to its gradient, and those that used it, in order.
    """

    name: str = ""
    events: list[AccumulateStep | LeafUpdate] = field(default_factory=list)

    @property
    def accumulations(self) -> list[AccumulateStep]:
        """The steps that added to its gradient."""
        return [each for each in self.events if isinstance(each, AccumulateStep)]

    @property
    def updates(self) -> list[LeafUpdate]:
        """The steps of optimizers that have it."""
        return [each for each in self.events if isinstance(each, LeafUpdate)]


class CutOff(Struct, frozen=True, kw_only=True):
    """A call whose results have no history, although its arguments had one.

    Attributes:
        kind: Why, such as ``no_grad``, ``gradient``, ``sampled`` or ``checkpoint``.
        call: The call and its line, as a member of a list.
        remedy: What helps.
        name: The argument that had one; empty if unknown.
        location: The line of the call; None if unknown.
        nodes: The nodes that had made the arguments.
        leaves: Storages of arguments that are leaves.
        users: Steps that take what was computed from the results; None if the values left torch, so
            that they are unknown.
    """

    kind: str
    call: str
    remedy: str
    name: str
    location: Location | None
    nodes: frozenset[int]
    leaves: frozenset[int]
    users: frozenset[int] | None


class MissedGradient(Struct, frozen=True):
    """A result whose ``.grad`` the run has read, where it is None.

    Attributes:
        node: The node that made the result.
        name: Its name, or empty.
        location: The line that reads.
    """

    node: int
    name: str
    location: Location


class TrainingSteps:
    """The steps of a run that teach something, by kind.

    Attributes:
        index: The trace.
        cuts: Where histories ended, in order of the run.
        missed: Results whose ``.grad`` was read and is None.
        is_whole: Whether all steps of the run are known and examined, so that one can tell what
            never happens.
        leaves: Leaves that a pass reached or an optimizer has, by number of their storage.
        begins: Beginnings of passes.
        ends: Ends of passes.
        updates: Finished steps of optimizers.
        unfinished: Steps of optimizers of which only the beginning is known.
        forwards: Calls that created nodes, without those that only repeat one.
        made_by: These calls, by the tensors that they returned.
        executions: Steps of nodes, by pass and node.
    """

    def __init__(
        self,
        index: TraceIndex,
        cuts: Iterable[CutOff] = (),
        missed: Iterable[MissedGradient] = (),
    ) -> None:
        self.index = index
        self.cuts, self.missed = tuple(cuts), tuple(missed)
        steps, tensors = index.trace.steps, index.tensors
        self._storages = dict(zip(tensors.ids.tolist(), tensors.storages.tolist(), strict=True))
        self.is_whole = (
            len(steps) <= MOST_STEPS and index.begins_with_the_run and not index.trace.scope.only
        )
        self.leaves: dict[int, Leaf] = {}
        self.begins: list[PassBeginStep] = []
        self.ends: list[PassEndStep] = []
        self.updates: list[OptimizerStep] = []
        self.unfinished: list[OptimizerStep] = []
        self.forwards: list[ForwardStep] = []
        self.made_by: dict[int | None, ForwardStep] = {}
        self.executions: dict[tuple[int, int], NodeStep] = {}
        for step in islice(steps, MOST_STEPS):
            match step:
                case ForwardStep(finished=True, rerun=False):
                    self.forwards.append(step)
                    self.made_by |= {each.tensor: step for each in step.outputs if each.tensor}
                case PassBeginStep():
                    self.begins.append(step)
                case PassEndStep():
                    self.ends.append(step)
                case NodeStep(finished=True):
                    self.executions[step.pass_id, step.node] = step
                case AccumulateStep(finished=True) if step.contribution.kind != "none":
                    self._add_accumulation(step)
                case OptimizerStep(finished=True):
                    self._add_update(step)
                case OptimizerStep():
                    self.unfinished.append(step)

    @cached_property
    def lines(self) -> set[tuple[int | None, int]]:
        """Source and line of each beginning of a pass, update and call that created nodes."""
        return {
            (each.location.source, each.location.line)
            for steps in (self.begins, self.updates, self.forwards)
            for each in steps
            if each.location is not None
        }

    def _add_accumulation(self, step: AccumulateStep) -> None:
        node = self.index.node[step.node]
        leaf = self._leaf(node.variable)
        if leaf is not None:
            leaf.name = node.variable_name or leaf.name
            leaf.events.append(step)

    def _add_update(self, step: OptimizerStep) -> None:
        self.updates.append(step)
        for before, gradient in zip(step.before, step.gradients, strict=False):
            leaf = self._leaf(before.tensor)
            if leaf is not None:
                leaf.name = leaf.name or before.name
                leaf.events.append(LeafUpdate(step=step, before=before, gradient=gradient))

    def _leaf(self, tensor: int | None) -> Leaf | None:
        memory = self._memory(tensor)
        return None if memory is None else self.leaves.setdefault(memory, Leaf())

    def _memory(self, tensor: int | None) -> int | None:
        return self._storages.get(tensor or 0) or None

    def storage(self, item: Item | None) -> int | None:
        """The memory of a tensor; None if it is unknown, or the item is none."""
        return None if item is None else self._memory(item.tensor)

    def array(self, item: Item) -> Any:
        """The elements of a tensor; None if they are unknown."""
        value = None if item.tensor is None else self.index.value(item.tensor)
        return None if value is None else value.array()

    def shape(self, item: Item) -> tuple[int, ...]:
        """The shape of a tensor; empty for anything else."""
        return () if item.tensor is None else self.index.tensor.bare(item.tensor).shape

    def requires_grad(self, item: Item) -> bool:
        """Whether an item is a tensor that requires a gradient."""
        return item.tensor is not None and self.index.tensor.bare(item.tensor).requires_grad

    def is_zero(self, item: Item | None) -> bool:
        """Whether a tensor is known to have only zeros."""
        measured = None if item is None else self.statistics(item)
        return measured is not None and 0 < measured.count == measured.zeros

    def has_gradient(self, update: LeafUpdate) -> bool:
        """Whether an optimizer step has a gradient of a leaf that is not zero."""
        return update.gradient.kind != "none" and not self.is_zero(update.gradient)

    @cached_property
    def not_finite(self) -> dict[int, int]:
        """`NANS`, `INFINITIES` or both for each tensor that is not finite, by number."""
        self.index.finite.look()
        return self.index.finite.not_finite()

    def is_finite(self, item: Item) -> bool:
        """Whether no element of a tensor is known to be NaN or infinite."""
        return (item.tensor or 0) not in self.not_finite

    def statistics(self, item: Item) -> Statistics | None:
        """Statistics of the elements; None without a tensor, or if they were not recorded."""
        return None if item.tensor is None else self.index.tensor[item.tensor].statistics

    def differ(self, one: Item, other: Item) -> bool:
        """Whether two tensors are known to have different elements."""
        if one.tensor is None or other.tensor is None or one.tensor == other.tensor:
            return False
        first, second = self.index.value(one.tensor), self.index.value(other.tensor)
        if first is None or second is None or first.shape != second.shape:
            return False
        return self.is_finite(one) and bool((first.array() != second.array()).any())

    def origins(
        self,
        accumulated: AccumulateStep,
        has_received: Callable[[NodeStep], bool],
        carries: Callable[[NodeStep, int], bool] | None = None,
    ) -> Iterator[NodeStep]:
        """The nodes at which something in the gradient of a leaf begins, on the ways to the leaf.

        Args:
            accumulated: The gradient's arrival at the leaf.
            has_received: Whether a node has it from a node before it.
            carries: Whether a node passes it on along an edge, given by its id; None if all do.
        """
        waiting, seen = [accumulated.node], {accumulated.node}
        while waiting:
            for edge in self.index.arriving.get(waiting.pop(), ()):
                sender = self.executions.get((accumulated.pass_id, edge.source))
                if sender is None or edge.source in seen:
                    continue
                seen.add(edge.source)
                if carries is None or carries(sender, edge.id):
                    if has_received(sender):
                        waiting.append(edge.source)
                    else:
                        yield sender

    def nodes_below(self, nodes: Iterable[int]) -> set[int]:
        """These nodes, and all that what they have made was computed from."""
        waiting = [*nodes]
        seen = set(waiting)
        while waiting:
            for edge in self.index.leaving.get(waiting.pop(), ()):
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return seen

    def leaves_below(self, nodes: Iterable[int]) -> list[Node]:
        """The nodes of the leaves that what nodes have made was computed from."""
        below = sorted(self.nodes_below(nodes))
        known = (self.index.node[each] for each in below if each in self.index.node)
        return [each for each in known if each.variable is not None]

    def storages_below(self, nodes: Iterable[int]) -> set[int]:
        """The memory of these leaves, where it is known."""
        memories = (self._memory(each.variable) for each in self.leaves_below(nodes))
        return {each for each in memories if each is not None}

    def is_reached(self, node: Node) -> bool:
        """Whether a pass has reached a leaf, given its node, in any iteration."""
        memory = self._memory(node.variable)
        return memory in self.leaves and bool(self.leaves[memory].accumulations)

    def makes_number(self, step: ForwardStep) -> bool:
        """Whether a call returns one tensor, which is a number."""
        made = [each for each in step.outputs if each.tensor is not None]
        return len(made) == 1 and self.shape(made[0]) == ()

    def begin_of(self, pass_id: int) -> PassBeginStep | None:
        """The beginning of a pass."""
        return next((each for each in self.begins if each.pass_id == pass_id), None)

    def updates_with(self, step: OptimizerStep) -> list[Leaf]:
        """The leaves that an optimizer step has."""
        memories = map(self.storage, step.before)
        return [self.leaves[each] for each in memories if each is not None and each in self.leaves]

    def update_after(self, begin: PassBeginStep) -> OptimizerStep | None:
        """The first optimizer step after the beginning of a pass."""
        return next((each for each in self.updates if each.number > begin.number), None)

    def forward_of(self, node: int) -> ForwardStep | None:
        """The call that created a node."""
        number = self.index.made_at.get(node)
        step = None if number is None else self.index.trace.steps[number - 1]
        return step if isinstance(step, ForwardStep) else None


TrainingRule = Callable[[TrainingSteps], Problems]


def reported_once(rule: TrainingRule) -> TrainingRule:
    """A rule of which only the first problem counts: a loop makes a mistake in each iteration."""

    @wraps(rule)
    def find(run: TrainingSteps) -> Problems:
        return islice(rule(run), 1)

    return find
