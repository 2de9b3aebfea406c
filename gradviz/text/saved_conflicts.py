"""Sentences about saved tensors that were changed before backward used them."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_writes import MemoryWrite
from gradviz.analysis.memory.saved_conflicts import SavedTensorConflict
from gradviz.catalogue.messages import say
from gradviz.model.step import ForwardStep, OptimizerStep
from gradviz.text.memory_versions import node_name, write_subject
from gradviz.text.sentences.code_quotes import assigned_at, expressions_at


def conflict_sentence(index: TraceIndex, clash: SavedTensorConflict) -> str:
    """What changed a saved tensor, where, and which node had saved it.

    Args:
        index: The trace.
        clash: The change.
    """
    kind = "raised" if clash.counted else "silent"
    name = saved_name(index, clash)
    words = {"name": name, "saver": saver_name(index, clash.slot.node)}
    if clash.write is not None:
        key = kind if clash.is_changed else "elsewhere"
        if clash.write.kind == "optimizer" and key == "raised":
            key = "raised.optimizer"
        whole = _target(index, clash.write)
        if key == "elsewhere" and name in _TORCHS_NAMES and whole:
            key, words["name"] = "elsewhere.part", whole
        elif key == "elsewhere" and clash.write.name == "setitem":
            key = "elsewhere.item"
        return say(f"clash.{key}", write=write_subject(index, clash.write), **words)
    if clash.after is None or clash.before is None:
        return say(f"clash.unseen.{kind}", **words)
    lines = {"after": clash.after.line, "before": clash.before.line}
    return say(f"clash.between.{kind}", **lines, **words)


def unknown_conflict_sentence(index: TraceIndex, node: int) -> str:
    """What a node has saved was changed, but it is unknown what it was and what changed it."""
    return say("clash.unknown", saver=saver_name(index, node))


def saver_name(index: TraceIndex, node: int) -> str:
    """The call that created a node, with its line; without one, the node."""
    step = step_at(index, index.made_at.get(node, 0))
    if not isinstance(step, ForwardStep):
        return node_name(index, node)
    name = step.op if step.call is None else node_name(index, node)
    if step.location is None:
        return name
    return say("clash.saver.line", name=name, line=step.location.line)


def saved_name(index: TraceIndex, clash: SavedTensorConflict) -> str:
    """A saved tensor as the source writes it, or else as torch names it in the node."""
    slot, tensor = clash.slot, clash.slot.item.tensor
    if slot.role != "attribute":
        return slot.item.name
    made = step_at(index, index.made_at.get(slot.node, 0))
    if isinstance(made, ForwardStep) and _is_assigned(index, made, tensor):
        return assigned_at(index, made.location)
    steps = [made, *index.trace.steps[index.made_at.get(slot.node, 0) :]]
    for step in steps[:_MOST_STEPS]:
        if not isinstance(step, ForwardStep):
            continue
        read = expressions_at(index, step.location)
        names = [item.name for item in step.inputs if item.tensor == tensor]
        named = next((name for name in names if name in read), "")
        if named:
            return named
        base = _base(index, step.number, tensor)
        parts = [each for each in read if each.endswith("]") and each.startswith(base)]
        if names and len(parts) == 1:
            return parts[0]
    written = "" if clash.write is None or not clash.is_changed else _target(index, clash.write)
    if written:
        return written
    if slot.item.name == "result":
        return say("clash.result")
    return slot.item.name


def _target(index: TraceIndex, write: MemoryWrite) -> str:
    """How the source names what was written, or what the optimizer calls it; or empty."""
    step = step_at(index, write.place.step)
    if write.kind == "optimizer" and isinstance(step, OptimizerStep):
        return next((item.name for item in step.before if item.tensor == write.before), "")
    name = "" if write.call is None else write.call.target.name
    read = () if write.call is None else expressions_at(index, write.call.location)
    return name if name in read else ""


def _is_assigned(index: TraceIndex, step: ForwardStep, tensor: int | None) -> bool:
    """Whether an output of a step is the value of its statement, not only a part of it."""
    following = step_at(index, step.number + 1)
    if isinstance(following, ForwardStep) and following.location == step.location:
        return False
    same = [item.tensor for item in step.outputs] == [tensor]
    return same and bool(assigned_at(index, step.location))


def _base(index: TraceIndex, number: int, tensor: int | None) -> str:
    """How the source names what a tensor was indexed from, shortly before a step; or empty."""
    for step in reversed(index.trace.steps[max(0, number - _NEAR) : number]):
        outputs = step.outputs if isinstance(step, ForwardStep) else ()
        if [item.tensor for item in outputs] == [tensor] and isinstance(step, ForwardStep):
            return f"{step.inputs[0].name}[" if step.op == "getitem" else ""
    return ""


_TORCHS_NAMES = ("self", "other")
_NEAR = 20
_MOST_STEPS = 1000
"""How many steps to search for one that reads the tensor."""
