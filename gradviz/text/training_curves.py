"""Sentences about the losses and gradient norms of a training run, and its axis labels."""

from __future__ import annotations

import math

from gradviz.analysis.training.training_curves import TrainingCurve, TrainingRun
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.text.punctuation import join_sentences


def loss_words(training: TrainingRun, last_step: float = math.inf) -> str:
    """Sentences such as ``loss falls from 0.8249 to 0.6342 in 5 passes.``; may be empty.

    Args:
        training: The training run.
        last_step: The last step of the run that may be revealed.
    """
    return join_sentences(_loss_words(each, last_step) for each in training.losses)


def _loss_words(loss: TrainingCurve, last_step: float) -> str:
    points = [point for point in loss.points if point.step <= last_step]
    if not points:
        return ""
    first, last = points[0].value, points[-1].value
    key = "training.loss.stays"
    if math.isnan(first) != math.isnan(last):
        key = "training.loss.goes"
    elif first != last and not math.isnan(first):
        key = "training.loss.falls" if last < first else "training.loss.rises"
    if len(points) == 1:
        key = "training.loss.one"
    return say(
        key,
        name=loss.name,
        first=number_text(first),
        last=number_text(last),
        count=len(points),
    )


def norm_words(training: TrainingRun) -> str:
    """What the norms are norms of, and how many cannot be drawn on a logarithmic axis."""
    values = [point.value for series in training.norms for point in series.points]
    zeros = sum(value == 0 for value in values)
    unknown = sum(not math.isfinite(value) for value in values)
    parts = [say(f"training.norms.{training.norm_of}")]
    for key, count in (("training.zeros", zeros), ("training.unknown", unknown)):
        if count:
            parts.append(say(f"{key}.one") if count == 1 else say(key, count=count))
    return join_sentences(parts)
