"""Gradients that nodes have passed on, and the names of those and of the ones they received."""

from __future__ import annotations

import torch

from gradviz.model.item import none_item
from gradviz.model.step import PassedGradient
from gradviz.recorder.backward.gradient_conversion import conversion_of
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.forward.node_facts import NodeFacts
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

NodeGradients = tuple[torch.Tensor | None, ...]


def passed_gradients(
    tensors: TensorRecorder, entry: OpenNode, made: NodeGradients
) -> tuple[PassedGradient, ...]:
    """What a node has passed on, after the engine's checks."""
    facts = entry.facts
    arguments = () if facts.call is None else facts.call.tensor_arguments
    names = () if facts.call is None else facts.call.arguments
    passed: list[PassedGradient] = []
    for slot, gradient in enumerate(made):
        argument = arguments[slot] if slot < len(arguments) else None
        name = names[argument] if argument is not None else _gradient_label(slot, len(made))
        edge = facts.edges[slot] if slot < len(facts.edges) else None
        change = conversion_of(entry.raw, argument, gradient, leads_on=edge is not None)
        item = none_item(name) if edge is None else tensors.item(name, gradient)
        passed.append(
            PassedGradient(slot=slot, argument=argument, edge=edge, item=item, change=change)
        )
    return tuple(passed)


def _gradient_label(slot: int, count: int) -> str:
    """Name of the gradient in a slot of one of torch's own nodes, which has ``count`` slots."""
    return "gradient" if count == 1 else f"gradient {slot}"


def argument_names(facts: NodeFacts, count: int) -> tuple[str, ...]:
    """Names for the values that a user's ``backward`` returned."""
    known: tuple[str, ...] = ()
    if facts.call is not None:
        arguments = facts.call.arguments
        known = (*arguments, *facts.call.parameters[len(arguments) :])
    more = [f"value {position}" for position in range(len(known), count)]
    return (*known[:count], *more)
