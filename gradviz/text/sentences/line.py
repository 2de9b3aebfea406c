"""The sentence of a source line: its calls, changed variables, result or exception."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from gradviz.analysis.index.returned_values import returned_values
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import elements_differ, layout_of
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.model.inside import ExecutedLine, StageRecord, UserFrame
from gradviz.model.item import Item
from gradviz.text.sentences.code_quotes import StatementHead, definition_at, head_at, quoted_line
from gradviz.text.sentences.endings import exception_text, raised_at, run_continued
from gradviz.text.sentences.stage_facts import stage_facts
from gradviz.text.sentences.values import (
    is_array,
    list_unnamed,
    named_value,
    record_of,
    short_text,
    some_of_list,
    unnamed_value,
)


def variable_clauses(index: TraceIndex, part: StageRecord, at: int) -> list[str]:
    """Clauses on what a line did to local variables, one for each kind of change."""
    line, facts = part.lines[at], stage_facts(part)
    groups: dict[str, list[Item]] = {}
    for item in line.changes:
        effect = _effect(index, part, at, item, facts.before(at, item.name))
        groups.setdefault(effect, []).append(item)
    clauses = []
    if made := groups.get("makes"):
        clauses.append(
            say("line.makes", values=some_of_list([named_value(index, item) for item in made]))
        )
    clauses += [
        say(f"line.{effect}", values=_assigned(index, groups[effect]))
        for effect in ("sets", "gives")
        if effect in groups
    ]
    if changed := groups.get("changes"):
        clauses.append(_in_place(index, changed))
    if line.removed:
        clauses.append(
            say("line.deletes", names=some_of_list([short_text(name) for name in line.removed]))
        )
    return clauses


def _effect(index: TraceIndex, part: StageRecord, at: int, item: Item, before: Item | None) -> str:
    """The kind of change, which is also the clause's key ``line.<way>``."""
    if _is_in_place(index, item, before):
        return "changes"
    if _is_made(index, part, at, item):
        return "makes"
    # It may be the same array or list with other contents, or a new one: that is unknown.
    same = before is not None and (
        (is_array(item) and is_array(before)) or (_is_container(item) and _is_container(before))
    )
    return "gives" if same else "sets"


def _is_container(item: Item) -> bool:
    return item.kind == "object" and item.text.startswith(("[", "{"))


def _assigned(index: TraceIndex, items: Sequence[Item]) -> str:
    """Names and new values: ``n to 3, a and b to None and x to a 2×3 tensor``."""
    groups: dict[tuple[int | None, str], list[str]] = {}
    for item in items:
        value = (item.tensor, unnamed_value(index, item))
        groups.setdefault(value, []).append(short_text(item.name))
    return some_of_list(
        [say("line.set", names=some_of_list(names), value=v) for (_, v), names in groups.items()]
    )


def _in_place(index: TraceIndex, items: Sequence[Item]) -> str:
    if len(items) > 1:
        return say(
            "line.changes.more", names=some_of_list([short_text(item.name) for item in items])
        )
    value = unnamed_value(index, items[0])
    return say("line.changes.one", name=short_text(items[0].name), value=value)


def _is_in_place(index: TraceIndex, item: Item, before: Item | None) -> bool:
    """Whether a variable uses the same memory as before, with different elements."""
    now = record_of(index, item)
    then = None if before is None else record_of(index, before)
    if now is None or then is None or now.storage is None or now.id == then.id:
        return False
    if now.storage != then.storage or layout_of(now) != layout_of(then):
        return False
    # The version also counts changes of other parts of the memory, and none by NumPy.
    differ = elements_differ(index, now, then)
    return now.version != then.version if differ is None else differ


def _is_made(index: TraceIndex, part: StageRecord, at: int, item: Item) -> bool:
    """Whether an op of this line returned the variable's tensor in new memory."""
    record = record_of(index, item)
    if record is None or record.storage is None:
        return False
    facts = stage_facts(part)
    for op in (op for each in facts.within(at) for op in facts.ops.get(each, ())):
        if op.seen and record.storage in _storages(index, op.outputs):
            return record.storage not in _storages(index, op.inputs)
    return False


