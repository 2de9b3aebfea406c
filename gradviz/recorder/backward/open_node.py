"""State of a node while the engine executes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.model.item import Item, none_item, tensor_item
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, NodeStep, PassedGradient
from gradviz.recorder.backward.gradient_conversion import ReturnedForm
from gradviz.recorder.forward.node_facts import NodeFacts
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.tensors.version_watch import TensorVersionWatch


@dataclass(slots=True)
class OpenNode:
    """A node that the engine is executing.

    Attributes:
        since: Sequence number when execution began.
        arrived: Numbers of the gradients that it receives; None for an undefined one.
        raw: Shapes and dtypes that the user's backward returned; None before it returns.
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
    arrived: tuple[int | None, ...]
    received: tuple[Item, ...] = ()
    returned: tuple[Item, ...] = ()
    raw: tuple[ReturnedForm, ...] | None = None
    generation: int = -1
    part: OpenStage | None = None
    return_location: Location | None = None
    passes_before: int = 0
    watch: TensorVersionWatch | None = None
    added: bool | None = None

    @property
    def incoming(self) -> tuple[Item, ...]:
        """The gradients that it receives."""
        names = gradient_names(self.facts, len(self.arrived))
        pairs = zip(names, self.arrived, strict=True)
        return tuple([none_item(n) if t is None else tensor_item(n, t) for n, t in pairs])

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
