"""Sentences about the versions of a tensor's memory."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_versions import MemoryVersion, VersionSave
from gradviz.analysis.memory.memory_writes import MemoryWrite
from gradviz.catalogue.messages import say
from gradviz.model.source import Location
from gradviz.model.step import OptimizerStep
from gradviz.text.position_names import position_location, position_name
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.code_quotes import quoted_statement


def version_sentence(index: TraceIndex, version: MemoryVersion) -> str:
    """How a version was created, and which nodes save it for backward."""
    write = version.write
    if write is not None and write.is_between:
        key = "between" if version.counted else "uncounted.between"
        parts = [say(f"version.{key}", where=write_subject(index, write))]
    else:
        uncounted = "uncounted" if write is None else "uncounted.write"
        key = version.how if version.counted else uncounted
        parts = [say(f"version.{key}", where=position_name(index, version.place))]
    parts += [saved_sentence(index, each) for each in version.saves]
    return join_sentences(parts)


def saved_sentence(index: TraceIndex, save: VersionSave) -> str:
    """Which node saved a version, under which name, and in which step."""
    node = node_name(index, save.node)
    if save.step is None:
        return say("version.saved", node=node, name=save.name)
    return say("version.saved.step", node=node, name=save.name, step=save.step)


def line_of_write(index: TraceIndex, write: MemoryWrite) -> Location | None:
    """The line that wrote; None if unknown."""
    if write.call is not None:
        return write.call.location
    step = step_at(index, write.place.step)
    if isinstance(step, OptimizerStep):
        return step.location
    return position_location(index, write.place)


def write_subject(index: TraceIndex, write: MemoryWrite) -> str:
    """A write as the subject of a sentence, with its code."""
    line = line_of_write(index, write)
    code = quoted_statement(index, line)
    if line is not None and code:
        return say("clash.write.code", code=code, line=line.line)
    if line is not None:
        return say("clash.write.line", op=write.name, line=line.line)
    return say("clash.write.place", where=position_name(index, write.place))


def node_name(index: TraceIndex, node: int) -> str:
    """The name of a custom node's Function, or a built-in node's own name."""
    record = index.node[node]
    call = None if record.call is None else index.call.get(record.call)
    return record.name if call is None else call.function.rpartition("<locals>.")[2]
