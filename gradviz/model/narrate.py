"""The sentence of each place of a run, made from what was recorded and nothing else."""

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
    """Says in plain English what happened in a step, with names, shapes and small values."""
    return step_sentence(index, step)


def sentence_at(index: Index, place: Place, level: Level = "node") -> str:
    """Says in plain English what happened at a place.

    Args:
        index: The trace.
        place: A step, or something inside it.
        level: With ``pass``, a step stands for the whole phase that it lies in. Else it changes
            nothing: a place is told for what it is.

    Returns:
        One line or more of plain text; empty where there is no such step.
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
    """Asks for what a node computes from what it receives; a sentence where there is no node."""
    return step_question(index, step) if isinstance(step, NodeStep) else sentence(index, step)
