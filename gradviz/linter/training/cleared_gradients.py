"""Gradients that are cleared too early, or not at all, between two steps of an optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import line_between
from gradviz.linter.training.training_run import (
    Leaf,
    LeafUpdate,
    LearningProblem,
    TrainingSteps,
)
from gradviz.model.step import AccumulateStep, OptimizerStep, PassBeginStep
from gradviz.text.sentences.values import some_of_list

_MOST_UPDATES = 20
"""A loop makes these mistakes from its first iterations on."""


def find_uncleared_gradients(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Optimizer steps whose gradients all contain those of the step before."""
    for step in run.updates[:_MOST_UPDATES]:
        sides = [_uncleared(run, leaf, step) for leaf in run.updates_with(step)]
        known = [each for each in sides if each is not None]
        if not known or not all(known):
            continue
        earlier = max(each.number for each in known if each is not False)
        begin = _first_pass(run, earlier, step.number)
        yield LearningProblem(
            code="gradients_not_cleared",
            severity="error",
            message=say(
                "finding.gradients_not_cleared",
                optimizer=step.optimizer,
                step=step.number,
                earlier=earlier,
                names=some_of_list([each.name for each in step.before]),
            ),
            step=step.number,
            location=step.location if begin is None else begin.location,
        )
        # A loop that never clears says the same each time.
        return


def _uncleared(
    run: TrainingSteps, leaf: Leaf, step: OptimizerStep
) -> OptimizerStep | Literal[False] | None:
    """The earlier step whose gradient is still there; False if cleared; None if it has none."""
    used: OptimizerStep | None = None
    kept: OptimizerStep | Literal[False] | None = None
    for event in leaf.events:
        if isinstance(event, LeafUpdate):
            if event.step.number == step.number:
                return kept
            used, kept = (event.step if event.gradient.kind != "none" else None), None
        elif event.added is False:
            used, kept = None, False
        elif kept is None:
            # `zero_grad(set_to_none=False)` leaves zeros, to which the new gradient is added.
            stale = used is not None and event.added and run.differ(event.total, event.contribution)
            kept = used if stale else False
    return None


def find_gradients_cleared_early(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Optimizer steps that get nothing of the gradients that passes have computed for them."""
    for step in run.updates[:_MOST_UPDATES]:
        lost = [_lost(run, leaf, step) for leaf in run.updates_with(step)]
        known = [each for each in lost if each is not None]
        passes = [each for each in known if each is not False]
        if not passes or len(passes) < len(known):
            continue
        begin = run.begin_of(passes[-1].pass_id)
        after = None if begin is None else begin.location
        line = line_between(run.index, after, step.location, "zero_grad")
        where = "" if line is None else ".line"
        yield LearningProblem(
            code="gradients_cleared_early",
            severity="error",
            message=say(
                f"finding.gradients_cleared_early{where}",
                optimizer=step.optimizer,
                number=passes[-1].pass_id,
                line=0 if line is None else line.line,
            ),
            step=step.number,
            location=line or step.location,
        )
        return


def _lost(
    run: TrainingSteps, leaf: Leaf, step: OptimizerStep
) -> AccumulateStep | Literal[False] | None:
    """The step whose gradient was lost; False if it was used; None if there was none."""
    last: AccumulateStep | None = None
    for event in leaf.events:
        if isinstance(event, AccumulateStep):
            last = event
            continue
        if event.step.number == step.number:
            if last is None or run.is_zero(last.total) or not run.is_finite(last.total):
                return None
            gone = event.gradient.kind == "none" or run.is_zero(event.gradient)
            return last if gone else False
        last = None
    return None


def _first_pass(run: TrainingSteps, after: int, before: int) -> PassBeginStep | None:
    """The first pass between two steps that adds to gradients."""
    return next(
        (each for each in run.begins if each.accumulate and after < each.number < before), None
    )
