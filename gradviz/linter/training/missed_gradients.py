"""Gradients that a program reads, or an optimizer needs, but that no pass has stored."""

from __future__ import annotations

import ast

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import Loop, calls_named, parsed_files
from gradviz.linter.training.training_run import (
    Leaf,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep
from gradviz.text.sentences.values import some_of_list

_MOST_UPDATES = 20
"""What these have is decided by the whole run."""


def find_missed_gradients(run: TrainingSteps) -> Problems:
    """Results that the program takes for leaves: a pass came there, and their ``.grad`` is None."""
    for missed in run.missed:
        made = run.forward_of(missed.node)
        visits = run.index.visits.get(missed.node)
        if made is None or not visits:
            continue
        name = missed.name or say("refused.result")
        # The gradients of leaves that a variable holds are not lost.
        leaves = [each.variable_name for each in run.leaves_below((missed.node,))]
        kept = [each for each in leaves if each and each != missed.name]
        key = "finding.gradient_not_kept.leaves" if kept else "finding.gradient_not_kept.lost"
        yield problem(
            "gradient_not_kept",
            "info" if kept else "warning",
            step=made.number,
            location=made.location,
            node=missed.node,
            more=(say(key, name=name, leaves=some_of_list(kept)),),
            name=name,
            line=missed.location,
            op=made.op,
            made=made.location,
        )
        if not kept:
            # A loop that rebinds a leaf does so in each iteration.
            return


@reported_once
def find_unstored_gradients(run: TrainingSteps) -> Problems:
    """Optimizers that get no gradient, because ``autograd.grad`` returns what it computes."""
    results = {each.pass_id: {i.name for i in each.results} for each in run.ends if each.results}
    for step in run.updates[:_MOST_UPDATES] if run.is_whole and results else ():
        leaves = run.updates_with(step)
        names = {each.name for each in step.before}
        begin = next(
            (
                each
                for each in run.begins
                if not each.accumulate and names & results.get(each.pass_id, set())
            ),
            None,
        )
        if begin is None or not leaves or any(map(_is_learned, leaves)):
            continue
        yield problem(
            "gradients_not_stored",
            "error",
            step=step.number,
            location=begin.location,
            optimizer=step.optimizer,
            update=step.location,
        )


@reported_once
def find_copied_models(run: TrainingSteps) -> Problems:
    """Optimizers of a model of which each iteration trains a copy, as in meta-learning."""
    for step in run.updates[:_MOST_UPDATES] if run.is_whole else ():
        leaves = run.updates_with(step)
        if not leaves or any(map(_is_learned, leaves)):
            continue
        steps = {each.step.number for each in leaves[0].updates}
        reached = [_reached_before(run, each) for each in sorted(steps)[:2]]
        # In each iteration, the pass before the step reaches other leaves of the same shapes.
        if len(reached) < 2 or not reached[0].keys().isdisjoint(reached[1]):
            continue
        shapes = {run.shape(leaf.updates[0].before) for leaf in leaves}
        if not all(shapes <= set(each.values()) for each in reached):
            continue
        begin = [each for each in run.begins if each.number < step.number][-1]
        copied = _copied(run)
        if copied is not None and begin.location is not None:
            call, location = copied
            yield problem(
                "parameter_cut_off.copied",
                "error",
                step=step.number,
                location=location,
                optimizer=step.optimizer,
                update=step.location,
                begin=begin.location,
                model=ast.unparse(call.args[0]),
            )
        return


def _reached_before(run: TrainingSteps, number: int) -> dict[int, tuple[int, ...]]:
    """The leaves that the last pass before a step has reached, with their shapes."""
    begin = [each for each in run.begins if each.number < number][-1:]
    return {
        memory: run.shape(event.contribution)
        for memory, leaf in run.leaves.items()
        for event in leaf.accumulations
        if begin and event.pass_id == begin[0].pass_id
    }


def _copied(run: TrainingSteps) -> tuple[ast.Call, Location] | None:
    """The line that copies a model in a loop or function; None if there is none or not just one."""
    found = {
        (call, file.location(call))
        for file in parsed_files(run.index, "deepcopy")
        for each in file.nodes
        if isinstance(each, Loop | ast.FunctionDef)
        for call in calls_named(each, "deepcopy")
        if call.args
    }
    return found.pop() if len(found) == 1 else None


def _is_learned(leaf: Leaf) -> bool:
    """Whether a leaf has ever had a gradient, or something else has changed it."""
    changed = len({each.before.tensor for each in leaf.updates}) > 1
    return changed or any(
        isinstance(each, AccumulateStep) or each.gradient.kind != "none" for each in leaf.events
    )
