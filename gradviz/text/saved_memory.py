"""Sentences about the memory that is saved for a backward pass."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import ModuleMemory, SavedMemory, by_module
from gradviz.catalogue.messages import say, say_count
from gradviz.text.phrases import size_text
from gradviz.text.punctuation import join_sentences


def memory_words(index: TraceIndex, memory: SavedMemory) -> str:
    """How much is saved, and by which modules most of it."""
    span, size = memory.span, size_text(memory.size)
    first = by_module(index, memory.nodes)[0]
    told = [
        say("memory.told.pass", number=span.name, size=size)
        if span is not None and index.numbers_passes
        else say("memory.told", size=size)
    ]
    if first.size < memory.size:
        told.append(say("memory.largest", name=module_title(first), size=size_text(first.size)))
    return join_sentences(told)


def memory_rules(memory: SavedMemory) -> str:
    """What does not count, and what counts once."""
    told = [say("memory.once")]
    if memory.leaves:
        told.append(say("memory.leaves", size=size_text(memory.leaves)))
    if memory.unknown:
        told.append(say_count("memory.unknown", memory.unknown))
    return join_sentences(told)


def module_title(module: ModuleMemory) -> str:
    """Path of a module, with the class and number of several equal ones."""
    if not module.path:
        return say("memory.outside")
    if module.modules == 1:
        return module.path
    return f"{module.path} ({module.modules} × {module.class_name})"


def freed_text(steps: Sequence[int | None]) -> str:
    """The steps that free saved tensors; None for one that is kept."""
    known = [each for each in steps if each is not None]
    if not known or len(known) < len(steps):
        return say("memory.kept")
    key = "memory.freed_at" if min(known) == max(known) else "memory.freed_range"
    return say(key, first=min(known), last=max(known))
