"""Sentences about the versions of a tensor's memory."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_versions import MemoryVersion, SavedTensorConflict, VersionSave
from gradviz.catalogue.messages import say
from gradviz.text.position_names import position_name
from gradviz.text.punctuation import join_sentences


def version_sentence(index: TraceIndex, version: MemoryVersion) -> str:
    """How a version was created, and which nodes save it for backward."""
    where = position_name(index, version.place)
    key = "uncounted" if version.how == "unseen" and not version.counted else version.how
    parts = [say(f"version.{key}", where=where)]
    parts += [saved_sentence(index, each) for each in version.saves]
    return join_sentences(parts)


def saved_sentence(index: TraceIndex, save: VersionSave) -> str:
    """Which node saved a version, under which name, and in which step."""
    node = node_name(index, save.node)
    if save.step is None:
        return say("version.saved", node=node, name=save.name)
    return say("version.saved.step", node=node, name=save.name, step=save.step)


def conflict_sentence(index: TraceIndex, clash: SavedTensorConflict) -> str:
    """Which node saved a tensor, and where the tensor was changed in place."""
    change, saved = clash.change, clash.history.versions[clash.saved]
    values = {
        "node": node_name(index, clash.node),
        "name": clash.name,
        "where": position_name(index, change.place),
    }
    if change.how in ("unseen", "counter"):
        return say("clash.unseen", **values)
    if saved.counter is None or change.counter is None:
        return say("clash", **values)
    return say("clash.counted", saved=saved.counter, now=change.counter, **values)


def node_name(index: TraceIndex, node: int) -> str:
    """The name of a custom node's Function, or a built-in node's own name."""
    record = index.node[node]
    call = None if record.call is None else index.call.get(record.call)
    return record.name if call is None else call.function.rpartition("<locals>.")[2]
