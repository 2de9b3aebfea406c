"""Unusual values and Functions are recorded correctly and do not change the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
import torch
import torch.autograd.forward_ad as forward_ad
from torch.autograd import Function

from gradviz.model.inside import RecordingLevel
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.text.narration import describe_step
from tests.recorder.programs import leaf
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.recorder.test_transparency import observed
from tests.sweeps import paired

pytestmark = [
    # Torch's own: what its transforms import, and that some sparse layouts are in beta.
    pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Sparse"),
]


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x.conj() * grad


class ByVjp(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2


class Transformed(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2

    @staticmethod
    def vmap(info, in_dims, x):
        return Transformed.apply(x), in_dims[0]


class ThreeKinds(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x.long(), x > 1

    @staticmethod
    def backward(ctx, grad, integers, booleans):
        return grad * 2


class Itself(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


class Tail(Function):
    @staticmethod
    def forward(ctx, x):
        return x[1:]

    @staticmethod
    def backward(ctx, grad):
        return torch.nn.functional.pad(grad * 5, (1, 0))


def sparse() -> torch.Tensor:
    places, values = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    return torch.sparse_coo_tensor(places, values, (2, 2))


def complex_numbers():
    z = torch.tensor([1 + 2j, 3j], dtype=torch.complex128, requires_grad=True)
    Square.apply(z).abs().sum().backward()
    return z.grad


def nothing_and_scalars():
    empty = torch.zeros(0, 3, requires_grad=True)
    scalar = torch.tensor(3.0, requires_grad=True)
    (Square.apply(empty).sum() + Square.apply(scalar)).backward()
    return empty.grad, scalar.grad


def not_contiguous():
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    Square.apply(x.t()[::2]).sum().backward()
    return x.grad


def sparse_inputs():
    held, weight = sparse().requires_grad_(), leaf(2, 2)
    torch.sparse.mm(held, weight).sum().backward()
    return held.grad.to_dense(), weight.grad


def sparse_gradient():
    weight = leaf(3, 2)
    found = torch.nn.functional.embedding(torch.tensor([2, 0, 2]), weight, sparse=True)
    found.sum().backward()
    return weight.grad.to_dense()


def leaf_used_twice():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3 + Square.apply(x)).sum().backward()
    return x.grad


def shared_memory():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    first, second = y[:2], y[2:]
    (Square.apply(first) * second).sum().backward()
    return x.grad


def by_vjp():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    ByVjp.apply(x).sum().backward()
    return x.grad


def forward_mode():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
        return list(forward_ad.unpack_dual(ByVjp.apply(dual)))


def transforms():
    x, apply = torch.tensor([1.0, 2.0]), Transformed.apply
    gradient = torch.func.grad(lambda value: apply(value).sum())
    return (
        torch.func.vmap(apply)(x),
        gradient(x),
        torch.func.jacrev(apply)(x),
        torch.func.jvp(apply, (x,), (x,)),
        torch.func.vmap(gradient)(x.view(2, 1)),
    )


def three_kinds():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    outputs = ThreeKinds.apply(x)
    outputs[0].sum().backward()
    return *outputs, x.grad


def inputs_and_views():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    same, tail = Itself.apply(x * 1), Tail.apply(x * 1)
    (same.sum() + tail.sum()).backward()
    return same, tail, x.grad


RUNS = {
    run.__name__: run
    for run in (
        *(complex_numbers, nothing_and_scalars, not_contiguous, sparse_inputs, sparse_gradient),
        *(leaf_used_twice, shared_memory, by_vjp, forward_mode, transforms, three_kinds),
        inputs_and_views,
    )
}


@pytest.mark.parametrize(("name", "level"), paired([*RUNS], get_args(RecordingLevel)))
def test_no_bit_changes(name: str, level: RecordingLevel, tmp_path: Path) -> None:
    torch.manual_seed(1)
    plain = observed(RUNS[name]())
    torch.manual_seed(1)
    recording = record_run(tmp_path, RUNS[name], level=level)
    assert observed(recording.result) == plain
    assert recording.notes == []


def backward_of(recording: RecordedRun, name: str) -> NodeStep:
    step = recording.named(NodeStep, name)
    assert isinstance(step, NodeStep)
    return step


def sentence(recording: RecordedRun, step: Any) -> str:
    return describe_step(recording.index, step)


def test_complex_values_are_kept(tmp_path: Path) -> None:
    recording = record_run(tmp_path, complex_numbers)
    forward = recording.named(ForwardStep, "Square")
    assert recording.of(forward.inputs[0]) == [1 + 2j, 3j]
    assert recording.of(forward.outputs[0]) == [-3 + 4j, -9]
    total = recording.steps(AccumulateStep)[-1].total
    assert recording.of(total) == recording.result.tolist()
    assert recording.index.tensor[total.tensor].dtype == "complex128"


def test_nothing_and_scalars_have_their_shapes(tmp_path: Path) -> None:
    recording = record_run(tmp_path, nothing_and_scalars)
    scalar, empty = recording.steps(AccumulateStep)
    assert recording.of(scalar.total) == 6
    assert recording.index.tensor[empty.total.tensor].shape == (0, 3)
    assert sentence(recording, empty) == "empty.grad is set to the 0×3 gradient."


def test_strides_are_reported_and_elements_are_in_their_order(tmp_path: Path) -> None:
    recording = record_run(tmp_path, not_contiguous)
    given = recording.named(ForwardStep, "Square").inputs[0]
    assert recording.of(given) == [[0, 3], [2, 5]]
    assert recording.index.tensor[given.tensor].strides == (2, 3)
    total = recording.steps(AccumulateStep)[0].total
    assert recording.of(total) == [[0, 0, 4], [6, 0, 10]]


def test_sparse_inputs_are_reported_by_what_is_known(tmp_path: Path) -> None:
    recording = record_run(tmp_path, sparse_inputs)
    (forward, *_) = recording.steps(ForwardStep)
    record = recording.index.tensor[forward.inputs[0].tensor]
    assert (record.layout, record.shape, record.strides) == ("sparse_coo", (2, 2), None)
    assert record.note == "its layout is sparse_coo (nnz=2)"
    assert "takes held sparse 2×2 and weight 2×2" in sentence(recording, forward)


def test_sparse_gradients_are_reported_so(tmp_path: Path) -> None:
    recording = record_run(tmp_path, sparse_gradient)
    (step,) = recording.steps(AccumulateStep)
    assert sentence(recording, step) == "weight.grad is set to the sparse 3×2 gradient."
    record = recording.index.tensor[step.total.tensor]
    assert record.note == "its layout is sparse_coo (nnz=3)"
    assert "a sparse 3×2 gradient to weight" in sentence(
        recording, backward_of(recording, "EmbeddingBackward0")
    )


def test_both_uses_of_a_leaf_arrive_at_once(tmp_path: Path) -> None:
    recording = record_run(tmp_path, leaf_used_twice)
    (step,) = recording.steps(AccumulateStep)
    assert recording.of(step.contribution) == recording.of(step.total) == [5, 7]
    custom = backward_of(recording, "SquareBackward").passed[0]
    builtin = backward_of(recording, "MulBackward0").passed[0]
    assert (recording.of(custom.item), recording.of(builtin.item)) == ([2, 4], [3, 3])


def test_memory_that_is_shared_has_one_number(tmp_path: Path) -> None:
    recording = record_run(tmp_path, shared_memory)
    whole, first, second = (step.outputs[0].tensor for step in recording.steps(ForwardStep)[:3])
    storages = {recording.index.tensor[number].storage for number in (whole, first, second)}
    assert len(storages) == 1
    assert None not in storages


def test_vjp_is_called_by_its_name(tmp_path: Path) -> None:
    recording = record_run(tmp_path, by_vjp)
    (call,) = recording.trace.calls
    assert call.backward is not None
    assert call.backward.function == "ByVjp.vjp"
    step = backward_of(recording, "ByVjpBackward")
    assert [item.name for item in step.received] == ["grad"]
    assert sentence(recording, step).startswith("ByVjp.vjp receives grad [2]")


def test_forward_mode_is_a_call_like_any_other(tmp_path: Path) -> None:
    recording = record_run(tmp_path, forward_mode)
    (step,) = recording.steps(ForwardStep)
    assert recording.of(step.inputs[0]) == [1, 2]
    assert recording.of(step.outputs[0]) == [2, 4]


def test_transforms_are_calls_and_passes(tmp_path: Path) -> None:
    recording = record_run(tmp_path, transforms)
    steps = [step for step in recording.steps(ForwardStep) if step.call is not None]
    assert {step.op for step in steps} == {"Transformed"}
    assert len(recording.index.passes) == 3
    assert recording.of(steps[0].outputs[0]) == [2, 4]


@pytest.mark.parametrize("level", ["nodes", "ops"])
def test_calls_inside_of_transforms_are_steps(level: RecordingLevel, tmp_path: Path) -> None:
    x = leaf(2, 3)

    def run() -> Any:
        mapped = torch.func.vmap(lambda row: row.sin() * 2)(x)
        _, tangent = torch.func.jvp(lambda each: each.cos(), (x,), (torch.ones_like(x),))
        (mapped + tangent).sum().backward()

    recording = record_run(tmp_path, run, level=level)
    for name in ("sin", "mul", "cos"):
        step = recording.named(ForwardStep, name)
        assert recording.index.tensor[step.outputs[0].tensor].shape == (2, 3)
        node = recording.index.node[step.node].name.lower()
        assert node.startswith(name)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_are_not_called_scalars(tmp_path: Path) -> None:
    x, y = leaf(2, 3), leaf(1, 3)

    def run() -> None:
        nested = torch.nested.as_nested_tensor([x, y])
        (nested * 2).to_padded_tensor(0.0).sum().backward()

    recording = record_run(tmp_path, run)
    assert sentence(recording, recording.named(ForwardStep, "mul")).startswith(
        "mul takes nested (nested) and other = 2 and returns output (nested);"
    )
    assert "passes on a nested gradient to" in sentence(
        recording, backward_of(recording, "MulBackward0")
    )


def test_arguments_have_the_names_of_the_overload_that_ran(tmp_path: Path) -> None:
    x = leaf(1, 3)
    recording = record_run(tmp_path, lambda: x.expand(4, 3).to(torch.float32))
    expanded, cast = (sentence(recording, step) for step in recording.steps(ForwardStep))
    assert expanded.startswith("expand takes x 1×3, input 1 = 4 and input 2 = 3 and returns")
    assert cast.startswith("Tensor.to takes input 4×3 and torch.float32 and returns")


def test_integers_and_booleans_come_out(tmp_path: Path) -> None:
    recording = record_run(tmp_path, three_kinds)
    forward = recording.named(ForwardStep, "ThreeKinds")
    kinds = [recording.index.tensor[item.tensor].dtype for item in forward.outputs]
    assert kinds == ["float32", "int64", "bool"]
    assert [recording.of(item) for item in forward.outputs[1:]] == [[1, 2], [False, True]]
    step = backward_of(recording, "ThreeKindsBackward")
    assert [item.kind for item in step.incoming] == ["tensor", "none", "none"]
    assert sentence(recording, step).endswith(
        "Undefined gradients arrive as zeros: integers and booleans."
    )


def test_outputs_may_be_inputs_or_views_of_them(tmp_path: Path) -> None:
    recording = record_run(tmp_path, inputs_and_views)
    record = recording.index.tensor
    for name in ("Itself", "Tail"):
        step = recording.named(ForwardStep, name)
        given, made = record[step.inputs[0].tensor], record[step.outputs[0].tensor]
        assert given.storage == made.storage
    (total,) = {str(recording.of(step.total)) for step in recording.steps(AccumulateStep)[-1:]}
    assert total == str(recording.result[2].tolist()) == "[3.0, 8.0]"
