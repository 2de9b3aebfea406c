"""The sentence of a source line: what it set, changed, deleted, called, returned or raised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from gradviz.model.index import Index
from gradviz.model.inside import Frame, Line, Part, StageKind
from gradviz.model.item import Item
from gradviz.model.messages import say, say_list
from gradviz.model.query import step_at
from gradviz.model.sentences.code import quoted
from gradviz.model.sentences.endings import exception_text, raised_at, went_on
from gradviz.model.sentences.heads import head_clauses
from gradviz.model.sentences.part_facts import facts_of
from gradviz.model.sentences.values import list_unnamed, named, record_of, short, some, unnamed
from gradviz.model.step import ForwardStep, NodeStep, Step
from gradviz.model.tensor import TensorRecord

_MOST_OPS = 3


def line_sentence(index: Index, number: int, part: Part, at: int) -> str:
    """Says what a source line did.

    Args:
        index: The trace.
        number: Of the step.
        part: The stage that it lies in.
        at: Its position there.
    """
    line = part.lines[at]
    clauses = [*_calls(part, at), *head_clauses(index, part, at), *_variables(index, part, at)]
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
    return short(frame.function.function.rpartition("<locals>.")[2]) or "?"


def _calls(part: Part, at: int) -> list[str]:
    counts = Counter(_function(frame) for frame in facts_of(part).calls.get(at, ()))
    names = [_times(function, count) for function, count in counts.items()]
    return [say("line.calls", names=some(names))] if names else []


def _times(function: str, count: int) -> str:
    key = {1: "line.call", 2: "line.call.twice"}.get(count, "line.call.times")
    return say(key, function=function, count=f"{count:,}")


def _variables(index: Index, part: Part, at: int) -> list[str]:
    """What the line did to local variables, each kind of doing in one clause."""
    line, facts = part.lines[at], facts_of(part)
    made, changed = [], []
    given: dict[str, list[str]] = {}
    for item in line.changes:
        if _is_in_place(index, item, facts.before(at, item.name)):
            changed.append(item)
        elif _is_made(index, part, at, item):
            made.append(named(index, item))
        else:
            given.setdefault(unnamed(index, item), []).append(short(item.name))
    clauses = []
    if made:
        clauses.append(say("line.makes", values=some(made)))
    if given:
        sets = [say("line.set", names=some(names), value=value) for value, names in given.items()]
        clauses.append(say("line.sets", values=some(sets)))
    if len(changed) == 1:
        value = unnamed(index, changed[0])
        clauses.append(say("line.changes.one", name=short(changed[0].name), value=value))
    elif changed:
        names = some([short(item.name) for item in changed])
        clauses.append(say("line.changes.more", names=names))
    if line.removed:
        clauses.append(say("line.deletes", names=some([short(name) for name in line.removed])))
    return clauses


def _returned(index: Index, number: int, part: Part, line: Line) -> str:
    """What a line returned; of a tuple its members, where the step tells them."""
    assert line.result is not None
    items: tuple[Item, ...] = ()
    if part.frames[line.frame].caller is None:
        items = _returned_by(step_at(index, number), part.stage)
    if line.result.kind == "object" and line.result.text == _as_tuple(items):
        return list_unnamed(index, items)
    return unnamed(index, line.result)


def _returned_by(step: Step | None, stage: StageKind) -> tuple[Item, ...]:
    """What torch got from a stage of a step."""
    if isinstance(step, NodeStep) and stage == "backward":
        return step.returned
    return step.outputs if isinstance(step, ForwardStep) and stage == "forward" else ()


def _as_tuple(items: Sequence[Item]) -> str:
    """As the recorder tells a tuple of them."""
    texts = {"tensor": "Tensor(...)", "none": "None"}
    members = ", ".join(texts.get(item.kind, item.text) for item in items)
    return f"({members},)" if len(items) == 1 else f"({members})"


def _is_in_place(index: Index, item: Item, before: Item | None) -> bool:
    """Whether a variable is the same memory as before, with other elements in it."""
    now = record_of(index, item)
    then = None if before is None else record_of(index, before)
    if now is None or then is None or now.storage is None or now.id == then.id:
        return False
    if (now.storage, now.shape, now.strides) != (then.storage, then.shape, then.strides):
        return False
    return now.version != then.version or _differ(index, now, then)


def _differ(index: Index, one: TensorRecord, other: TensorRecord) -> bool:
    """Whether two tensors are known to have other elements, which numpy changes unnoticed."""
    values = index.value(one.id), index.value(other.id)
    return None not in values and values[0] != values[1]


def _is_made(index: Index, part: Part, at: int, item: Item) -> bool:
    """Whether an op of this line returned the variable's tensor, in memory of its own."""
    record = record_of(index, item)
    if record is None or record.storage is None:
        return False
    facts = facts_of(part)
    for op in (op for each in facts.within(at) for op in facts.ops.get(each, ())):
        if op.seen and record.storage in _storages(index, op.outputs):
            return record.storage not in _storages(index, op.inputs)
    return False


def _storages(index: Index, items: Sequence[Item]) -> set[int | None]:
    records = [record_of(index, item) for item in items]
    return {record.storage for record in records if record is not None}


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
    """Of a line that is not seen to do anything to a variable: its ops, if it has any."""
    names = list(dict.fromkeys(short(op.name) for op in facts_of(part).ops.get(at, ())))
    return say("line.ops", names=some(names, _MOST_OPS)) if names else say("line.nothing")
