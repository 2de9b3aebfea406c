"""What a backward pass needs and makes as documents: saved memory by module, gradients by layer."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import cast

from gradviz.analysis.index.step_queries import module_path
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import (
    ModuleMemory,
    NodeMemory,
    SavedMemory,
    by_module,
)
from gradviz.analysis.training.gradient_flow import LayerFlow
from gradviz.catalogue.language import percent_text
from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Document, Field, Row
from gradviz.text.phrases import size_text
from gradviz.text.saved_memory import freed_text, module_title


def memory_document(index: TraceIndex, memory: SavedMemory) -> Document:
    """List modules by the bytes that their nodes save.

    The key of a module's row is its title, and that of a node's row is the node's number.
    """
    modules = {module_title(each): each for each in by_module(index, memory.nodes)}
    nodes = {each.node: (each, module) for module in modules.values() for each in module.nodes}
    most = max((each.size for each in modules.values()), default=0) or 1

    def row(key: Hashable) -> Row:
        if isinstance(key, int):
            return _node_row(index, *nodes[key], most)
        module = modules[str(key)]
        freed = [each.freed for each in module.nodes]
        return _row(str(key), module.size, most, freed, tip=module.class_name)

    return Document(
        titles=(say("memory.where"), say("memory.size"), say("memory.freed")),
        keys=tuple(modules),
        below={title: [each.node for each in of.nodes] for title, of in modules.items()},
        row=row,
    )


def _node_row(index: TraceIndex, memory: NodeMemory, module: ModuleMemory, most: int) -> Row:
    name = index.node[memory.node].name.removeprefix("torch::autograd::")
    title = f"{name} ({module_path(index, memory.node)})" if module.modules > 1 else name
    tensors = [each.item for each in index.saved[memory.node] if each.item.tensor is not None]
    tip = say_list([each.name for each in tensors])
    return _row(title, memory.size, most, [memory.freed], tip=tip)


def _row(title: str, size: int, most: int, freed: list[int | None], *, tip: str) -> Row:
    text = size_text(size)
    shared = "" if size else say("memory.shared")
    return Row(
        fields=(
            Field(text=title, tip=tip),
            Field(text=text, tip=shared, is_number=True, share=size / most),
            Field(text=freed_text(freed)),
        )
    )


_LEAST_DECADES = 3.0
"""Least range of the bars, so that norms of one size have bars of one length."""


def flow_document(layers: Sequence[LayerFlow]) -> Document:
    """List layers by depth; a row's key is the first step that adds to a gradient of its layer.

    The bars of norms are logarithmic, those of zeros linear.
    """
    norms = [each.norm for each in layers if each.norm > 0]
    high = max(norms, default=1.0)
    decades = max(_LEAST_DECADES, 1.25 * math.log10(high / min(norms, default=high)))

    def share(norm: float) -> float | None:
        return 1 + math.log10(norm / high) / decades if norm > 0 else None

    rows = {each.step: _layer_row(each, share(each.norm)) for each in layers}
    titles = (say("flow.layer"), say("flow.norm"), say("flow.zeros"))
    return Document(titles=titles, keys=tuple(rows), row=lambda key: rows[cast("int", key)])


def _layer_row(layer: LayerFlow, share: float | None) -> Row:
    norm, zeros = say("flow.unknown"), ""
    if not math.isnan(layer.norm):
        norm = number_text(layer.norm)
    if not math.isnan(layer.zeros):
        zeros = percent_text(number_text(100 * layer.zeros, 3))
    return Row(
        fields=(
            Field(text=layer.name),
            Field(text=norm, is_number=True, share=share),
            Field(text=zeros, is_number=True, share=layer.zeros if layer.zeros > 0 else None),
        )
    )
