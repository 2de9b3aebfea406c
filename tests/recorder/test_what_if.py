"""A What If run equals the same change in the code, and the old run up to there, bitwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec import structs

from gradviz.analysis.compare.what_if_targets import Changeable, candidates_at, candidates_of
from gradviz.model.step import AccumulateStep, NodeStep, PassEndStep
from gradviz.model.tensor import TensorValue
from gradviz.model.what_if import (
    ChangeRecord,
    ChangeTarget,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.model.what_if_values import change_between, content_key
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.programs import Cube
from tests.recorder.recorded_run import RecordedRun, read, record_run

Code = Callable[[], Any]


def leaf(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    count = int(np.prod(shape))
    values = torch.arange(1, count + 1, dtype=torch.float64).reshape(shape) / 4
    return values.to(dtype).requires_grad_()


class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, b: Any = None) -> torch.Tensor:
        ctx.save_for_backward(x, w, b)
        return x @ w

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, w, _ = ctx.saved_tensors
        return grad @ w.t(), x.t() @ grad, None


def whole(recorded_run: RecordedRun, tensor: int | None) -> TensorValue:
    assert tensor is not None
    record = recorded_run.index.tensor[tensor]
    if record.dtype == "bfloat16":
        data = (recorded_run.values[tensor].astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    else:
        data = recorded_run.values[tensor].tobytes()
    return TensorValue(dtype=record.dtype, shape=record.shape, data=data)


def one(
    target: ChangeTarget, old: TensorValue, index: tuple[int, ...], number: float
) -> WhatIfChange:
    array = old.array().copy()
    array[index] = number
    data = array.tobytes()
    if old.dtype == "bfloat16":
        data = (array.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    found = change_between(target, old, TensorValue(dtype=old.dtype, shape=old.shape, data=data))
    assert found is not None
    return found


def saved_target(
    recorded_run: RecordedRun, node_name: str, name: str
) -> tuple[SavedTarget, TensorValue]:
    node = next(each for each in recorded_run.trace.nodes if each.name == node_name)
    slots = recorded_run.index.saved[node.id]
    at = next(at for at, slot in enumerate(slots) if slot.item.name == name)
    slot = slots[at]
    target = SavedTarget(saved=slot.id, node=node.id, node_name=node_name, slot=at, name=name)
    return target, whole(recorded_run, slot.item.tensor)


def gradient_target(
    recorded_run: RecordedRun, source: str, target: str, pass_id: int = 1
) -> tuple[GradientTarget, TensorValue]:
    for step in recorded_run.steps(NodeStep):
        for each in step.passed:
            edge = recorded_run.index.edge.get(each.edge or 0)
            names = edge and tuple(
                recorded_run.index.node[n].name for n in (edge.source, edge.target)
            )
            if edge and step.pass_id == pass_id and names == (source, target):
                found = GradientTarget(
                    pass_id=pass_id, edge=edge.id, source_name=source, target_name=target
                )
                return found, whole(recorded_run, each.item.tensor)
    raise AssertionError("no such edge")


def again(path: Path, code: Code, *changes: WhatIfChange, **options: Any) -> RecordedRun:
    folder = path / "again"
    folder.mkdir(exist_ok=True)
    (folder / "run.gradviz").unlink(missing_ok=True)
    return record_run(folder, code, changes=changes, **options)


def record_of(recorded_run: RecordedRun) -> ChangeRecord:
    (record,) = recorded_run.trace.changes
    return record


def facts(recorded_run: RecordedRun, number: int) -> list[Any]:
    """The facts of a step, with tensors as bits."""
    step = recorded_run.trace.steps[number - 1]
    names = ("incoming", "received", "returned", "inputs", "outputs", "results")
    items = [item for name in names for item in getattr(step, name, ())]
    items += [each.item for each in getattr(step, "passed", ())]
    items += [getattr(step, name) for name in ("contribution", "total") if hasattr(step, name)]
    told = [(item.name, item.kind, _bits(recorded_run, item.tensor)) for item in items]
    return [type(step).__name__, *told]


def _bits(recorded_run: RecordedRun, tensor: int | None) -> bytes:
    return (
        b""
        if tensor is None or tensor not in recorded_run.values
        else recorded_run.values[tensor].tobytes()
    )


def program(keep: dict[str, torch.Tensor]) -> Code:
    def code() -> None:
        x, w = leaf(2, 3), leaf(3, 2)
        keep.update(x=x, w=w)
        Matmul.apply(x, w).sum().backward()

    return code


def test_a_saved_value_of_a_custom_function(tmp_path: Path) -> None:
    keep: dict[str, torch.Tensor] = {}
    old = record_run(tmp_path, program(keep))
    target, value = saved_target(old, "MatmulBackward", "w")
    new = again(tmp_path, program(keep), one(target, value, (0, 1), -7.0))
    by_hand = leaf(3, 2).detach().clone()
    by_hand[0, 1] = -7.0
    assert torch.equal(keep["x"].grad, torch.ones(2, 2, dtype=torch.float64) @ by_hand.t())
    assert torch.equal(keep["w"].grad, leaf(2, 3).detach().t() @ torch.ones(2, 2).double())
    assert torch.equal(keep["w"].detach(), leaf(3, 2).detach())
    record = record_of(new)
    assert record.applied
    assert new.values[record.old].tolist() == leaf(3, 2).tolist()
    assert new.values[record.new].tolist() == by_hand.tolist()
    # What backward reads stands in the slot.
    assert new.trace.saved[1].item.tensor == record.new
    changed_at = new.named(NodeStep, "MatmulBackward").number
    for number in range(1, changed_at):
        assert facts(old, number) == facts(new, number)
    assert facts(old, changed_at) != facts(new, changed_at)
    (finding,) = [each for each in new.trace.findings if each.code == "what_if"]
    assert finding.message == (
        "Changed by What If: element [0, 1] of saved w of MatmulBackward = -7 instead of 0.5."
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.complex64])
def test_a_saved_value_of_torch_itself(tmp_path: Path, dtype: torch.dtype) -> None:
    keep: list[torch.Tensor] = []

    def code() -> None:
        x = leaf(3, dtype=dtype)
        keep.append(x)
        y = x.exp()
        y.backward(torch.ones_like(y))

    old = record_run(tmp_path, code)
    target, value = saved_target(old, "ExpBackward0", "result")
    new = again(tmp_path, code, one(target, value, (1,), 5.0))
    by_hand = leaf(3, dtype=dtype).detach().exp()
    by_hand[1] = 5
    assert torch.equal(keep[-1].grad, by_hand.conj())
    assert record_of(new).applied


def test_a_list_of_saved_values(tmp_path: Path) -> None:
    keep: list[torch.Tensor] = []

    def code() -> None:
        x = leaf(4)
        at = torch.tensor([1, 3])
        keep.append(x)
        x[at].sum().backward()

    old = record_run(tmp_path, code)
    name = next(slot.item.name for slot in old.trace.saved if "[" in slot.item.name)
    target, value = saved_target(old, "IndexBackward0", name)
    new = again(tmp_path, code, one(target, value, (0,), 0))
    assert record_of(new).applied
    assert keep[-1].grad.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("way", ["elements", "all", "fill", "scale"])
def test_a_gradient_on_an_edge(tmp_path: Path, way: str) -> None:
    keep: dict[str, torch.Tensor] = {}
    old = record_run(tmp_path, program(keep))
    target, value = gradient_target(old, "SumBackward0", "MatmulBackward")
    by_hand = torch.ones(2, 2, dtype=torch.float64)
    change = one(target, value, (1, 0), 3.0)
    if way == "elements":
        by_hand[1, 0] = 3.0
    elif way == "all":
        by_hand = torch.tensor([[1.0, 2.0], [3.0, float("nan")]], dtype=torch.float64)
    elif way == "fill":
        by_hand[:] = 0.1
    else:
        by_hand *= 2.5
    if way != "elements":
        bits = {"all": by_hand.numpy().tobytes(), "fill": np.array(0.1).tobytes(), "scale": b""}
        change = WhatIfChange(
            target=target, dtype="float64", shape=(2, 2), way=way, bits=bits[way].hex(), factor=2.5,
            seal=content_key(value),
        )  # fmt: skip
    new = again(tmp_path, program(keep), change)
    x_grad = by_hand @ leaf(3, 2).detach().t()
    w_grad = leaf(2, 3).detach().t() @ by_hand
    assert keep["x"].grad.numpy().tobytes() == x_grad.numpy().tobytes()
    assert keep["w"].grad.numpy().tobytes() == w_grad.numpy().tobytes()
    step = new.named(NodeStep, "SumBackward0")
    record = record_of(new)
    assert (record.applied, record.step) == (True, step.number)
    assert step.passed[0].item.tensor == record.new
    assert new.values[record.old].tolist() == [[1, 1], [1, 1]]
    for number in range(1, step.number):
        assert facts(old, number) == facts(new, number)
    codes = [finding.code for finding in new.trace.findings]
    assert codes == ["what_if"]


def test_a_gradient_into_a_leaf_and_only_in_its_pass(tmp_path: Path) -> None:
    keep: list[torch.Tensor] = []

    def code() -> None:
        x = leaf(2)
        keep.append(x)
        y = Cube.apply(x)[0].sum()
        y.backward(retain_graph=True)
        y.backward()

    old = record_run(tmp_path, code)
    target, value = gradient_target(old, "CubeBackward", "torch::autograd::AccumulateGrad", 2)
    new = again(tmp_path, code, one(target, value, (0,), 100.0))
    expected = 6 * leaf(2).detach() ** 2
    expected[0] = expected[0] / 2 + 100
    assert torch.equal(keep[-1].grad, expected)
    contributions = [new.of(step.contribution) for step in new.steps(AccumulateStep)]
    assert contributions[0] == old.of(old.steps(AccumulateStep)[0].contribution)
    assert contributions[1][0] == 100


def test_double_backward_goes_on_through_a_changed_gradient(tmp_path: Path) -> None:
    def code() -> torch.Tensor:
        x = leaf(2)
        (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum() * 1, x)
        return second

    old = record_run(tmp_path, code)
    target, value = gradient_target(old, "PowBackward0", "torch::autograd::AccumulateGrad")
    new = again(tmp_path, code, one(target, value, (0,), 9.0))
    # The element that was set is a constant; the other still depends on x.
    assert new.result.tolist() == [0.0, 6 * 0.5]
    first = new.steps(PassEndStep)[0]
    assert new.of(first.results[0])[0] == 9.0


def test_a_module_in_the_middle(tmp_path: Path) -> None:
    keep: list[torch.nn.Module] = []

    def code() -> None:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        keep.append(model)
        model(torch.ones(5, 3)).sum().backward()

    old = record_run(tmp_path, code)
    target, value = gradient_target(old, "AddmmBackward0", "ReluBackward0")
    changed = one(target, value, (2, 1), 4.0)
    again(tmp_path, code, changed)

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    hidden = model[1](model[0](torch.ones(5, 3)))

    def put(gradient: torch.Tensor) -> torch.Tensor:
        gradient = gradient.clone()
        gradient[2, 1] = 4.0
        return gradient

    hidden.register_hook(put)
    model[2](hidden).sum().backward()
    for mine, by_hand in zip(keep[-1].parameters(), model.parameters(), strict=True):
        assert torch.equal(mine.grad, by_hand.grad)


def with_inputs(
    path: Path, values: tuple[Any, ...], *changes: WhatIfChange
) -> tuple[RecordedRun, Any]:
    path.mkdir()
    writer = TraceWriter(path / "run.gradviz", ORIGIN)
    with Recording(writer, RecordingOptions(strict=True, changes=changes)) as recording:
        given = recording.change_inputs(("x", "w"), values)
        Matmul.apply(*given).sum().backward()
    writer.close()
    return read(path / "run.gradviz"), given


def test_an_input(tmp_path: Path) -> None:
    old, _ = with_inputs(tmp_path / "old", (leaf(2, 3), leaf(3, 2)))
    value = whole(old, old.trace.calls[0].arguments[1].tensor)
    change = one(InputTarget(position=1, name="w"), value, (0, 1), 2.0)
    before = leaf(3, 2)
    new, given = with_inputs(tmp_path / "new", (leaf(2, 3), before), change)
    assert given[1].is_leaf
    assert given[1].requires_grad
    assert before[0, 1] == 0.5
    w = leaf(3, 2).detach().clone()
    w[0, 1] = 2.0
    assert new.of(new.trace.calls[0].outputs[0]) == (leaf(2, 3).detach() @ w).tolist()
    assert given[0].grad.tolist() == (torch.ones(2, 2).double() @ w.t()).tolist()
    assert record_of(new).applied


def test_a_parameter_of_a_module(tmp_path: Path) -> None:
    def model() -> torch.nn.Module:
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))

    def recorded(name: str, *changes: WhatIfChange) -> tuple[RecordedRun, torch.nn.Module]:
        path, called = tmp_path / f"{name}.gradviz", model()
        writer = TraceWriter(path, ORIGIN)
        with Recording(writer, RecordingOptions(strict=True, changes=changes)) as recording:
            recording.change_parameters(called)
            called(torch.ones(4, 2)).sum().backward()
        writer.close()
        return read(path), called

    old, _ = recorded("old")
    found = {
        each.target: each.tensor
        for each in candidates_at(old.index, 1, Changeable(parameters=True))
    }
    target = ParameterTarget(name="0.weight")
    change = one(target, whole(old, found[target]), (2, 1), 0.25)
    new, called = recorded("new", change)
    by_hand = model()
    with torch.no_grad():
        by_hand[0].weight[2, 1] = 0.25
    by_hand(torch.ones(4, 2)).sum().backward()
    for mine, other in zip(called.parameters(), by_hand.parameters(), strict=True):
        assert torch.equal(mine, other)
        assert torch.equal(mine.grad, other.grad)
    assert record_of(new).applied
    missing = structs.replace(change, target=ParameterTarget(name="9.weight"))
    none, _ = recorded("none", missing)
    assert record_of(none).problem == "The module has no parameter 9.weight."


def test_of_a_sum_each_summand_can_be_changed(tmp_path: Path) -> None:
    keep: list[torch.Tensor] = []

    def code() -> None:
        x = leaf(2)
        keep.append(x)
        (x * 3 + x * 5).sum().backward()

    old = record_run(tmp_path, code)
    step = old.steps(AccumulateStep)[0]
    found = candidates_of(old.index, step.contribution.tensor, step.number, Changeable())
    assert [old.values[each.tensor].tolist() for each in found] in (
        [[5, 5], [3, 3]],
        [[3, 3], [5, 5]],
    )
    five = next(each for each in found if old.values[each.tensor].tolist() == [5, 5])
    again(tmp_path, code, one(five.target, whole(old, five.tensor), (1,), 0.0))
    assert keep[-1].grad.tolist() == [8, 3]


def test_the_change_itself_is_no_op_of_the_run(tmp_path: Path) -> None:
    def ops(recorded_run: RecordedRun) -> list[tuple[int, str, str]]:
        return [
            (inside.id, part.stage, op.name)
            for inside in recorded_run.trace.insides
            for part in inside.parts
            for op in part.ops
        ]

    keep: dict[str, torch.Tensor] = {}
    (tmp_path / "old").mkdir()
    old = record_run(tmp_path / "old", program(keep), level="all")
    gradient, value = gradient_target(old, "SumBackward0", "MatmulBackward")
    new = again(tmp_path, program(keep), one(gradient, value, (0, 0), 3.0), level="all")
    assert record_of(new).applied
    assert ops(new) == ops(old) != []
    saved, value = saved_target(old, "MatmulBackward", "x")
    new = again(tmp_path, program(keep), one(saved, value, (0, 0), 9.0), level="all")
    # Torch detaches what a hook unpacks for backward: that is an op of its own.
    more = [op for op in ops(new) if op not in ops(old)]
    assert {name for _, _, name in more} <= {"aten::detach"}
    assert [op for op in ops(new) if op not in more] == ops(old)


def test_other_values_are_not_changed(tmp_path: Path) -> None:
    keep: dict[str, torch.Tensor] = {}
    old = record_run(tmp_path, program(keep))
    plain = keep["x"].grad.clone()
    target, value = gradient_target(old, "SumBackward0", "MatmulBackward")
    change = one(target, value, (1, 0), 3.0)

    def other() -> None:
        x, w = leaf(2, 3), leaf(3, 2)
        keep.update(x=x, w=w)
        Matmul.apply(x, w).mean().backward()

    new = again(tmp_path, other, change)
    assert torch.equal(keep["x"].grad, plain / 4)
    assert not record_of(new).applied
    (finding,) = new.trace.findings
    assert finding.code == "what_if_refused"
    assert "No gradient flows from SumBackward0 to MatmulBackward there." in finding.message


def test_another_old_value_is_not_changed(tmp_path: Path) -> None:
    keep: dict[str, torch.Tensor] = {}
    old = record_run(tmp_path, program(keep))
    target, value = saved_target(old, "MatmulBackward", "w")
    change = one(target, value, (0, 1), -7.0)

    def other() -> None:
        w = (leaf(3, 2).detach() * 2).requires_grad_()
        Matmul.apply(leaf(2, 3), w).sum().backward()

    new = again(tmp_path, other, change)
    assert not record_of(new).applied
    assert "its value was already different before any change" in record_of(new).problem


def test_what_the_run_never_reached_is_reported(tmp_path: Path) -> None:
    keep: dict[str, torch.Tensor] = {}
    old = record_run(tmp_path, program(keep))
    target, value = gradient_target(old, "SumBackward0", "MatmulBackward")
    new = again(tmp_path, lambda: leaf(3).sum(), one(target, value, (1, 0), 3.0))
    assert record_of(new).problem == "The run never reached this value."
    assert [each.code for each in new.trace.findings] == ["what_if_refused"]


def test_what_was_changed_in_place_is_left_to_torch(tmp_path: Path) -> None:
    def code() -> None:
        x = leaf(3)
        y = x.exp()
        y.add_(0)
        y.sum().backward()

    def fine() -> None:
        leaf(3).exp().sum().backward()

    old = record_run(tmp_path, fine)
    target, value = saved_target(old, "ExpBackward0", "result")
    folder = tmp_path / "again"
    folder.mkdir()
    new = record_run(folder, code, raises=True, changes=(one(target, value, (0,), 1.0),))
    assert "modified by an inplace operation" in str(new.error)


def test_nothing_hangs_on_a_run_without_changes(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    with Recording(writer, RecordingOptions(strict=True)) as recording:
        values = (leaf(2), 3)
        assert recording.change_inputs(("a", "b"), values) is values
    writer.close()
    assert read(tmp_path / "run.gradviz").trace.changes == ()
