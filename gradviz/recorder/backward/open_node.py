"""State of a node while the engine executes it.

Gradients that nodes have passed on, and the names of those and of the ones they received.

Changes that the engine makes to gradients returned by a custom Function's backward.
"""

from __future__ import annotations

from typing import Any

import torch
from msgspec import Struct

from gradviz.model.item import Item, none_item
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, EngineConversion, NodeStep, PassedGradient
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.recorder.tensors.version_watch import TensorVersionWatch

NodeGradients = tuple[torch.Tensor | None, ...]


def passed_gradients(
    tensors: TensorRecorder, entry: OpenNode, made: NodeGradients
) -> tuple[PassedGradient, ...]:
    """What a node has passed on, after the engine's checks."""
    call, edges, raw = entry.facts.call, entry.facts.edges, entry.raw
    known = () if call is None else call.tensor_arguments
    if len(edges) < len(made):
        edges += (None,) * len(made)
    is_only = len(made) == 1
    passed: list[PassedGradient] = []
    for slot, (gradient, edge) in enumerate(zip(made, edges, strict=False)):
        argument, name = None, "gradient" if is_only else f"gradient {slot}"
        if call is not None and slot < len(known):
            argument = known[slot]
            name = call.arguments[argument]
        change: EngineConversion = "none" if edge is None or gradient is None else "unchanged"
        if raw is not None:
            change = conversion_of(raw, argument, gradient, leads_on=edge is not None)
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


ReturnedForm = tuple[tuple[int, ...], torch.dtype] | None
"""Shape and dtype of a returned tensor; None for any other value."""


def form_of(values: tuple[Any, ...]) -> tuple[ReturnedForm, ...]:
    """Shapes and dtypes of returned values, without holding the values."""
    return tuple(
        [
            (tuple(value.shape), value.dtype) if isinstance(value, torch.Tensor) else None
            for value in values
        ]
    )


def conversion_of(
    raw: tuple[ReturnedForm, ...],
    argument: int | None,
    passed: torch.Tensor | None,
    *,
    leads_on: bool,
) -> EngineConversion:
    """Classify how the engine changed a returned value before passing it on.

    Args:
        raw: All values that the user's ``backward`` returned.
        argument: Index of the value in ``raw``; None if unknown.
        passed: What the engine passed on.
        leads_on: Whether the slot leads to another node.
    """
    value = raw[argument] if argument is not None and argument < len(raw) else None
    if not leads_on:
        return "dropped" if value is not None else "none"
    if passed is None:
        return "none"
    if value is None:
        return "unchanged"
    reduced = tuple(passed.shape) != value[0]
    cast = passed.dtype != value[1]
    if reduced:
        return "reduced_and_cast" if cast else "reduced"
    return "cast" if cast else "unchanged"


class OpenNode(Struct):
    """A node that the engine is executing.

    Attributes:
        since: Sequence number when execution began.
        incoming: The gradients that it receives.
        raw: Shapes and dtypes that the user's backward returned; None before it returns.
        outputs: Those of the gradients that it was given, which are those of the outputs.
        generation: Generation of the tensor numbers when it returned.
        part: The open stage, if stages are recorded.
        return_location: The ``return`` that the user's backward executed; None if unknown.
        passes_before: Number of passes that had begun when the user's backward was called.
        watch: Detects whether the user's backward writes to the gradients it received.
        added: Whether a leaf already has a ``.grad``; None for other nodes, or if unknown.
    """

    facts: NodeFacts
    pass_id: int
    step: int
    started: int
    since: int
    thread: str
    incoming: tuple[Item, ...]
    received: tuple[Item, ...] = ()
    returned: tuple[Item, ...] = ()
    raw: tuple[ReturnedForm, ...] | None = None
    outputs: tuple[ReturnedForm, ...] = ()
    generation: int = -1
    part: OpenStage | None = None
    return_location: Location | None = None
    passes_before: int = 0
    watch: TensorVersionWatch | None = None
    added: bool | None = None

    @property
    def arrived(self) -> list[int | None]:
        """Numbers of those gradients; None for an undefined one."""
        return [each.tensor for each in self.incoming]

    def unfinished(self) -> NodeStep | AccumulateStep:
        """The step as far as it is recorded."""
        if self.facts.kind == "accumulate":
            return self.leaf_step(none_item("grad"))
        return self.node_step()

    def node_step(
        self, passed: tuple[PassedGradient, ...] = (), duration: int | None = None
    ) -> NodeStep:
        """The step of a node, which has ended if it has a duration."""
        return NodeStep(
            number=self.step,
            finished=duration is not None,
            started_ns=self.started,
            duration_ns=duration or 0,
            pass_id=self.pass_id,
            node=self.facts.id,
            incoming=self.incoming,
            received=self.received,
            returned=self.returned,
            passed=passed,
            thread=self.thread,
        )

    def leaf_step(
        self, total: Item, leaf: Item | None = None, duration: int | None = None
    ) -> AccumulateStep:
        """The step of a leaf, which has ended if it has a duration."""
        return AccumulateStep(
            number=self.step,
            finished=duration is not None,
            started_ns=self.started,
            duration_ns=duration or 0,
            pass_id=self.pass_id,
            node=self.facts.id,
            contribution=self.incoming[0],
            total=total,
            leaf=leaf,
            added=self.added,
        )


def has_gradient(leaf: Any) -> bool | None:
    """Whether the leaf of an ``AccumulateGrad`` node has a ``.grad``; None without the node."""
    return None if leaf is None else leaf.variable.grad is not None


def gradient_names(facts: NodeFacts, count: int) -> tuple[str, ...]:
    """Names for the gradients that a node receives."""
    if facts.kind == "accumulate":
        return ("contribution",) * count
    known = () if facts.call is None else facts.call.gradients
    if len(known) == count:
        return known
    if count == 1:
        return ("grad_output",)
    return tuple([f"grad_output {position}" for position in range(count)])
