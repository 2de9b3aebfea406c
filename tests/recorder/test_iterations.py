"""Which passes and updates of real training loops belong to one iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.training.iteration_changes import iteration_changes
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import (
    Iteration,
    corresponding_step,
    iteration_at,
    iterations_of,
)
from gradviz.analysis.training.training_curves import training_of
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.model.step import OptimizerStep
from gradviz.store.reader import TraceReader, open_trace
from tests.recorder.recorded_run import record_run


def _net() -> tuple[nn.Linear, torch.optim.Optimizer]:
    net = nn.Linear(2, 1)
    return net, torch.optim.SGD(net.parameters(), lr=0.1)


def _loss(net: nn.Module) -> torch.Tensor:
    loss: torch.Tensor = net(torch.ones(1, 2)).square().sum()
    return loss


def plain() -> None:
    net, optimizer = _net()
    for _ in range(3):
        optimizer.zero_grad()
        _loss(net).backward()
        optimizer.step()


def accumulated() -> None:
    net, optimizer = _net()
    for _ in range(2):
        optimizer.zero_grad()
        for _ in range(3):
            _loss(net).backward()
        optimizer.step()


def cleared_to_zeros(set_to_none: bool = False) -> None:
    net, optimizer = _net()
    for number in range(4):
        optimizer.zero_grad(set_to_none=set_to_none)
        _loss(net).backward()
        if number != 1:
            optimizer.step()


def skipped() -> None:
    cleared_to_zeros(set_to_none=True)


def taking_turns() -> None:
    (critic, of_critic), (actor, of_actor) = _net(), _net()
    for _ in range(2):
        of_critic.zero_grad()
        _loss(critic).backward()
        of_critic.step()
        of_actor.zero_grad()
        (_loss(actor) + _loss(critic)).backward()
        of_actor.step()


def critic_twice() -> None:
    (critic, of_critic), (actor, of_actor) = _net(), _net()
    for _ in range(2):
        for net, optimizer in ((critic, of_critic),) * 2 + ((actor, of_actor),):
            optimizer.zero_grad()
            _loss(net).backward()
            optimizer.step()


def one_after_the_other() -> None:
    for net, optimizer in (_net(), _net()):
        for _ in range(2):
            optimizer.zero_grad()
            _loss(net).backward()
            optimizer.step()


def closures() -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=2)

    def closure() -> float:
        optimizer.zero_grad()
        loss = _loss(net)
        loss.backward()
        return loss.item()

    for _ in range(2):
        optimizer.step(closure)


def two_losses() -> None:
    net, optimizer = _net()
    for _ in range(2):
        optimizer.zero_grad()
        _loss(net).backward()
        net.bias.abs().sum().backward()
        optimizer.step()


def by_hand() -> None:
    weight = torch.ones(2, requires_grad=True)
    for _ in range(3):
        weight.square().sum().backward()
        with torch.no_grad():
            assert weight.grad is not None
            weight -= 0.1 * weight.grad
        weight.grad = None


def validated() -> None:
    net, optimizer = _net()
    for _ in range(2):
        optimizer.zero_grad()
        _loss(net).backward()
        optimizer.step()
        _loss(net)


def _index(folder: Path, run: Callable[[], None]) -> TraceIndex:
    torch.manual_seed(0)
    record_run(folder, run)
    reader = open_trace(folder / "run.gradviz")
    _opened.append(reader)
    return index_reader(reader)


_opened: list[TraceReader] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


@pytest.mark.parametrize(
    ("run", "passes", "updates"),
    [
        (plain, [1, 1, 1], [1, 1, 1]),
        (accumulated, [3, 3], [1, 1]),
        (cleared_to_zeros, [1, 1, 1, 1], [1, 0, 1, 1]),
        (skipped, [1, 1, 1, 1], [1, 0, 1, 1]),
        (taking_turns, [2, 2], [2, 2]),
        (critic_twice, [3, 3], [3, 3]),
        (one_after_the_other, [1, 1, 1, 1], [1, 1, 1, 1]),
        (closures, [2, 2], [1, 1]),
        (two_losses, [2, 2], [1, 1]),
        (by_hand, [1, 1, 1], [0, 0, 0]),
        (validated, [1, 1], [1, 1]),
    ],
)
def test_iterations_are_those_of_the_loop(
    tmp_path: Path, run: Callable[[], None], passes: list[int], updates: list[int]
) -> None:
    index = _index(tmp_path, run)
    found = iterations_of(index)
    assert [len(each.passes) for each in found] == passes
    assert [len(each.updates) for each in found] == updates
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    steps = [step for each in found for step in range(each.first, each.last + 1)]
    assert steps == list(range(1, len(index.trace.steps) + 1))
    assert all(iteration_at(found, step) is each for each in found for step in (each.first,))


def test_a_validation_belongs_to_the_iteration_before_it(tmp_path: Path) -> None:
    first, last = iterations_of(_index(tmp_path, validated))
    assert first.last == first.updates[0] + 3
    assert last.last > last.updates[0]


def test_a_run_without_repetition_has_no_iterations(tmp_path: Path) -> None:
    index = _index(tmp_path, lambda: _loss(nn.Linear(2, 1)).backward())
    assert iterations_of(index) == ()
    assert iteration_at((), 1) is None


def _drawn(index: TraceIndex, iteration: Iteration) -> DrawnGraph:
    drawn = drawn_graph(index_of_iteration(index, iteration))
    assert isinstance(drawn, DrawnGraph)
    return drawn


@pytest.mark.parametrize("run", [plain, accumulated, taking_turns, closures, validated])
def test_the_graphs_of_equal_iterations_are_alike_and_separate(
    tmp_path: Path, run: Callable[[], None]
) -> None:
    index = _index(tmp_path, run)
    first, second, *_ = iterations_of(index)
    one, other = _drawn(index, first), _drawn(index, second)
    assert [card.kind for card in one.nodes] == [card.kind for card in other.nodes]
    assert len(one.edges) == len(other.edges)
    shared = {node for card in one.nodes for node in card.nodes} & {
        node for card in other.nodes for node in card.nodes
    }
    assert {index.node[node].kind for node in shared} <= {"accumulate"}
    executed = {int(node) for node in index.steps.nodes[first.first - 1 : first.last]} - {0}
    assert executed <= {node for card in one.nodes for node in card.nodes}


def test_a_step_corresponds_to_the_one_at_its_place(tmp_path: Path) -> None:
    first, second, _ = iterations_of(_index(tmp_path, plain))
    for step in range(first.first, first.last + 1):
        there = corresponding_step(first, step, second)
        assert there in range(second.first, second.last + 1)
        assert corresponding_step(second, there, first) == step


def with_dead_units() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with torch.no_grad():
        net[0].weight.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
        net[0].bias.zero_()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(4, 2)).sum().backward()
        optimizer.step()


def test_what_an_iteration_changed(tmp_path: Path) -> None:
    first, second = iterations_of(index := _index(tmp_path, with_dead_units))
    found = iteration_changes(index, second, first)
    bias = found.parameters[-1]
    assert (bias.name, bias.step, bias.gradient) == ("net.2.bias", second.updates[0], 4.0)
    # It decreases by 0.5 * 4 in each iteration.
    assert bias.apart == pytest.approx(2.0)
    value = index.value(_before(index, second, "net.2.bias"))
    assert value is not None
    assert bias.ratio == pytest.approx(2.0 / abs(float(value.array()[0])))
    assert {each.apart for each in iteration_changes(index, first, first).parameters} == {0.0}


def test_units_that_are_zero_for_the_whole_batch_are_dead(tmp_path: Path) -> None:
    first, second = iterations_of(index := _index(tmp_path, with_dead_units))
    (dead,) = iteration_changes(index, first, second).dead
    assert (dead.dead, dead.units) == (1, 3)
    assert dead.step in first


def _before(index: TraceIndex, iteration: Iteration, name: str) -> int:
    step = index.trace.steps[iteration.updates[0] - 1]
    assert isinstance(step, OptimizerStep)
    (number,) = (item.tensor for item in step.before if item.name == name)
    assert number is not None
    return number


def several_losses() -> None:
    net, optimizer = _net()
    real, fake = torch.ones(1, 2), torch.zeros(1, 2)
    for _ in range(3):
        optimizer.zero_grad()
        (net(real) - 1).square().sum().backward()
        net(fake).square().sum().backward()
        optimizer.step()


def test_losses_without_a_name_are_told_apart_by_the_line_of_their_pass(tmp_path: Path) -> None:
    training = training_of(_index(tmp_path, several_losses))
    assert training is not None
    first = several_losses.__code__.co_firstlineno + 5
    assert [each.name for each in training.losses] == [
        f"loss (line {first})",
        f"loss (line {first + 1})",
    ]
    assert [[point.at for point in each.points] for each in training.losses] == 2 * [
        [1.0, 2.0, 3.0]
    ]
