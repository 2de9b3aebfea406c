"""Sentences for each place of a run, built only from what was recorded."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.places import Level, Place, part_at
from gradviz.model.query import step_at
from gradviz.model.sentences.of_line import line_sentence
from gradviz.model.sentences.of_op import op_sentence
from gradviz.model.sentences.of_phase import phase_sentence
from gradviz.model.sentences.of_stage import stage_sentence
from gradviz.model.sentences.of_step import step_question, step_sentence
from gradviz.model.step import (
    ErrorStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

_WITHOUT_STAGES = PassBeginStep | PassEndStep | ErrorStep | OptimizerStep


def sentence(index: Index, step: Step) -> str:
    """What happened in a step, in plain English with names, shapes and small values."""
    return step_sentence(index, step)


def sentence_at(index: Index, place: Place, level: Level = "node") -> str:
    """What happened at a place, in plain English.

    Args:
        index: The trace.
        place: A step, or something inside it.
        level: With ``pass``, a step stands for the whole phase that contains it. Other levels
            change nothing: the sentence describes the place itself.

    Returns:
        One or more lines of plain text; empty if there is no such step.
    """
    step = step_at(index, place.step)
    if step is None:
        return ""
    if place.stage is None or isinstance(step, _WITHOUT_STAGES):
        return phase_sentence(index, place.step) if level == "pass" else sentence(index, step)
    part = part_at(index, place)
    if part is not None and place.op is not None:
        return op_sentence(index, place.step, part, place.op)
    if part is not None and place.line is not None:
        return line_sentence(index, place.step, part, place.line)
    return stage_sentence(index, step, place.stage)


def question(index: Index, step: Step) -> str:
    """A question about what a node computes; for other steps, their sentence."""
    return step_question(index, step) if isinstance(step, NodeStep) else sentence(index, step)
