"""Gradients that nodes have passed on, and the names of those and of the ones they received."""

from __future__ import annotations

from itertools import zip_longest

import torch

from gradviz.model.item import none_item
from gradviz.model.step import PassedGradient
from gradviz.recorder.backward.gradient_conversion import conversion_of
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.forward.node_facts import NodeFacts
from gradviz.recorder.step_rows import PassedPattern, gradient_label
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

NodeGradients = tuple[torch.Tensor | None, ...]


def passed_row_values(
    tensors: TensorRecorder, facts: NodeFacts, made: NodeGradients
) -> tuple[tuple[PassedPattern, ...], list[int]]:
    """Patterns and numbers for `node_row`: what one of torch's own nodes has passed on."""
    patterns: list[PassedPattern] = []
    numbers: list[int] = []
    for edge, gradient in zip_longest(facts.edges[: len(made)], made):
        if edge is None:
            patterns.append("end")
        elif gradient is None:
            patterns.append("none")
            numbers.append(edge)
        else:
            patterns.append("tensor")
            numbers += (edge, tensors.record(gradient))
    return tuple(patterns), numbers


def passed_gradients(
    tensors: TensorRecorder, entry: OpenNode, made: NodeGradients
) -> tuple[PassedGradient, ...]:
    """What a custom Function's node has passed on, after the engine's checks."""
    facts = entry.facts
    arguments = () if facts.call is None else facts.call.tensor_arguments
    names = () if facts.call is None else facts.call.arguments
    passed: list[PassedGradient] = []
    for slot, gradient in enumerate(made):
        argument = arguments[slot] if slot < len(arguments) else None
        name = names[argument] if argument is not None else gradient_label(slot, len(made))
        edge = facts.edges[slot] if slot < len(facts.edges) else None
        change = conversion_of(entry.raw, argument, gradient, leads_on=edge is not None)
        item = none_item(name) if edge is None else tensors.item(name, gradient)
        passed.append(
            PassedGradient(slot=slot, argument=argument, edge=edge, item=item, change=change)
        )
    return tuple(passed)


def argument_names(facts: NodeFacts, count: int) -> tuple[str, ...]:
    """Names for the values that a user's ``backward`` returned."""
    known: tuple[str, ...] = ()
    if facts.call is not None:
        arguments = facts.call.arguments
        known = (*arguments, *facts.call.parameters[len(arguments) :])
    more = [f"value {position}" for position in range(len(known), count)]
    return (*known[:count], *more)
