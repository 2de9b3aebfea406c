"""Gradients that a hook changes in place although their memory is used more than once."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from gradviz.linter.training.source_search import parsed_file
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.text.sentences.values import some_of_list

_Receiver = NodeStep | AccumulateStep


@reported_once
def find_changed_shared_gradients(run: TrainingSteps) -> Problems:
    """Hooks that write to a gradient which its sender has passed along several edges."""
    hooked = {
        each.step: each for each in run.index.trace.findings if each.code == "gradient_hooked"
    }
    if not hooked:
        return
    receivers: dict[tuple[int, int], _Receiver] = {**run.executions}
    for leaf in run.leaves.values():
        receivers |= {(each.pass_id, each.node): each for each in leaf.accumulations}
    for step in receivers.values():
        finding = hooked.get(step.number)
        if finding is None or finding.location is None:
            continue
        for sender, names in _others(run, step, receivers):
            yield problem(
                "shared_gradient_changed",
                "error",
                step=step.number,
                location=finding.location,
                node=step.node,
                sender=sender,
                others=some_of_list(names),
            )


def _others(
    run: TrainingSteps, step: _Receiver, receivers: dict[tuple[int, int], _Receiver]
) -> Iterator[tuple[str, list[str]]]:
    """The senders of gradients that were changed in place, and who gets those tensors later."""
    items = step.incoming if isinstance(step, NodeStep) else (step.contribution,)
    arrived = {run.storage(each): each.tensor for each in items}
    for edge in run.index.arriving.get(step.node, ()):
        sender = run.executions.get((step.pass_id, edge.source))
        passed = {} if sender is None else {each.edge: each.item for each in sender.passed}
        mine = passed.get(edge.id)
        memory = None if mine is None else run.storage(mine)
        if mine is None or memory is None or arrived.get(memory, mine.tensor) == mine.tensor:
            continue
        names = []
        for other in run.index.leaving.get(edge.source, ()):
            gets = receivers.get((step.pass_id, other.target))
            item = None if other.id == edge.id else passed.get(other.id)
            is_later = gets is not None and gets.number > step.number
            if is_later and item is not None and run.storage(item) == memory:
                node = run.index.node[other.target]
                names.append(node.variable_name or node.name)
        if names:
            yield run.index.node[edge.source].name, names


@reported_once
def find_changed_expanded_gradients(run: TrainingSteps) -> Problems:
    """Hooks that write to an element of a gradient whose elements share their memory."""
    for finding in run.index.trace.findings:
        if finding.code != "gradient_hooked" or finding.node is None or finding.location is None:
            continue
        for edge in run.index.arriving.get(finding.node, ()):
            sender = _sender_before(run, edge.source, finding.step)
            items = () if sender is None else sender.passed
            count = max((_elements(run, e.item) for e in items if e.edge == edge.id), default=0)
            if count > 1 and _writes_to_elements(run, finding.location):
                yield problem(
                    "shared_gradient_changed.expanded",
                    "error",
                    step=finding.step or 0,
                    location=finding.location,
                    node=finding.node,
                    sender=run.index.node[edge.source].name,
                    count=count,
                )


def _sender_before(run: TrainingSteps, node: int, step: int | None) -> NodeStep | None:
    """The last time that a node ran before a step."""
    ran = [each for (_, source), each in run.executions.items() if source == node]
    return max(
        (each for each in ran if step is not None and each.number < step),
        key=lambda each: each.number,
        default=None,
    )


def _elements(run: TrainingSteps, item: Item) -> int:
    """How many elements of a gradient share one memory location; 0 if they do not."""
    known = None if item.tensor is None else run.index.tensor.bare(item.tensor)
    if known is None or not known.strides or any(known.strides):
        return 0
    return math.prod(known.shape)


def _writes_to_elements(run: TrainingSteps, location: Location) -> bool:
    """Whether the function at a line assigns to elements of its argument."""
    file = parsed_file(run.index, location)
    for each in () if file is None else file.functions:
        if each.lineno == location.line and each.args.args:
            name = each.args.args[-1].arg
            written = [part for part in ast.walk(each) if isinstance(part, ast.Subscript)]
            return any(
                isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == name
                for part in written
            )
    return False
