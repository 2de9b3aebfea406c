"""Sentences for each place of a run, built only from what was recorded."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition, stage_record_at
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say
from gradviz.model.step import (
    ErrorStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.text.sentences.error import error_headline
from gradviz.text.sentences.line import line_sentence
from gradviz.text.sentences.op import op_sentence
from gradviz.text.sentences.phase import phase_sentence
from gradviz.text.sentences.stage import stage_sentence
from gradviz.text.sentences.step import step_question, step_sentence

_WITHOUT_STAGES = PassBeginStep | PassEndStep | ErrorStep | OptimizerStep | MissingStep


def describe_step(index: TraceIndex, step: Step) -> str:
    """What happened in a step, in plain English with names, shapes and small values."""
    return step_sentence(index, step)


def describe_position(index: TraceIndex, place: TracePosition, level: Level = "node") -> str:
    """What happened at a place, in plain English.

    Args:
        index: The trace.
        place: A step, or something inside it.
        level: With ``pass``, a step stands for the whole phase that contains it. Other levels
            change nothing: the sentence describes the place itself.

    Returns:
        One or more lines of plain text; empty if there is no such step. For a graph without a run,
        what is missing.
    """
    step = step_at(index, place.step)
    if step is None:
        return describe_missing_run(index)
    part = None if place.stage is None else stage_record_at(index, place)
    if part is not None and place.op is not None:
        return op_sentence(index, place.step, part, place.op)
    if part is not None and place.line is not None:
        return line_sentence(index, place.step, part, place.line)
    if place.stage is None or isinstance(step, _WITHOUT_STAGES):
        return phase_sentence(index, place.step) if level == "pass" else describe_step(index, step)
    return stage_sentence(index, step, place.stage)


def describe_missing_run(index: TraceIndex) -> str:
    """What is unknown of a graph without steps; empty if there are steps, or no graph."""
    return "" if index.trace.steps or not index.trace.nodes else say("graph.without_run")


def describe_revealed(revealed: RevealedTrace, place: TracePosition, level: Level = "node") -> str:
    """`describe_position`, or the question about a hidden answer; empty for hidden steps ahead.

    An exception's message is left out, as the views of its step show it.
    """
    index, step = revealed.index, None
    if index is not None:
        step = step_at(index, place.step)
    if index is None or step is None:
        return ""
    if revealed.shows(place.step):
        if isinstance(step, ErrorStep):
            return error_headline(index, step, revealed.findings)
        return describe_position(index, place, level)
    return quiz_question(index, step) if place.step == revealed.hidden_step else ""


def quiz_question(index: TraceIndex, step: Step) -> str:
    """A question about what a node computes; for other steps, their sentence."""
    return step_question(index, step) if isinstance(step, NodeStep) else describe_step(index, step)
