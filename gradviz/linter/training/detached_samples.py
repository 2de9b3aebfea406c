"""Samples through which no gradient flows to the parameters of their distribution."""

from __future__ import annotations

from collections.abc import Collection

from gradviz.linter.training.constant_gradients import loss_terms
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.source import Location
from gradviz.model.step import ForwardStep
from gradviz.text.sentences.values import some_of_list

_MOST_SAMPLES = 20
"""A loop draws its samples from its first iterations on."""


@reported_once
def find_detached_samples(run: TrainingSteps) -> Problems:
    """Samples in a loss, where only other terms train the parameters of their distribution."""
    for cut in run.cuts:
        if cut.kind == "sampled":
            users = [each for each in run.forwards if each.number in (cut.users or ())]
            yield from _used_apart(run, "", users, cut.nodes, cut.location)
    draws = [each for each in run.forwards if each.op == "normal"]
    for draw in draws[:_MOST_SAMPLES]:
        made = {edge.target for node in draw.nodes for edge in run.index.leaving.get(node, ())}
        drawn = {each.tensor for each in draw.outputs}
        users = [each for each in run.forwards if any(item.tensor in drawn for item in each.inputs)]
        yield from _used_apart(run, ".normal", users, made, draw.location)


def _used_apart(
    run: TrainingSteps,
    key: str,
    users: list[ForwardStep],
    made: Collection[int],
    location: Location | None,
) -> Problems:
    """A sample that a pass uses together with what it was drawn from, but on ways apart.

    Args:
        run: The run.
        key: Which message.
        users: The steps that take the sample.
        made: The nodes that made what it was drawn from.
        location: The line that draws.
    """
    losses = {each.number for each in loss_terms(run)}
    # Its probability, as in policy gradients, trains them.
    if any(each.number not in losses and _takes(run, each, made) for each in users):
        return
    passes = {number for number, node in run.executions if node in made}
    learned = [each for each in run.leaves_below(made) if run.is_reached(each)]
    names = some_of_list([each.variable_name for each in learned if each.variable_name])
    for user in users:
        if names and any((number, user.node) in run.executions for number in passes):
            yield problem(
                f"sample_without_gradient{key}",
                "warning",
                step=user.number,
                location=location,
                names=names,
            )


def _takes(run: TrainingSteps, user: ForwardStep, made: Collection[int]) -> bool:
    """Whether a step also takes something that nodes have made, or that depends on it."""
    others = [run.made_by[each.tensor] for each in user.inputs if each.tensor in run.made_by]
    others = [each for each in others if each.op != "normal"]
    return any(not run.nodes_below(each.nodes).isdisjoint(made) for each in others)
