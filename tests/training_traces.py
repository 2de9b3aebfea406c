"""Handwritten traces of a training: one weight, one pass and one optimizer step per round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.model.graph import Edge, Node
from gradviz.model.item import object_item, tensor_item
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassedGradient,
    PassEndStep,
    Root,
    Step,
)
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Outcome, Trace
from tests.builders import ORIGIN, tensor

Pairs = tuple[tuple[TensorRecord, TensorValue], ...]


def training_trace(
    losses: Sequence[float], gradients: Sequence[Sequence[float]], *, optimizer: bool = True
) -> tuple[Trace, Pairs]:
    """A training of ``w``, starting at ones, with learning rate 0.5."""
    pairs: list[tuple[TensorRecord, TensorValue]] = []
    steps: list[Step] = []
    nodes: list[Node] = []
    edges: list[Edge] = []

    def put(values: object, storage: int | None = None) -> int:
        pairs.append(tensor(len(pairs) + 1, values, storage=storage))
        return len(pairs)

    weight = np.ones(len(gradients[0]))
    held = put(weight, storage=1)
    for number, (loss, gradient) in enumerate(zip(losses, gradients, strict=True), start=1):
        node, leaf = 2 * number - 1, 2 * number
        nodes += [_node(node, "DotBackward0", held), _node(leaf, "AccumulateGrad", held)]
        edges.append(Edge(id=number, source=node, slot=0, target=leaf, target_slot=0))
        told = (put(loss), put(1.0), put(gradient))
        steps += _pass(number, len(steps), held, told)
        if optimizer:
            before, weight = held, weight - 0.5 * np.asarray(gradient)
            held = put(weight, storage=1)
            steps.append(_update(len(steps) + 1, before, told[2], held))
    trace = Trace(
        origin=ORIGIN,
        nodes=tuple(nodes),
        edges=tuple(edges),
        steps=tuple(steps),
        tensors=tuple(record for record, _ in pairs),
        outcome=Outcome(kind="finished", message="", duration_ns=1_000_000),
    )
    return trace, tuple(pairs)


def _node(number: int, name: str, weight: int) -> Node:
    leaf = name == "AccumulateGrad"
    return Node(
        id=number,
        name=name,
        kind="accumulate" if leaf else "builtin",
        sequence_nr=None if leaf else number,
        call=None,
        variable=weight if leaf else None,
        variable_name="w" if leaf else "",
        made_by=None,
        module_call=None,
    )


def _pass(number: int, done: int, weight: int, told: tuple[int, int, int]) -> list[Step]:
    node, leaf = 2 * number - 1, 2 * number
    loss, one, gradient = told
    return [
        ForwardStep(
            number=done + 1,
            finished=True,
            started_ns=0,
            duration_ns=1,
            pass_id=None,
            op="dot",
            node=node,
            nodes=(node,),
            call=None,
            inputs=(tensor_item("w", weight),),
            outputs=(tensor_item("loss", loss),),
            location=None,
        ),
        PassBeginStep(
            number=done + 2,
            started_ns=0,
            pass_id=number,
            parent=None,
            roots=(
                Root(
                    node=node,
                    output_nr=0,
                    value=tensor_item("loss", loss),
                    gradient=tensor_item("gradient", one),
                ),
            ),
            create_graph=False,
            keep_graph=False,
            accumulate=True,
            location=None,
        ),
        NodeStep(
            number=done + 3,
            finished=True,
            started_ns=0,
            duration_ns=1,
            pass_id=number,
            node=node,
            incoming=(tensor_item("grad_output", one),),
            received=(),
            returned=(),
            passed=(
                PassedGradient(
                    slot=0,
                    argument=None,
                    edge=number,
                    item=tensor_item("gradient", gradient),
                    change="unchanged",
                ),
            ),
            thread="",
        ),
        AccumulateStep(
            number=done + 4,
            finished=True,
            started_ns=0,
            duration_ns=1,
            pass_id=number,
            node=leaf,
            contribution=tensor_item("contribution", gradient),
            total=tensor_item("grad", gradient),
            added=False,
        ),
        PassEndStep(number=done + 5, started_ns=0, pass_id=number, results=()),
    ]


def _update(number: int, before: int, gradient: int, after: int) -> OptimizerStep:
    return OptimizerStep(
        number=number,
        finished=True,
        started_ns=0,
        duration_ns=1,
        pass_id=None,
        optimizer="SGD",
        settings=(object_item("lr", "0.5"),),
        before=(tensor_item("w", before),),
        gradients=(tensor_item("w", gradient),),
        after=(tensor_item("w", after),),
        location=None,
    )
