"""Gradients that a program reads but backward does not keep, because they are of results."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.values import some_of_list


def find_missed_gradients(run: TrainingSteps) -> Iterator[LearningProblem]:
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
        told = say(
            "finding.gradient_not_kept",
            name=name,
            line=missed.location.line,
            op=made.op,
            made=0 if made.location is None else made.location.line,
        )
        key = "finding.gradient_not_kept.leaves" if kept else "finding.gradient_not_kept.lost"
        remedy = say(key, name=name, leaves=some_of_list(kept))
        yield LearningProblem(
            code="gradient_not_kept",
            severity="info" if kept else "warning",
            message=join_sentences((told, remedy)),
            step=made.number,
            location=made.location,
            node=missed.node,
        )
        if not kept:
            # A loop that rebinds a leaf does so in each iteration.
            return
