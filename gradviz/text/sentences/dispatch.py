"""The sentence of a call that a type overrides with ``__torch_function__``."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.item import Item, without_held
from gradviz.model.step import DispatchAnswer, DispatchStep
from gradviz.text.punctuation import join_sentences, with_full_stop, without_full_stop
from gradviz.text.sentences.values import (
    named_value,
    record_of,
    short_text,
    some_of_list,
    unnamed_value,
)

_MOST_ERROR = 160


def dispatch_sentence(index: TraceIndex, step: DispatchStep) -> str:
    """Which function was called, which types were asked, who answered, and the result."""
    parts = [_called(index, step)]
    if len(step.types) > 1:
        parts.append(say("dispatch.order", types=some_of_list(step.types)))
    parts += [answer_sentence(step, answer) for answer in step.answers]
    return join_sentences([*parts, *_ending(index, step)])


def dispatch_stage_sentence(step: DispatchStep) -> str:
    """A sentence on the ``__torch_function__`` that runs in a dispatch step."""
    kind = step.answers[-1].type if step.answers else step.types[0]
    return say("dispatch.stage", type=kind, function=step.function)


def answer_sentence(step: DispatchStep, answer: DispatchAnswer) -> str:
    """A sentence on how one type answered the call."""
    words = {"type": answer.type, "function": step.function, "by": answer.by}
    if answer.how == "raised":
        error = short_text(without_full_stop(answer.error), _MOST_ERROR)
        known = "dispatch.raised.by" if answer.by else "dispatch.raised"
        return with_full_stop(
            say(known if error else "dispatch.raised.unknown", error=error, **words)
        )
    itself = answer.how == "handler" and not answer.by
    return say("dispatch.handler.itself" if itself else f"dispatch.{answer.how}", **words)


def _called(index: TraceIndex, step: DispatchStep) -> str:
    given = [item for item in without_held(step.inputs) if item.kind != "none"]
    if not given:
        return say("dispatch.called.empty", function=step.function)
    inputs = some_of_list([named_value(index, item) for item in given])
    return say("dispatch.called", function=step.function, inputs=inputs)


def _ending(index: TraceIndex, step: DispatchStep) -> list[str]:
    if step.finished:
        outputs = [_returned(index, item) for item in without_held(step.outputs)]
        return [say("dispatch.result", outputs=some_of_list(outputs))] if outputs else []
    if step.answers and step.answers[-1].how == "raised":
        return []
    error = short_text(without_full_stop(step.error), _MOST_ERROR).removesuffix(":")
    return [
        with_full_stop(say("dispatch.refused", error=error))
        if error
        else say("dispatch.unfinished")
    ]


def _returned(index: TraceIndex, item: Item) -> str:
    record = record_of(index, item)
    text = unnamed_value(index, item)
    if record is None or not record.subclass:
        return text
    return say("dispatch.subclass", value=text, subclass=record.subclass)