def _storages(index: TraceIndex, items: Sequence[Item]) -> set[int | None]:
    records = [record_of(index, item) for item in items]
    return {record.storage for record in records if record is not None}


def head_clauses(index: TraceIndex, part: StageRecord, at: int) -> list[str]:
    """Clauses on a condition or an iteration, if a line is a statement head; else none."""
    line = part.lines[at]
    head = head_at(index, line) if line.finished else None
    entered = None if head is None else _enters(part, at, head)
    if head is None or entered is None:
        return []
    if head.kind == "if":
        return [say("line.true" if entered else "line.false")]
    function = part.frames[line.frame].function
    turns = stage_facts(part).iterations_before(at, head)
    if definition_at(index, function) == "generator":
        # Earlier iterations of a generator belong to another call.
        clauses = [say("line.turn.some" if entered else "line.ends")]
    elif entered:
        clauses = [say("line.turn", number=format_count(turns + 1))]
    elif not turns:
        clauses = [say("line.ends.none")]
    else:
        key = "line.ends.one" if turns == 1 else "line.ends.more"
        clauses = [say(key, count=format_count(turns))]
    if head.kind == "while":
        clauses.insert(0, say("line.true" if entered else "line.false"))
    return clauses


def _enters(part: StageRecord, at: int, head: StatementHead) -> bool | None:
    """Whether the body ran next; None if that is unknown."""
    after = stage_facts(part).after(at)
    if after is not None:
        return part.lines[after].location.line in head.body
    # The loop variable was set, so there was another item.
    if head.kind == "for" and part.lines[at].changes:
        return True
    # No further line of this call: it ended here, unless its recording was cut short.
    return False if part.finished and not part.more_lines else None


_MOST_OPS = 3


def line_sentence(index: TraceIndex, number: int, part: StageRecord, at: int) -> str:
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
    returned = returned_values(index, number, part, line)
    if returned:
        clauses.append(say("line.returns", value=list_unnamed(index, returned)))
    if not line.finished:
        clauses.append(_ending(index, number, part, at))
    if not clauses:
        clauses.append(_nothing(part, at))
    return say("line.does", line=_name(index, part, line), does=say_list(clauses, "clause"))


def _name(index: TraceIndex, part: StageRecord, line: ExecutedLine) -> str:
    frame = part.frames[line.frame]
    text = quoted_line(index, line)
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


def _function(frame: UserFrame) -> str:
    """The name of a function as its caller knows it."""
    name = frame.function.function.rpartition("<locals>.")[2]
    return say("line.lambda") if name == "<lambda>" else short_text(name) or "?"


def _calls(index: TraceIndex, part: StageRecord, at: int) -> list[str]:
    called, entered = [], []
    for frame in stage_facts(part).calls.get(at, ()):
        match definition_at(index, frame.function):
            case "function":
                called.append(_function(frame))
            case "generator":
                entered.append(_function(frame))
            case "class":
                pass  # Running a class body is not a call.
    return [
        say(
            key, names=some_of_list([_times(name, count) for name, count in Counter(names).items()])
        )
        for key, names in (("line.calls", called), ("line.enters", entered))
        if names
    ]


def _times(function: str, count: int) -> str:
    key = {1: "line.call", 2: "line.call.twice"}.get(count, "line.call.times")
    return say(key, function=function, count=format_count(count))


def _ending(index: TraceIndex, number: int, part: StageRecord, at: int) -> str:
    line = part.lines[at]
    if not run_continued(index, number):
        return say("line.unfinished")
    error = raised_at(index, line.location, line.last_line)
    step = step_at(index, number)
    if error is None or stage_facts(part).after(at) is not None or getattr(step, "finished", True):
        return say("line.raises")
    return say("line.raises.known", exception=exception_text(error))


def _nothing(part: StageRecord, at: int) -> str:
    """The clause of a line that changes no variable: its ops, if it has any."""
    names = list(dict.fromkeys(short_text(op.name) for op in stage_facts(part).ops.get(at, ())))
    return say("line.ops", names=some_of_list(names, _MOST_OPS)) if names else say("line.nothing")
