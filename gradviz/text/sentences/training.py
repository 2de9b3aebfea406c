"""The sentences of an optimizer step."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.parameter_updates import (
    ParameterUpdate,
    follows_gradient,
    learning_rate,
    parameter_updates,
)
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.model.step import ErrorStep, OptimizerStep
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.values import short_text, some_of_list

_TOLD = ("lr", "momentum", "weight_decay")
"""Settings to mention, unless they are 0 in the first group or not numbers."""

_MOST_NAMES = 4
_MOST_SETTINGS = 4


def optimizer_sentence(index: TraceIndex, step: OptimizerStep) -> str:
    """Which parameters an optimizer updated, and how, if the numbers confirm it."""
    if not step.finished:
        names = _names([item.name for item in step.before])
        key = "optimizer.paused" if _goes_on(index, step) else "optimizer.unfinished"
        return say(key, optimizer=step.optimizer, parameters=names)
    moves = parameter_updates(index, step)
    parts = [_moved(index, step, [move for move in moves if move.how == "moved"])]
    for how in ("without", "same"):
        left = [move.before.name for move in moves if move.how == how]
        if left:
            parts.append(say(f"optimizer.{how}", names=_names(left)))
    return join_sentences(parts)


def _goes_on(index: TraceIndex, step: OptimizerStep) -> bool:
    """Whether the recording paused in a step, so that it is unknown how the step ended."""
    scope, following = index.trace.scope, step_at(index, step.number + 1)
    numbers = [each.pass_id for each in index.passes if each.last < step.number]
    paused_after = {scope.last_pass, *(last for _, last in scope.kept)}
    return bool(numbers) and numbers[-1] in paused_after and not isinstance(following, ErrorStep)


def _moved(index: TraceIndex, step: OptimizerStep, moved: list[ParameterUpdate]) -> str:
    if not moved:
        return say("optimizer.nothing", optimizer=step.optimizer)
    names = _names([move.before.name for move in moved])
    rate = learning_rate(step)
    if rate is not None and follows_gradient(index, step):
        gradients = say("optimizer.their_gradients" if moved[1:] else "optimizer.its_gradient")
        return say(
            "optimizer.against",
            optimizer=step.optimizer,
            parameters=names,
            gradients=gradients,
            lr=number_text(rate),
        )
    settings = _settings(step)
    key = "optimizer.moved" if settings else "optimizer.moved.plain"
    return say(key, optimizer=step.optimizer, parameters=names, settings=settings)


def _settings(step: OptimizerStep) -> str:
    """Settings of the first parameter group, and those in which others differ from it."""
    told = []
    for item in step.settings:
        name, _, group = item.name.rstrip(")").partition(" (group ")
        if name not in _TOLD or item.kind != "object":
            continue
        value = short_text(item.text)
        if group:
            told.append(say("optimizer.group_setting", name=name, value=value, group=group))
        elif item.text not in ("0", "0.0", "False"):
            told.append(say("optimizer.setting", name=name, value=value))
    if len(told) > _MOST_SETTINGS:
        rest = say("list.rest", count=format_count(len(told) - _MOST_SETTINGS))
        told[_MOST_SETTINGS:] = [rest]
    return ", ".join(told)


def _names(names: list[str]) -> str:
    return some_of_list([short_text(name) for name in names], _MOST_NAMES)
