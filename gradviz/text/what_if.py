"""Descriptions of What If changes, with names and numbers."""

from __future__ import annotations

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.model.element_encoding import shortest_text
from gradviz.model.tensor import ITEM_SIZES, TensorValue
from gradviz.model.trace import Trace
from gradviz.model.what_if import (
    ChangeRecord,
    ChangeTarget,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.text.punctuation import without_full_stop


def target_name(target: ChangeTarget) -> str:
    """What a change applies to, such as ``weight`` or ``saved weight of MulBackward0``."""
    match target:
        case InputTarget() | ParameterTarget():
            return say("change.input", name=target.name)
        case SavedTarget():
            return say("change.saved", name=target.name, node=target.node_name)
        case GradientTarget():
            source, receiver = target.source_name, target.leaf or target.target_name
            return say("change.gradient", source=source, target=receiver)


def change_sentence(change: WhatIfChange) -> str:
    """A change as text without a full stop, such as ``weight[0, 1] = 2 instead of 4``."""
    name = target_name(change.target)
    if change.way == "scale":
        return say("change.scale", name=name, factor=number_text(change.factor, 6))
    if change.way == "all":
        return say("change.all", name=name)
    new = _texts(change.bits, change.dtype)
    if change.way == "fill":
        return say("change.fill", name=name, new=new[0])
    if len(change.positions) != 1:
        return say("change.elements", name=name, count=format_count(len(change.positions)))
    place = _place(change.positions[0], change.shape)
    old = _texts(change.old_bits, change.dtype)
    if not change.shape:
        key = "change.scalar"
    elif isinstance(change.target, InputTarget | ParameterTarget):
        key = "change.element"
    else:
        key = "change.element_of"
    if not old:
        return say(f"{key}.new", name=name, place=place, new=new[0])
    return say(key, name=name, place=place, new=new[0], old=old[0])


def changes_line(trace: Trace) -> str:
    """One line that lists all changes of a trace, ``What If: …``; empty if there are none."""
    if not trace.changes:
        return ""
    return say("change.what_if", changes="; ".join(map(_outcome, trace.changes)))


def new_run_line(trace: Trace) -> str:
    """The mark of a run that was made with changes, ``New run: …``; empty for any other run."""
    if not trace.changes:
        return ""
    return say("story.new_run", changes="; ".join(map(_outcome, trace.changes)))


def changes_in(trace: Trace, number: int) -> list[str]:
    """One sentence for each change that was applied in a step."""
    made = (record for record in trace.changes if record.applied and record.step == number)
    return [say("change.made", change=change_sentence(record.change)) for record in made]


def _outcome(record: ChangeRecord) -> str:
    text = change_sentence(record.change)
    if record.applied:
        return text
    if record.problem:
        return say("change.refused", change=text, problem=without_full_stop(record.problem))
    return say("change.not_reached", change=text)


def _place(position: int, shape: tuple[int, ...]) -> str:
    index: list[int] = []
    for size in reversed(shape):
        position, last = divmod(position, size)
        index.insert(0, last)
    return ", ".join(map(str, index))


def _texts(bits: str, dtype: str) -> list[str]:
    """The first element encoded in ``bits`` as text, in a list of one; empty without bits."""
    data = bytes.fromhex(bits)
    if not data:
        return []
    value = TensorValue(dtype=dtype, shape=(1,), data=data[: ITEM_SIZES[dtype]])
    return [shortest_text(value.array()[0].item(), dtype)]
