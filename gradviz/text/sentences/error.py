"""The sentence of the exception that ended a run, with or without torch's message."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.finding import Finding
from gradviz.model.source import user_line
from gradviz.model.step import ErrorStep
from gradviz.text.punctuation import join_sentences, with_full_stop
from gradviz.text.sentences.second_order import second_order_error_sentences
from gradviz.text.sentences.values import backward_of, function_of


def error_sentence(index: TraceIndex, step: ErrorStep) -> str:
    """What raised, with the exception's message and an explanation, if there is one.

    The second and further lines of the message follow the sentence as they are.
    """
    first, *rest = step.message.strip().split("\n")
    text = _with_line(step, _raised(index, step, "" if first else ".unquoted", message=first))
    why = second_order_error_sentences(index, step)
    sentence = join_sentences((with_full_stop(text), *why)) if why else text
    return "\n".join((sentence, *(visible_text(line, lines=True) for line in rest)))


def error_headline(index: TraceIndex, step: ErrorStep, findings: Iterable[Finding]) -> str:
    """What raised and why, for a reader who sees the exception's message elsewhere.

    Args:
        index: The trace.
        step: The error.
        findings: The findings of the run; those of this step explain it.
    """
    text = _with_line(step, _raised(index, step, ".unquoted"))
    found = [each.message for each in findings if each.step == step.number]
    why = [*second_order_error_sentences(index, step), *found]
    return join_sentences((with_full_stop(text), *why))


def _raised(index: TraceIndex, step: ErrorStep, form: str, **values: str) -> str:
    function = function_of(index, step.node, step.call)
    values["exception"] = step.exception
    if function is not None and step.stage in ("forward", "backward", "engine"):
        values |= {"function": function, "backward": backward_of(index, step.node, step.call)}
        return say(f"error.{step.stage}{form}", **values)
    if step.node is not None:
        return say(f"error.node{form}", node=index.node[step.node].name, **values)
    return say(f"error{form}", **values)


def _with_line(step: ErrorStep, text: str) -> str:
    where = user_line(step.location)
    if where is None:
        return text
    return say("error.at", sentence=text, line=where.line, file=PurePath(where.path).name)
