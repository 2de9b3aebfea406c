"""The sentence of a source line: its calls, changed variables, result or exception."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from gradviz.model.index import Index
from gradviz.model.inside import Frame, Line, Part, StageKind
from gradviz.model.item import Item
from gradviz.model.messages import say, say_list
from gradviz.model.query import step_at
from gradviz.model.sentences.code import definition_at, quoted
from gradviz.model.sentences.endings import exception_text, raised_at, went_on
from gradviz.model.sentences.heads import head_clauses
from gradviz.model.sentences.part_facts import facts_of
from gradviz.model.sentences.values import list_unnamed, short, some, unnamed
from gradviz.model.sentences.variables import variable_clauses
from gradviz.model.step import ForwardStep, NodeStep, Step

_MOST_OPS = 3


def line_sentence(index: Index, number: int, part: Part, at: int) -> str:
    """What a source line did, in one sentence.

    Args:
        index: The trace.
        number: Number of the step.
        part: The stage that contains the line.
        at: Position of the line in the stage.
    """
    line = part.lines[at]
    clauses = [
        *_calls(index, part, at),
        *head_clauses(index, part, at),
        *variable_clauses(index, part, at),
    ]
    if line.result is not None:
        clauses.append(say("line.returns", value=_returned(index, number, part, line)))
    if not line.finished:
        clauses.append(_ending(index, number, part, at))
    if not clauses:
        clauses.append(_nothing(part, at))
    return say("line.does", line=_name(index, part, line), does=say_list(clauses))


def _name(index: Index, part: Part, line: Line) -> str:
    frame = part.frames[line.frame]
    text = quoted(index, line)
    key = "line" if frame.caller is None else "line.function"
    if line.location.path != part.frames[0].function.path:
        key += ".file"
    return say(
        f"{key}.text" if text else key,
        number=line.location.line,
        function=_function(frame),
        file=PurePath(line.location.path).name,
        text=text,
    )


def _function(frame: Frame) -> str:
    """The name of a function as its caller knows it."""
    name = frame.function.function.rpartition("<locals>.")[2]
    return say("line.lambda") if name == "<lambda>" else short(name) or "?"


def _calls(index: Index, part: Part, at: int) -> list[str]:
    called, entered = [], []
    for frame in facts_of(part).calls.get(at, ()):
        match definition_at(index, frame.function):
            case "function":
                called.append(_function(frame))
            case "generator":
                entered.append(_function(frame))
            case "class":
                pass  # Running a class body is not a call.
    return [
        say(key, names=some([_times(name, count) for name, count in Counter(names).items()]))
        for key, names in (("line.calls", called), ("line.enters", entered))
        if names
    ]


def _times(function: str, count: int) -> str:
    key = {1: "line.call", 2: "line.call.twice"}.get(count, "line.call.times")
    return say(key, function=function, count=f"{count:,}")


def _returned(index: Index, number: int, part: Part, line: Line) -> str:
    """What a line returned; the members of a tuple if the step recorded them."""
    assert line.result is not None
    items: tuple[Item, ...] = ()
    if part.frames[line.frame].caller is None:
        items = _returned_by(step_at(index, number), part.stage)
    if line.result.kind == "object" and line.result.text == _as_tuple(items):
        return list_unnamed(index, items)
    return unnamed(index, line.result)


def _returned_by(step: Step | None, stage: StageKind) -> tuple[Item, ...]:
    """The values that torch received from a stage of a step."""
    if isinstance(step, NodeStep) and stage == "backward":
        return step.returned
    return step.outputs if isinstance(step, ForwardStep) and stage == "forward" else ()


def _as_tuple(items: Sequence[Item]) -> str:
    """The text of a tuple of items, formatted as the recorder does."""
    texts = {"tensor": "Tensor(...)", "none": "None"}
    members = ", ".join(texts.get(item.kind, item.text) for item in items)
    return f"({members},)" if len(items) == 1 else f"({members})"


def _ending(index: Index, number: int, part: Part, at: int) -> str:
    line = part.lines[at]
    if not went_on(index, number):
        return say("line.unfinished")
    error = raised_at(index, line.location, line.last_line)
    step = step_at(index, number)
    if error is None or facts_of(part).after(at) is not None or getattr(step, "finished", True):
        return say("line.raises")
    return say("line.raises.known", exception=exception_text(error))


def _nothing(part: Part, at: int) -> str:
    """The clause of a line that changes no variable: its ops, if it has any."""
    names = list(dict.fromkeys(short(op.name) for op in facts_of(part).ops.get(at, ())))
    return say("line.ops", names=some(names, _MOST_OPS)) if names else say("line.nothing")
