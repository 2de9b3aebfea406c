"""What can be changed at a step, at a node and for a tensor."""

from __future__ import annotations

from gradviz.analysis.compare.what_if_targets import (
    Changeable,
    candidate_for,
    candidates_at,
    candidates_of,
    candidates_of_node,
)
from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.model.what_if import GradientTarget, InputTarget, SavedTarget
from tests.builders import linear_trace

INDEX = index_trace(linear_trace())
BEFORE = Changeable(arguments=("input", "weight", "bias"))


def step_of(kind: type, node: int) -> int:
    steps = INDEX.trace.steps
    return next(step.number for step in steps if isinstance(step, kind) and step.node == node)


def test_of_a_forward_step_arguments_and_what_it_saves() -> None:
    found = candidates_at(INDEX, 1, BEFORE)
    targets = [each.target for each in found]
    inputs = [each for each in targets if isinstance(each, InputTarget)]
    assert inputs == [InputTarget(position=0, name="input"), InputTarget(position=1, name="weight")]
    saved = [each for each in targets if isinstance(each, SavedTarget)]
    assert [each.saved for each in saved] == [
        slot.id for slot in INDEX.trace.saved if slot.item.tensor is not None and slot.node == 1
    ]
    assert len(targets) == len(inputs) + len(saved)


def test_of_a_node_its_gradients_and_what_it_saves() -> None:
    node = next(each for each in INDEX.trace.nodes if each.kind == "custom")
    number = step_of(NodeStep, node.id)
    found = candidates_at(INDEX, number, BEFORE)
    edges = [each.target.edge for each in found if isinstance(each.target, GradientTarget)]
    arriving = [edge.id for edge in INDEX.arriving[node.id]]
    leaving = [
        each.edge
        for each in INDEX.trace.steps[number - 1].passed
        if each.edge is not None and each.item.tensor is not None
    ]
    assert edges == [*arriving, *leaving]
    of_node = {each.target for each in candidates_of_node(INDEX, node.id, BEFORE)}
    assert of_node == {
        each.target for each in found if getattr(each.target, "edge", None) not in arriving
    }


def test_of_a_leaf_the_argument_and_what_reaches_it() -> None:
    leaf = next(each for each in INDEX.trace.nodes if each.variable_name == "weight")
    found = candidates_at(INDEX, step_of(AccumulateStep, leaf.id), BEFORE)
    assert [type(each.target) for each in found] == [GradientTarget, InputTarget]
    assert found[1].tensor == leaf.variable


def test_behind_a_tensor() -> None:
    weight = next(each.variable for each in INDEX.trace.nodes if each.variable_name == "weight")
    assert weight is not None
    last = len(INDEX.trace.steps)
    kinds = {type(each.target) for each in candidates_of(INDEX, weight, last, BEFORE)}
    assert kinds == {InputTarget, SavedTarget}
    assert candidates_of(INDEX, weight, last, Changeable()) != ()
    assert candidates_of(INDEX, 99, last, BEFORE) == ()
    assert candidates_at(INDEX, 99, BEFORE) == ()


def test_again_in_another_run() -> None:
    steps = range(1, len(INDEX.trace.steps) + 1)
    found = {each.target: each for number in steps for each in candidates_at(INDEX, number, BEFORE)}
    assert len(found) > 4
    assert all(candidate_for(INDEX, target, BEFORE) == each for target, each in found.items())
    assert candidate_for(INDEX, InputTarget(position=0, name="other"), BEFORE) is None
