"""An exception of torch that ends a run is explained: what has led to it, where, and what helps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from gradviz.analysis.history_cuts import history_ends
from gradviz.drawing.content.plain_text import label_text
from tests.drawing.graphs import drawn
from tests.recorder.found_findings import found_in, leaf, line_of
from tests.recorder.recorded_run import record_run


def cut_by_detach() -> None:
    weight = leaf(3)
    scores = (weight * 2).detach()  # cause
    loss = scores.sum()
    loss.backward()


def cut_by_argmax() -> None:
    logits = leaf(3) * 2
    best = logits.argmax()  # cause
    loss = best.double()
    loss.backward()


def cut_by_comparison() -> None:
    threshold, data = leaf(3), torch.arange(3.0)
    mask = data > threshold  # cause
    loss = mask.float().sum()
    loss.backward()


def cut_by_no_grad() -> None:
    layer = nn.Linear(3, 1)
    with torch.no_grad():
        out = layer(torch.ones(2, 3))  # cause
    loss = out.sum()
    loss.backward()


def cut_by_new_tensor() -> None:
    losses = [leaf(3).sum(), leaf(3).exp().sum()]
    loss = torch.tensor(losses).sum()  # cause
    loss.backward()


def cut_by_numbers() -> None:
    value = leaf(3).sum().item()
    loss = torch.tensor(value * 2)  # cause
    loss.backward()


def cut_by_numpy() -> None:
    values = np.exp((leaf(3) * 2).detach().numpy())  # cause
    loss = torch.from_numpy(values).sum()
    loss.backward()


def cut_by_first_derivative() -> None:
    point = leaf(3)
    (slope,) = torch.autograd.grad(point.exp().sum(), point)  # cause
    penalty = (slope.norm() - 1).square()
    penalty.backward()


class DetachedSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        slope: torch.Tensor = 2 * x.detach()
        return grad_outputs[0] * slope


def cut_by_backward() -> None:
    data = leaf(3)
    square: Any = DetachedSquare.apply
    loss = square(data).sum()
    (slope,) = torch.autograd.grad(loss, data, create_graph=True)  # cause
    slope.sum().backward()


def nothing_requires_grad() -> None:
    layer = nn.Linear(3, 1).requires_grad_(requires_grad=False)
    loss = layer(torch.ones(2, 3)).sum()
    assert np.isfinite(loss.item())
    loss.backward()  # cause


def many_numbers() -> None:
    errors = leaf(3).square()
    errors.backward()  # cause


def complex_loss() -> None:
    loss = (leaf(3) * 1j).sum()
    loss.backward()  # cause


def result_in_optimizer() -> None:
    w = leaf(3) * 0.1
    torch.optim.SGD([w], lr=0.1)  # cause


def empty_parameters() -> None:
    params = nn.Linear(3, 1).parameters()
    assert sum(each.numel() for each in params) == 4
    leaf(1).sum().backward()
    torch.optim.SGD(params, lr=0.1)  # cause


def inference() -> None:
    backbone, head = nn.Linear(3, 3), nn.Linear(3, 1)
    with torch.inference_mode():
        features = backbone(torch.ones(2, 3))  # cause
    head(features).sum().backward()


def leaf_in_place() -> None:
    weight = leaf(3)
    weight.square().sum().backward()
    assert weight.grad is not None
    weight.sub_(weight.grad)  # cause


def part_of_parameter() -> None:
    layer = nn.Linear(3, 3)
    layer.weight[0] = 0.0  # cause


class Keeps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.features = torch.zeros(1)

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        self.features = self.body(data)
        return self.features.sum()


def copy_of_model() -> None:
    model = Keeps()
    model(torch.ones(1, 2))
    copy.deepcopy(model)  # cause


def copy_of_weight_norm() -> None:
    layer = nn.utils.weight_norm(nn.Linear(3, 2))
    copy.deepcopy(layer)  # cause


def not_used() -> None:
    data, weight = torch.ones(3), leaf(3)
    loss = (weight * data).sum()
    data.requires_grad_()
    torch.autograd.grad(loss, data)  # cause


def not_requiring() -> None:
    data, weight = torch.ones(3), leaf(3)
    torch.autograd.grad((weight * data).sum(), data)  # cause


def other_shape_from_hook() -> None:
    def clip(grad: torch.Tensor) -> torch.Tensor:  # cause
        return grad[:1]

    result = leaf(3) * 2
    result.register_hook(clip)
    result.sum().backward()


def other_recomputation() -> None:
    calls: list[int] = []

    def block(data: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return data.sin().exp() if len(calls) == 1 else data.sin()

    checkpoint(block, leaf(3), use_reentrant=False).sum().backward()  # cause


def hooked_in_place() -> None:
    def look(module: nn.Module, _inputs: object, _outputs: object) -> None:  # cause
        assert isinstance(module, nn.Linear)

    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(look)
    net(torch.ones(1, 2)).sum().backward()


class Lookup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(4, 2, sparse=True), nn.Linear(2, 1)

    def learn(self) -> None:
        self.head(self.table(torch.tensor([1]))).sum().backward()


def sparse_gradient() -> None:
    model = Lookup()
    optimizer = torch.optim.Adam(model.parameters())
    model.learn()
    optimizer.step()  # cause


def dense_gradient() -> None:
    model = Lookup()
    optimizer = torch.optim.SparseAdam(model.parameters())
    model.learn()
    optimizer.step()  # cause


def decayed_sparse_gradient() -> None:
    model = Lookup()
    optimizer = torch.optim.Adagrad(model.parameters(), weight_decay=0.1)
    model.learn()
    optimizer.step()  # cause


def expanded_gradient() -> None:
    def clip(gradient: torch.Tensor) -> None:
        gradient.clamp_(max=0.5)  # cause

    result = leaf(3) * 2
    result.register_hook(clip)
    result.sum().backward()


EXPLAINED: dict[Callable[[], None], tuple[str, tuple[str, ...]]] = {
    cut_by_detach: ("no_history", ("start at loss", "detach", "Leave it out")),
    cut_by_argmax: ("no_history", ("start at loss", "argmax(logits)", "softmax")),
    cut_by_comparison: ("no_history", ("a comparison (line", "sigmoid instead")),
    cut_by_no_grad: ("no_history", ("linear", "outside of torch.no_grad()")),
    cut_by_new_tensor: (
        "no_history",
        ("torch.tensor (line", "torch.stack"),
    ),
    cut_by_numbers: ("no_history", ("from Python numbers", "without item()")),
    cut_by_numpy: ("no_history", ("numpy took values out of torch", "with torch instead")),
    cut_by_first_derivative: ("no_history", ("start at penalty", "create_graph=True")),
    cut_by_backward: ("no_history", ("in spite of create_graph=True", "a custom Function")),
    nothing_requires_grad: ("no_history", ("nothing that it is computed from", "requires_grad_()")),
    many_numbers: ("many_outputs", ("errors has 3 elements", "errors.sum()")),
    complex_loss: ("complex_output", ("loss is complex", "loss.abs()")),
    result_in_optimizer: ("gradient_not_kept", ("w is not a leaf", "MulBackward0")),
    empty_parameters: ("generator_used_up", ("no parameters", "make it a list")),
    inference: ("inference_tensor", ("features was computed", "features.clone()")),
    leaf_in_place: ("leaf_changed_in_place", ("sub_", "changes weight in place", "no_grad()")),
    part_of_parameter: ("leaf_changed_in_place", ("parameter layer.weight", "no_grad()")),
    copy_of_model: ("copy_of_result", ("comes to model.features", "features.detach()")),
    copy_of_weight_norm: ("copy_of_result", ("to layer.weight", "parametrizations.weight_norm")),
    not_used: ("input_unused", ("loss was not computed from data", "allow_unused=True")),
    not_requiring: ("input_without_grad", ("data does not require", "data.requires_grad_()")),
    other_shape_from_hook: ("hook_result", ("Hook clip", "same shape")),
    other_recomputation: ("recomputed_differently", ("saved 2 tensors then and 1 now",)),
    sparse_gradient: ("sparse_refused", ("Adam can't use", "table.weight", "SparseAdam")),
    dense_gradient: ("sparse_refused", ("only sparse gradients", "head.weight is dense")),
    decayed_sparse_gradient: ("sparse_refused", ("Adagrad", "weight_decay", "table.weight")),
    expanded_gradient: ("shared_gradient_changed", ("changes gradient in place", "3 elements")),
    hooked_in_place: ("hooked_output_changed", ("relu in net.1", "hook look", "inplace=False")),
}


@pytest.mark.filterwarnings("ignore:Converting a tensor", "ignore:.*weight_norm")
@pytest.mark.parametrize("program", EXPLAINED, ids=lambda each: each.__name__)
def test_the_cause_is_named_at_its_line(program: Callable[[], None], tmp_path: Path) -> None:
    code, words = EXPLAINED[program]
    recording = record_run(tmp_path, program, raises=True)
    (finding,) = [each for each in found_in(recording) if each.severity == "error"]
    assert finding.code == code
    assert finding.location is not None
    assert finding.location.line == line_of(program, "# cause")
    assert [each for each in words if each not in finding.message] == []
    assert finding.step == recording.trace.steps[-1].number


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize(
    ("program", "last"),
    [
        (cut_by_detach, "MulBackward0"),
        (cut_by_argmax, "MulBackward0"),
        (cut_by_numpy, "MulBackward0"),
        (cut_by_numbers, "SumBackward0"),
        (cut_by_new_tensor, "SumBackward0"),
    ],
)
def test_the_end_of_a_history_is_drawn_at_the_last_node_before_it(
    program: Callable[[], None], last: str, tmp_path: Path
) -> None:
    index = record_run(tmp_path, program, raises=True).index
    (cut,) = history_ends(index)
    assert index.node[cut.node].name == last
    assert cut.value.endswith("# cause")
    graph = drawn(index)
    (card,) = [each for each in graph.nodes if each.kind == "cut"]
    assert card.lines == (f"in line {line_of(program, '# cause')}", label_text(cut.value, 32))
    (edge,) = [each for each in graph.edges if each.kind == "cut"]
    assert (edge.source, edge.target) == (card.id, f"n{cut.node}")


def hidden_by_requires_grad() -> None:
    weight = leaf(3)
    for _ in range(2):
        scores = (weight * 2).detach()  # cause
        loss = scores.sum()
        loss.requires_grad_()
        loss.backward()


def hidden_by_new_tensor() -> None:
    losses = [leaf(3).sum(), leaf(3).exp().sum()]
    loss = torch.tensor(losses, requires_grad=True).sum()  # cause
    loss.backward()


HIDDEN = {
    hidden_by_requires_grad: ("starts at loss, a leaf", "no parameter gets", "detach (line"),
    hidden_by_new_tensor: ("takes only the numbers of losses", "torch.stack"),
}


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize("program", HIDDEN, ids=lambda each: each.__name__)
def test_a_missing_history_that_raises_no_error_is_found(
    program: Callable[[], None], tmp_path: Path
) -> None:
    (finding,) = found_in(record_run(tmp_path, program))
    assert finding.code == "history_hidden"
    assert finding.location is not None
    assert finding.location.line == line_of(program, "# cause")
    assert [each for each in HIDDEN[program] if each not in finding.message] == []


def several_ends() -> None:
    weight, mask = leaf(3), leaf(3) > 0
    fixed = (weight * 2).detach()
    loss = (fixed * mask).sum()
    loss.backward()


def test_all_ends_of_a_history_are_named(tmp_path: Path) -> None:
    (finding,) = found_in(record_run(tmp_path, several_ends, raises=True))
    assert f"a comparison (line {line_of(several_ends, 'mask = leaf')}" in finding.message
    assert f"detach (line {line_of(several_ends, 'fixed =')}" in finding.message


def seen_numbers() -> None:
    """What the program only looks at is not blamed."""
    layer = nn.Linear(3, 1)
    assert np.isfinite(layer(torch.ones(2, 3)).sum().item())
    frozen = nn.Linear(3, 1).requires_grad_(requires_grad=False)
    loss = frozen(torch.ones(2, 3)).sum()
    loss.backward()


def test_a_number_that_is_only_looked_at_is_not_blamed(tmp_path: Path) -> None:
    (finding,) = found_in(record_run(tmp_path, seen_numbers, raises=True))
    assert "item" not in finding.message
    assert "As far as recorded" in finding.message


def shapes_alone() -> None:
    weight = leaf(3)
    loss = torch.zeros_like(weight).sum()
    loss.backward()


def test_a_tensor_of_the_same_shape_does_not_depend_on_the_other(tmp_path: Path) -> None:
    (finding,) = found_in(record_run(tmp_path, shapes_alone, raises=True))
    assert "zeros_like" not in finding.message


def correct_training() -> None:
    start = torch.tensor(2.0, requires_grad=True)
    start.backward()
    assert torch.tensor([start.item(), 1.0], requires_grad=True).is_leaf
    layer, average = nn.Linear(3, 1), torch.zeros(())
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        out = layer(torch.ones(2, 3))
        loss = out.square().mean()
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * loss.detach()
        with torch.no_grad():
            assert out.argmax() >= 0
            assert (out > 0).float().mean().item() >= 0
            assert np.isfinite(average.numpy())


def own_refusal() -> None:
    """A message like torch's from the user's own code says nothing about autograd."""
    raise RuntimeError("grad can be implicitly created only for scalar outputs")


def test_correct_programs_are_not_accused(tmp_path: Path) -> None:
    assert found_in(record_run(tmp_path, correct_training)) == []


def test_an_exception_of_the_program_itself_is_not_explained(tmp_path: Path) -> None:
    assert found_in(record_run(tmp_path, own_refusal, raises=True)) == []


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.used, self.norm = nn.Linear(3, 3), nn.LayerNorm(3)

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.used(data)
        return result


def test_parameters_that_ddp_waits_for_are_named(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)

    def train() -> None:
        model = DistributedDataParallel(Unused())
        for _ in range(2):
            model(torch.ones(2, 3)).sum().backward()

    try:
        (finding,) = found_in(record_run(tmp_path, train, raises=True))
    finally:
        torch.distributed.destroy_process_group()
    assert finding.code == "parameters_unused"
    assert "of Unused got no gradient: norm.weight and norm.bias" in finding.message
    assert "find_unused_parameters=True" in finding.message
