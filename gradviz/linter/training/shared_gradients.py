"""Gradients that a hook changes in place although other nodes get the same tensor."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.text.sentences.values import some_of_list

_Receiver = NodeStep | AccumulateStep


def find_changed_shared_gradients(run: TrainingSteps) -> Iterator[LearningProblem]:
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
            yield LearningProblem(
                code="shared_gradient_changed",
                severity="error",
                message=say(
                    "finding.shared_gradient_changed",
                    line=finding.location.line,
                    sender=sender,
                    others=some_of_list(names),
                ),
                step=step.number,
                location=finding.location,
                node=step.node,
            )
            return


def _others(
    run: TrainingSteps, step: _Receiver, receivers: dict[tuple[int, int], _Receiver]
) -> Iterator[tuple[str, list[str]]]:
    """The senders of gradients that were changed in place, and who gets those tensors later."""
    items = step.incoming if isinstance(step, NodeStep) else (step.contribution,)
    arrived = {_memory(run, each): each.tensor for each in items}
    for edge in run.index.arriving.get(step.node, ()):
        sender = run.executions.get((step.pass_id, edge.source))
        passed = {} if sender is None else {each.edge: each.item for each in sender.passed}
        mine = passed.get(edge.id)
        memory = None if mine is None else _memory(run, mine)
        if mine is None or memory is None or arrived.get(memory, mine.tensor) == mine.tensor:
            continue
        names = []
        for other in run.index.leaving.get(edge.source, ()):
            gets = receivers.get((step.pass_id, other.target))
            item = None if other.id == edge.id else passed.get(other.id)
            is_later = gets is not None and gets.number > step.number
            if is_later and item is not None and _memory(run, item) == memory:
                node = run.index.node[other.target]
                names.append(node.variable_name or node.name)
        if names:
            yield run.index.node[edge.source].name, names


def _memory(run: TrainingSteps, item: Item) -> int | None:
    return None if item.tensor is None else run.index.tensor.bare(item.tensor).storage
