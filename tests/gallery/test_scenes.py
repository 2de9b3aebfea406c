"""The numbers of each scene, in a plain run and by torch's gradcheck."""

from __future__ import annotations

import ast
import importlib
import inspect
import math
from typing import Any

import pytest
import torch
from torch.autograd import gradcheck

from gradviz.gallery.registry import SCENES, Scene, scene
from gradviz.model.inputs import InputSpec

Arguments = tuple[Any, ...]


def module_of(scene_id: str) -> Any:
    return importlib.import_module(scene(scene_id).module)


def function_of(scene_id: str) -> Any:
    return getattr(module_of(scene_id), scene(scene_id).callable_name)


def argument(spec: InputSpec, generator: torch.Generator) -> Any:
    if spec.kind == "none":
        return None
    if spec.kind == "object":
        return ast.literal_eval(spec.text)
    dtype = getattr(torch, spec.dtype)
    count = math.prod(spec.shape)
    made = {
        "arange": lambda: torch.arange(count, dtype=dtype),
        "values": lambda: torch.tensor(spec.values, dtype=dtype),
        "randn": lambda: torch.randn(count, dtype=dtype, generator=generator),
    }[spec.fill]()
    return made.view(spec.shape).requires_grad_(spec.requires_grad)


def arguments_of(scene_id: str) -> Arguments:
    generator = torch.Generator().manual_seed(0)
    return tuple(argument(spec, generator) for spec in scene(scene_id).inputs)


def tensor(*rows: list[float]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_linear_gives_the_numbers_of_the_lecture() -> None:
    a, b, bias = arguments_of("linear")
    output = function_of("linear").apply(a, b, bias)
    output.sum().backward()
    assert torch.equal(output, tensor([3, 4, 5], [9, 14, 19]))
    assert torch.equal(a.grad, tensor([3, 12], [3, 12]))
    assert torch.equal(b.grad, tensor([2, 2, 2], [4, 4, 4]))


def test_linear_prints_its_output_and_then_four_gradients(capsys: Any) -> None:
    output = function_of("linear").apply(*arguments_of("linear"))
    forward = capsys.readouterr().out
    output.sum().backward()
    backward = capsys.readouterr().out
    assert forward.startswith("output:\ntensor([[ 3.,  4.,  5.],")
    heads = [line for line in backward.splitlines() if line.endswith(":")]
    assert heads == ["grad_output:", "grad_input:", "grad_weight:", "grad_bias:"]
    assert "tensor([[1., 1., 1.],\n        [1., 1., 1.]]" in backward
    assert backward.endswith("grad_bias:\nNone\n")


def test_linear_computes_only_what_is_needed(capsys: Any) -> None:
    a, b, _ = arguments_of("linear")
    function_of("linear").apply(a.detach(), b, None).sum().backward()
    assert "grad_input:\nNone\n" in capsys.readouterr().out


def test_linear_adds_its_bias_and_gives_it_a_gradient() -> None:
    a, b, _ = arguments_of("linear")
    bias = torch.ones(3, dtype=torch.float64, requires_grad=True)
    output = function_of("linear").apply(a, b, bias)
    output.sum().backward()
    assert torch.equal(output, tensor([4, 5, 6], [10, 15, 20]))
    assert torch.equal(bias.grad, torch.full((3,), 2.0, dtype=torch.float64))


def test_linear_wrong_runs_without_complaint_and_gives_other_gradients() -> None:
    a, b, bias = arguments_of("linear-wrong")
    output = function_of("linear-wrong").apply(a, b, bias)
    output.sum().backward()
    assert torch.equal(output, tensor([3, 4, 5], [9, 14, 19]))
    assert torch.equal(a.grad, tensor([3, 12], [3, 12]))
    assert torch.equal(b.grad, tensor([1, 1, 1], [5, 5, 5]))


def test_exp_is_its_own_derivative() -> None:
    (x,) = arguments_of("exp")
    output = function_of("exp").apply(x)
    (saved,) = output.grad_fn.saved_tensors
    assert saved.data_ptr() == output.data_ptr()
    assert saved.grad_fn is output.grad_fn
    output.backward()
    assert output.item() == pytest.approx(7.3891, abs=5e-5)
    assert x.grad.item() == output.item()


def test_mul_constant_keeps_its_constant_and_returns_none_for_it() -> None:
    tensor_, constant = arguments_of("mul-constant")
    output = function_of("mul-constant").apply(tensor_, constant)
    assert vars(output.grad_fn) == {"constant": 3}
    output.sum().backward()
    assert torch.equal(tensor_.grad, torch.full((2, 3), 3.0, dtype=torch.float64))
    assert output.grad_fn.apply(torch.ones_like(output))[1] is None


def test_linear_split_is_an_ordinary_linear_layer() -> None:
    x, w, bias = arguments_of("linear-split")
    assert (x.shape, w.shape) == ((20, 20), (30, 20))
    output = function_of("linear-split").apply(x, w, bias)
    expected = torch.nn.functional.linear(x, w)
    torch.testing.assert_close(output, expected)
    grads = torch.autograd.grad(output.square().sum(), (x, w))
    torch.testing.assert_close(grads, torch.autograd.grad(expected.square().sum(), (x, w)))


def test_functional_linear_returns_more_than_arrives() -> None:
    x, weight, bias = arguments_of("functional-linear")
    output = function_of("functional-linear").apply(x, weight, bias)
    returned = output.grad_fn.apply(torch.ones_like(output))
    assert [tuple(each.shape) for each in returned] == [(4, 3), (4, 2, 3), (4, 2)]
    output.sum().backward()
    assert torch.equal(output, tensor([6, 13], [15, 49], [24, 85], [33, 121]))
    assert torch.equal(x.grad, tensor(*[[3, 5, 7]] * 4))
    assert torch.equal(weight.grad, tensor(*[[18, 22, 26]] * 2))
    assert torch.equal(bias.grad, torch.full((2,), 4.0, dtype=torch.float64))
    assert torch.equal(weight.grad, returned[1].sum(0))


def test_functional_linear_saves_none_for_no_bias() -> None:
    x, weight, _ = arguments_of("functional-linear")
    output = function_of("functional-linear").apply(x, weight, None)
    assert output.grad_fn.saved_tensors == (x, weight, None)
    assert gradcheck(function_of("functional-linear").apply, (x, weight, None))


@pytest.mark.parametrize("scene_id", ["linear", "exp", "mul-constant", "functional-linear"])
def test_gradcheck_agrees(scene_id: str) -> None:
    assert gradcheck(function_of(scene_id).apply, arguments_of(scene_id), eps=1e-6, atol=1e-4)


def test_gradcheck_agrees_with_linear_split() -> None:
    function = function_of("linear-split").apply
    assert gradcheck(function, arguments_of("linear-split"), eps=1e-6, atol=1e-4)


def test_gradcheck_disagrees_with_linear_wrong_about_input_1() -> None:
    with pytest.raises(RuntimeError, match="output 0 with respect to input 1"):
        gradcheck(function_of("linear-wrong").apply, arguments_of("linear-wrong"))


def test_backward_through_functional_linear_cannot_be_differentiated() -> None:
    x, weight, bias = arguments_of("functional-linear")
    output = function_of("functional-linear").apply(x, weight, bias)
    (grad_x,) = torch.autograd.grad(output.square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grad_x.sum().backward()


@pytest.mark.parametrize("each", SCENES, ids=lambda each: each.id)
def test_a_scene_imports_nothing_of_ours(each: Scene) -> None:
    source = inspect.getsource(importlib.import_module(each.module))
    assert "gradviz" not in source
    assert source.startswith('"""')
