"""Find what can be changed for another run: at a step, or to change a given tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.graph import Edge
from gradviz.model.inputs import Offer
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, Step
from gradviz.model.what_if import (
    ChangeTarget,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
)

_MOST_STEPS = 200
"""Arguments are searched in this many steps at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A value that can be changed.

    Attributes:
        target: What is changed.
        tensor: Number of the tensor with its value in the run.
    """

    target: ChangeTarget
    tensor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeable:
    """Inputs of a run that can be changed before the call.

    Attributes:
        arguments: Names of the call's arguments, in order; an empty name for each non-tensor.
        parameters: Whether a module is called, so that its parameters can be changed.
    """

    arguments: tuple[str, ...] = ()
    parameters: bool = False

    @classmethod
    def of(cls, offer: Offer | None) -> Changeable:
        """Inputs that can be changed in a run of an offer; none without an offer."""
        if offer is None:
            return cls()
        names = [spec.name if spec.kind == "tensor" else "" for spec in offer.inputs]
        return cls(arguments=tuple(names), parameters=offer.is_module)


def candidates_at(index: TraceIndex, number: int, before: Changeable) -> tuple[Candidate, ...]:
    """Everything that can be changed among the values of a step, without repeats.

    Args:
        index: The run.
        number: Number of the step.
        before: What can be changed before the call.
    """
    step = step_at(index, number)
    if step is None:
        return ()
    found: dict[ChangeTarget, Candidate] = {}
    for each in _at(index, step, before):
        found.setdefault(each.target, each)
    return tuple(found.values())


def candidates_of(
    index: TraceIndex, tensor: int, number: int, before: Changeable
) -> tuple[Candidate, ...]:
    """What can be changed to change a tensor: at the step, or else in the whole run.

    For a sum of gradients, these are its summands.
    """
    candidates = [each for each in candidates_at(index, number, before) if each.tensor == tensor]
    candidates = candidates or list(_summands(index, step_at(index, number), tensor))
    if candidates:
        return tuple(candidates)
    everywhere = [*_before(index, before)]
    everywhere += [each for node in index.saved for each in _saved(index, node)]
    return tuple(each for each in everywhere if each.tensor == tensor)


def candidates_of_node(index: TraceIndex, node: int, before: Changeable) -> tuple[Candidate, ...]:
    """What can be changed at a node: saved values, gradients it passes on, and its leaf."""
    steps = [step_at(index, number) for number in index.visits.get(node, ())]
    found = [*_saved(index, node)]
    found += [each for step in steps if isinstance(step, NodeStep) for each in _passed(index, step)]
    variable = index.node[node].variable
    found += [each for each in _before(index, before) if each.tensor == variable]
    return tuple(found)


def candidate_for(index: TraceIndex, target: ChangeTarget, before: Changeable) -> Candidate | None:
    """Find a target of another run in this one; None if it does not exist here."""
    found: Iterable[Candidate] = ()
    match target:
        case InputTarget() | ParameterTarget():
            found = _before(index, before)
        case SavedTarget(node=node) if node in index.node:
            found = _saved(index, node)
        case GradientTarget(edge=edge):
            steps = [step_at(index, flow.step) for flow in index.flows.get(edge, ())]
            of_pass = (step for step in steps if isinstance(step, NodeStep))
            found = (each for step in of_pass for each in _passed(index, step))
    return next((each for each in found if each.target == target), None)


def _at(index: TraceIndex, step: Step, before: Changeable) -> Iterator[Candidate]:
    match step:
        case ForwardStep():
            given = {item.tensor for item in step.inputs}
            yield from (each for each in _before(index, before) if each.tensor in given)
            for node in step.nodes:
                yield from _saved(index, node)
        case NodeStep():
            for position, item in enumerate(step.incoming):
                yield from _alone(_arriving(index, step, position), item.tensor)
            yield from _saved(index, step.node)
            yield from _passed(index, step)
        case AccumulateStep():
            yield from _alone(_arriving(index, step, 0), step.contribution.tensor)
            variable = index.node[step.node].variable
            yield from (each for each in _before(index, before) if each.tensor == variable)


def _before(index: TraceIndex, before: Changeable) -> list[Candidate]:
    """Arguments of the call, found among leaves and in the first steps, and parameters."""
    found: dict[str, int] = {}
    names = set(before.arguments) - {""}
    # The first tensor is kept, because the same name can stand for another one later in the run.
    for node in index.trace.nodes:
        if node.variable is not None and node.variable_name in names:
            found.setdefault(node.variable_name, node.variable)
    for step in index.trace.steps[:_MOST_STEPS]:
        for item in getattr(step, "inputs", ()):
            if item.tensor is not None and item.name in names:
                found.setdefault(item.name, item.tensor)
    arguments = [
        Candidate(target=InputTarget(position=at, name=name), tensor=found[name])
        for at, name in enumerate(before.arguments)
        if name in found
    ]
    return [*arguments, *_parameters(index, before)]


def _parameters(index: TraceIndex, before: Changeable) -> Iterator[Candidate]:
    """Named leaves that are not arguments, if the run calls a module."""
    for node in index.trace.nodes if before.parameters else ():
        if node.variable is not None and node.variable_name not in ("", *before.arguments):
            target = ParameterTarget(name=node.variable_name)
            yield Candidate(target=target, tensor=node.variable)


def _saved(index: TraceIndex, node: int) -> Iterator[Candidate]:
    for at, slot in enumerate(index.saved.get(node, ())):
        if slot.item.tensor is not None:
            target = SavedTarget(
                saved=slot.id,
                node=node,
                node_name=index.node[node].name,
                slot=at,
                name=slot.item.name,
            )
            yield Candidate(target=target, tensor=slot.item.tensor)


def _passed(index: TraceIndex, step: NodeStep) -> Iterator[Candidate]:
    for each in step.passed:
        if each.edge is not None and each.item.tensor is not None:
            target = _gradient(index, step.pass_id, index.edge[each.edge])
            yield Candidate(target=target, tensor=each.item.tensor)


def _alone(arriving: list[Candidate], tensor: int | None) -> list[Candidate]:
    """The gradient that a node receives, if it arrived along a single edge."""
    return arriving if len(arriving) == 1 and arriving[0].tensor == tensor else []


def _summands(index: TraceIndex, step: Step | None, tensor: int) -> Iterator[Candidate]:
    """The gradients whose sum a node receives."""
    if isinstance(step, AccumulateStep) and step.contribution.tensor == tensor:
        yield from _arriving(index, step, 0)
    elif isinstance(step, NodeStep):
        for position, item in enumerate(step.incoming):
            if item.tensor == tensor:
                yield from _arriving(index, step, position)


def _arriving(index: TraceIndex, step: NodeStep | AccumulateStep, position: int) -> list[Candidate]:
    """The gradients that flowed to one input of a node in the pass of a step."""
    found = []
    for edge in index.arriving.get(step.node, ()):
        for flow in index.flows.get(edge.id, ()) if edge.target_slot == position else ():
            sent = step_at(index, flow.step)
            is_sent = sent is not None and sent.pass_id == step.pass_id
            if is_sent and flow.item.tensor is not None and flow.step < step.number:
                target = _gradient(index, step.pass_id, edge)
                found.append(Candidate(target=target, tensor=flow.item.tensor))
    return found


def _gradient(index: TraceIndex, pass_id: int, edge: Edge) -> GradientTarget:
    return GradientTarget(
        pass_id=pass_id,
        edge=edge.id,
        source_name=index.node[edge.source].name,
        target_name=index.node[edge.target].name,
        leaf=index.node[edge.target].variable_name,
    )
