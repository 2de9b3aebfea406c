"""Gradients of a pass for another optimizer, as those of a discriminator's loss in a generator."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from gradviz.linter.training.training_run import (
    Leaf,
    LeafUpdate,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep, PassBeginStep
from gradviz.text.sentences.values import some_of_list

_MOST_UPDATES = 20
"""A loop makes this mistake from its first iterations on."""


@reported_once
def find_gradients_of_other_losses(run: TrainingSteps) -> Problems:
    """Optimizer steps that also use gradients of a loss that another optimizer has stepped on."""
    for step in run.updates[:_MOST_UPDATES]:
        leaves = run.updates_with(step)
        pairs = {_passes_used(run, leaf, step) for leaf in leaves}
        pair = pairs.pop() if len(pairs) == 1 else None
        first, second = (None, None) if pair is None else map(run.begin_of, pair)
        other = None if first is None or second is None else _step_between(run, first, second)
        if first is None or other is None:
            continue
        use = _first_use(run, first, leaves, run.updates_with(other))
        yield problem(
            "gradients_not_cleared.other",
            "warning",
            step=step.number,
            location=first.location if use is None else use.location,
            optimizer=step.optimizer,
            update=step.location,
            begin=first.location,
            other=other.optimizer,
            line=other.location,
            names=some_of_list([each.name for each in leaves]),
        )


def _passes_used(run: TrainingSteps, leaf: Leaf, step: OptimizerStep) -> tuple[int, int] | None:
    """The two passes whose sum a step uses, after a gradient that was cleared; else None."""
    used: list[AccumulateStep] = []
    is_cleared = False
    for event in leaf.events:
        if isinstance(event, LeafUpdate):
            if event.step.number == step.number:
                break
            used, is_cleared = [], True
        elif _is_added(run, event):
            used.append(event)
            is_cleared = is_cleared and len(used) > 1
        else:
            used = [event]
    return (used[0].pass_id, used[1].pass_id) if is_cleared and len(used) == 2 else None


def _is_added(run: TrainingSteps, event: AccumulateStep) -> bool:
    return bool(event.added) and run.differ(event.total, event.contribution)


def _step_between(
    run: TrainingSteps, first: PassBeginStep, second: PassBeginStep
) -> OptimizerStep | None:
    """The step on the first of two passes, for which the second one's gradients are thrown away."""
    for step in run.updates:
        if first.number < step.number < second.number:
            leaves = run.updates_with(step)
            learned = all(
                any(each.pass_id == first.pass_id for each in leaf.accumulations) for leaf in leaves
            )
            after = [
                following
                for leaf in leaves
                for event, following in pairwise(leaf.events)
                if isinstance(event, AccumulateStep) and event.pass_id == second.pass_id
            ]
            unused = [
                isinstance(each, AccumulateStep) and not _is_added(run, each) for each in after
            ]
            if learned and unused and all(unused):
                return step
    return None


def _first_use(
    run: TrainingSteps, begin: PassBeginStep, sources: list[Leaf], users: list[Leaf]
) -> ForwardStep | None:
    """Where a loss takes what some leaves have made with others, in the function of its pass."""
    made, taking = ({id(each) for each in leaves} for leaves in (sources, users))

    def are_among(memories: Iterable[int | None], leaves: set[int]) -> bool:
        return any(id(run.leaves.get(each)) in leaves for each in memories if each is not None)

    for forward in run.forwards:
        if (begin.pass_id, forward.node) not in run.executions or begin.location is None:
            continue
        if are_among(map(run.storage, forward.inputs), taking) and are_among(
            run.storages_below(forward.nodes), made
        ):
            where = forward.location
            is_near = where is not None and where.function == begin.location.function
            return forward if is_near else None
    return None
