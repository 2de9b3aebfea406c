"""How many bytes are saved for a pass, compared with the storages that torch saves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from gradviz.analysis.memory.saved_memory import SavedMemory, by_module, freed_at, saved_memory
from gradviz.document.pass_pages import memory_document
from gradviz.model.step import NodeStep
from gradviz.text.saved_memory import memory_rules, memory_words, module_title
from tests.recorder.recorded_run import RecordedRun, record_run


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x


def saved_bytes(compute: Callable[[], object], leaves: set[int]) -> int:
    """Bytes of all storages that are saved, without those of the leaves."""
    storages: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda each: each):
        kept = compute()
    del kept
    return sum(each.nbytes() for at, each in storages.items() if at not in leaves)


def measured(run: RecordedRun, at: int = 0) -> SavedMemory:
    memory = saved_memory(run.index, run.index.passes[at])
    assert memory is not None
    return memory


def test_bytes_are_those_of_the_storages_that_torch_saves(tmp_path: Path) -> None:
    model, x = Net(), torch.randn(5, 8)
    leaves = {each.untyped_storage().data_ptr() for each in model.parameters()}
    run = record_run(tmp_path, lambda: model(x).square().sum().backward())
    memory = measured(run)
    assert memory.size == saved_bytes(lambda: model(x).square().sum(), leaves)
    # The transposed weights, but neither biases nor the weight whose input needs no gradient.
    assert memory.leaves == 5 * 8 * 16 * 4
    modules = by_module(run.index, memory.nodes)
    assert sum(each.size for each in modules) == memory.size
    assert [each.size for each in modules] == sorted((e.size for e in modules), reverse=True)


def test_equal_modules_are_one_row_with_their_nodes_below(tmp_path: Path) -> None:
    model, x = Net(), torch.randn(5, 8)
    run = record_run(tmp_path, lambda: model(x).square().sum().backward())
    memory = measured(run)
    titles = [module_title(each) for each in by_module(run.index, memory.nodes)]
    assert titles == [
        "blocks.* (3 × Block)",
        "blocks.*.up (3 × Linear)",
        "outside of modules",
        "blocks.*.down (3 × Linear)",
    ]
    document = memory_document(run.index, memory)
    # Each relu saves its result, and the Linear after it saves the same memory again.
    assert document.row("blocks.* (3 × Block)").texts[1] == "960 B"
    assert document.row("blocks.*.down (3 × Linear)").texts[1] == "0 B"
    below = document.below["blocks.* (3 × Block)"]
    assert [document.row(key).texts[0] for key in below] == [
        f"ReluBackward0 (blocks.{number})" for number in range(3)
    ]
    assert memory_words(run.index, memory).startswith("Saved for backward: 1.56 KiB.")
    assert "(2.5 KiB), but exist anyway" in memory_rules(memory)


def test_views_of_one_memory_count_once(tmp_path: Path) -> None:
    x = torch.randn(6, 4, requires_grad=True)

    def run_views() -> None:
        y = x.clone()
        first, last = y[:4], y[2:]
        (first.exp().sum() + first.square().sum() + last.square().sum()).backward()

    run = record_run(tmp_path, run_views)
    # All of y once, and the result of exp, which saves no argument.
    assert measured(run).size == 6 * 4 * 4 + 4 * 4 * 4


def test_leaves_do_not_count_when_data_gives_them_another_memory(tmp_path: Path) -> None:
    w = torch.ones(4, 4, requires_grad=True)

    def train() -> None:
        for _ in range(2):
            (w @ w).square().sum().backward()
            w.data = w.data - 0.1

    run = record_run(tmp_path, train)
    assert [measured(run, at).leaves for at in (0, 1)] == [64, 64]


@pytest.mark.parametrize("retain", [False, True])
def test_a_pass_frees_what_it_has_used_unless_it_retains_the_graph(
    tmp_path: Path, retain: bool
) -> None:
    x = torch.ones(3, requires_grad=True)
    run = record_run(tmp_path, lambda: x.exp().sum().backward(retain_graph=retain))
    step = run.named(NodeStep, "ExpBackward0")
    last = len(run.trace.steps)
    assert freed_at(run.index, step.node, step.number) is None
    assert freed_at(run.index, step.node, last) == (None if retain else step.number)
    texts = memory_document(run.index, measured(run)).row("outside of modules").texts
    assert texts[2] == ("kept" if retain else f"step {step.number}")


def test_a_second_pass_finds_nothing_saved(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)

    def run_twice() -> None:
        y = x.exp()
        y.sum().backward()
        y.sum().backward()

    run = record_run(tmp_path, run_twice, raises=True)
    assert measured(run).size == 12
    assert saved_memory(run.index, run.index.passes[1]) is None
