"""Memory versions in real runs: what created each, and what was saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch.autograd import Function

from gradviz.analysis.index.trace_index import TraceIndex, WrittenStorages, index_trace
from gradviz.analysis.memory.memory_versions import VersionHistory, version_history
from gradviz.analysis.memory.memory_writes import memory_writes
from gradviz.analysis.memory.saved_conflicts import conflicts_of_error
from gradviz.analysis.memory.stale_tensors import changed_since
from gradviz.model.graph import SavedSlot
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep
from gradviz.store.reader import open_trace
from gradviz.text.memory_versions import version_sentence
from gradviz.text.saved_conflicts import conflict_sentence
from tests.recorder.recorded_run import record_run


class Keep(Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (a,) = ctx.saved_tensors
        return 2 * a * grad


class Triple(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 3


class TripleUnseen(Triple):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        x.detach().numpy()[:] *= 3
        return x


def recorded(path: Path, code: Callable[[], Any], **options: Any) -> TraceIndex:
    record_run(path, code, **{"level": "ops", **options})
    with open_trace(path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        return index_trace(trace, values.get)


def history(index: TraceIndex, tensor: int | None) -> VersionHistory:
    assert tensor is not None
    found = version_history(index, tensor)
    assert found is not None
    return found


def forward(index: TraceIndex, op: str) -> ForwardStep:
    return next(
        each for each in index.trace.steps if isinstance(each, ForwardStep) and each.op == op
    )


def slot_of(index: TraceIndex, op: str) -> SavedSlot:
    node = forward(index, op).node
    assert node is not None
    return index.saved[node][0]


def values(index: TraceIndex, found: VersionHistory) -> list[Any]:
    shown = [index.value(each.tensor) for each in found.versions]
    return [None if each is None else each.array().tolist() for each in shown]


def test_a_change_in_a_forward_that_is_declared(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        Triple.apply(x * 1)

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "Triple").outputs[0].tensor)
    assert [each.how for each in found.versions] == ["made", "op", "dirty"]
    assert [each.name for each in found.versions] == ["aten::mul", "aten::mul_", "Triple"]
    # Torch counts the op, and mark_dirty once more.
    assert [each.counter for each in found.versions] == [0, 1, 2]
    assert values(index, found) == [[1.0, 2.0], [3.0, 6.0], [3.0, 6.0]]
    assert "mark_dirty" in version_sentence(index, found.versions[2])


def test_without_ops_the_call_is_reported(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * 1).add_(1)

    index = recorded(tmp_path, code, level="nodes")
    found = history(index, forward(index, "add_").outputs[0].tensor)
    assert [(each.how, each.name, each.counter) for each in found.versions] == [
        ("made", "mul", 0),
        ("call", "add_", 1),
    ]


def test_torchs_error_on_a_changed_value_is_explained(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1
        z = Keep.apply(y)
        y.add_(1)
        z.sum().backward()

    index = recorded(tmp_path, code, raises=True)
    error = index.trace.steps[-1]
    assert isinstance(error, ErrorStep)
    assert "is at version 1; expected version 0" in error.message
    (clash,) = conflicts_of_error(index, error)
    assert clash.write is not None
    assert (clash.write.name, clash.slot.item.name) == ("aten::add_", "a")
    sentence = conflict_sentence(index, clash)
    assert sentence.startswith("`y.add_(1)`, line ")
    assert ", overwrote a, which Keep (line " in sentence


def test_other_errors_have_no_such_explanation(tmp_path: Path) -> None:
    def code() -> None:
        torch.ones(2, requires_grad=True).mul(2).sum().backward()
        raise ValueError("modified")

    index = recorded(tmp_path, code, raises=True)
    error = index.trace.steps[-1]
    assert isinstance(error, ErrorStep)
    assert conflicts_of_error(index, error) == ()


def test_changes_that_the_counter_does_not_see(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1
        z = Keep.apply(y)
        y.data.mul_(2)
        w = Keep.apply(y)
        y.detach().numpy()[0] = 7.0
        (z + w).sum().backward()

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "Keep").inputs[0].tensor)
    assert values(index, found) == [[1.0, 2.0], [2.0, 4.0], [7.0, 4.0]]
    assert [each.counted for each in found.versions] == [True, False, False]
    assert [[each.node for each in version.saves] for version in found.versions][2] == []
    assert len(found.versions[0].saves) == len(found.versions[1].saves) == 1
    assert "torch's version counter did not" in version_sentence(index, found.versions[1])


def test_a_detached_copy_shares_the_counter(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1
        Keep.apply(y)
        y.detach().mul_(2)
        y + 1

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "Keep").inputs[0].tensor)
    assert values(index, found) == [[1.0, 2.0], [2.0, 4.0]]
    assert [each.counter for each in found.versions] == [0, 1]
    assert [each.counted for each in found.versions] == [True, True]


def test_versions_of_what_was_not_kept_whole(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x * 1
        Keep.apply(y)
        y.data.mul_(2)
        y + 1

    index = recorded(tmp_path, code, whole_elements=2, budget_bytes=0)
    found = history(index, forward(index, "Keep").inputs[0].tensor)
    assert [each.counted for each in found.versions] == [True, False]


def test_gradients_that_add_up(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(3):
            (x * 2).sum().backward()

    index = recorded(tmp_path, code)
    total = next(each for each in index.trace.steps if isinstance(each, AccumulateStep)).total
    found = history(index, total.tensor)
    assert values(index, found) == [[2.0, 2.0], [4.0, 4.0], [6.0, 6.0]]
    assert [each.name for each in found.versions][1:] == ["aten::add_"] * 2


def test_without_ops_the_engine_is_named_as_adding(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(2):
            (x * 2).sum().backward()

    index = recorded(tmp_path, code, level="nodes")
    total = next(each for each in index.trace.steps if isinstance(each, AccumulateStep)).total
    found = history(index, total.tensor)
    assert found.versions[-1].how == "accumulate"
    assert version_sentence(index, found.versions[-1]).startswith("The engine adds a gradient")


def test_updates_between_passes(tmp_path: Path) -> None:
    def code() -> None:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.5)
        for _ in range(2):
            optimizer.zero_grad()
            (w * 2).sum().backward()
            optimizer.step()
        w * 1

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "mul").inputs[0].tensor)
    assert values(index, found) == [[1.0, 2.0], [0.0, 1.0], [-1.0, 0.0]]
    assert [each.how for each in found.versions] == ["given", "optimizer", "optimizer"]
    assert [each.counted for each in found.versions] == [True, True, True]


def test_views_share_one_history(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        y = x * 1
        y[0].mul_(5)
        y * 1

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "mul").outputs[0].tensor)
    assert any(each.name == "aten::mul_" for each in found.versions)
    assert found.versions[-1].counter == 1
    assert values(index, found)[-1] in ([[5.0, 10.0], [3.0, 4.0]], [5.0, 10.0])


def test_the_present_version_follows_the_step(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1
        Keep.apply(y)
        y.add_(1)

    index = recorded(tmp_path, code)
    found = history(index, forward(index, "Keep").inputs[0].tensor)
    assert [found.at(number) for number in (1, 2, 3)] == [0, 0, 1]
    saved = forward(index, "Keep").inputs[0].tensor
    assert saved is not None
    assert found.of(saved) == 0


def test_a_saved_value_is_known_to_be_changed_from_the_change_on(tmp_path: Path) -> None:
    def code() -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1
        z = Keep.apply(y)
        w = z * 2
        y.data.mul_(2)
        (w + y).sum()

    index = recorded(tmp_path, code)
    saved = slot_of(index, "Keep")
    assert [changed_since(index, saved, number) for number in (1, 2, 3, 4, 5)] == [
        *(False, False, False),
        *(True, True),
    ]


class EveryStep(WrittenStorages):
    """Leaves no step out."""

    def steps_of(self, storage: int, cancelled: Callable[[], bool] = bool) -> Sequence[int]:
        return range(1, len(self._steps) + 1)


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_all_writes_are_found_in_the_few_steps_that_may_write(tmp_path: Path, level: str) -> None:
    def code() -> None:
        w = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.5)
        for _ in range(2):
            y = TripleUnseen.apply(w * 2)
            y[:1].mul_(2)
            w.sin().sum().backward()
            y.sum().backward()
            optimizer.step()

    index = recorded(tmp_path, code, level=level)
    every = EveryStep(index.trace.steps, index.steps, index.tensors, index.call, index.inside)
    kinds, few = set(), 0
    for storage in set(index.tensors.storages.tolist()) - {0}:
        found = memory_writes(index, storage)
        assert found == memory_writes(replace(index, written=every), storage)
        kinds |= {each.kind for each in found}
        few += not index.written.steps_of(storage)
    by_level = {"op"} if level == "ops" else {"call", "accumulate"}
    assert kinds == {"dirty", "optimizer"} | by_level
    assert few > 2
