"""Tensors drawn as outputs: roots of backward passes, and unused ends of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.labels import gradient_elements, root_label
from gradviz.drawing.text import tensor_of
from gradviz.drawing.tiny import Tiny
from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep


@dataclass(slots=True)
class Output:
    """A tensor that is differentiated, or could be.

    Attributes:
        node: The node that made it.
        output_nr: Which output of that node's forward it is.
        item: The tensor with its best known name.
        labels: The gradients with which passes start there.
        gradients: Those of the gradients whose elements are drawn.
    """

    node: int
    output_nr: int
    item: Item
    labels: list[str] = field(default_factory=list)
    gradients: list[Tiny] = field(default_factory=list)


def outputs_of(index: Index) -> list[Output]:
    """Each output once, roots of backward passes first."""
    found: dict[tuple[int, int], Output] = {}
    for span in index.passes:
        for root in span.roots:
            key = (root.node, root.output_nr)
            output = found.setdefault(
                key, Output(node=root.node, output_nr=root.output_nr, item=root.value)
            )
            label = root_label(index, root.gradient)
            if label not in output.labels:
                output.labels.append(label)
            tiny = gradient_elements(index, root.gradient)
            if tiny is not None and tiny not in output.gradients:
                output.gradients.append(tiny)
    used = {node for node, _ in found}
    for node, number in index.made_at.items():
        if node not in used and not index.arriving.get(node):
            _add_end(index, node, number, found)
    return list(found.values())


def _add_end(index: Index, node: int, number: int, found: dict[tuple[int, int], Output]) -> None:
    step = index.trace.steps[number - 1]
    if not isinstance(step, ForwardStep) or step.pass_id is not None or step.node != node:
        return
    for position, item in enumerate(step.outputs):
        tensor = tensor_of(index, item.tensor)
        if tensor is not None and tensor.requires_grad:
            found[node, position] = Output(node=node, output_nr=position, item=item)
