"""The numbers of the scenes that are whole programs, in a plain run."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from tests.gallery.test_scenes import arguments_of, function_of, module_of, tensor


def ran(scene_id: str) -> list[Any]:
    """Runs a scene's program; returns its arguments, which have their gradients then."""
    torch.manual_seed(0)
    arguments = list(arguments_of(scene_id))
    function_of(scene_id)(*arguments)
    return arguments


def vector(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_a_gradient_squeezed_is_right_for_three_features_and_refused_for_one() -> None:
    input_, weight, bias = arguments_of("linear-squeeze")
    apply = function_of("linear-squeeze").apply
    apply(input_, weight, bias).sum().backward()
    assert torch.equal(bias.grad, vector(2, 2, 2))
    assert gradcheck(apply, (input_, weight, bias))
    with pytest.raises(RuntimeError, match=r"got \[\] but expected shape compatible with \[1\]"):
        apply(*arguments_of("linear-squeeze-one")).sum().backward()


def test_the_linear_layer_in_one_method_gives_the_same_bits_as_in_three() -> None:
    given = arguments_of("linear-split")
    outputs, gradients = [], []
    for scene_id in ("linear-split", "linear-split-merged"):
        output = function_of(scene_id).apply(*given)
        outputs.append(output)
        gradients.append(torch.autograd.grad(output.square().sum(), given[:2]))
    assert torch.equal(*outputs)
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


def test_the_wrapped_linear_layer_is_called_in_both_ways() -> None:
    input_, weight, bias = ran("linear-wrapped")
    assert torch.equal(input_.grad, tensor([6, 10, 14], [6, 10, 14]))
    assert torch.equal(weight.grad, tensor([6, 10, 14], [6, 10, 14]))
    assert torch.equal(bias.grad, vector(2, 2))
    linear = module_of("linear-wrapped").linear
    assert torch.equal(linear(input_, weight), torch.nn.functional.linear(input_, weight))
    assert torch.equal(
        linear(input_, bias=bias, weight=weight), torch.nn.functional.linear(input_, weight, bias)
    )


def test_an_undefined_gradient_is_none_or_zeros_or_of_one_output_only() -> None:
    assert ran("mul-constant-undefined")[0].grad is None
    assert torch.equal(ran("mul-constant-undefined-default")[0].grad, tensor([0, 0, 0], [0, 0, 0]))
    assert torch.equal(ran("mul-constant-undefined-unused")[0].grad, tensor([3, 3, 3], [3, 3, 3]))


def test_sorted_values_have_a_gradient_and_positions_have_none(capsys: Any) -> None:
    (x,) = ran("non-differentiable")
    assert torch.equal(x.grad, vector(100, 1, 10))
    assert capsys.readouterr().out == "indices: tensor([1, 2, 0])\n"


def test_the_cube_has_three_derivatives(capsys: Any) -> None:
    (x,) = ran("cube")
    assert capsys.readouterr().out == "first 12.0, second 12.0, third 6.0\n"
    cube = module_of("cube").my_cube
    assert gradcheck(cube, (x,))
    assert gradgradcheck(cube, (x,))


def test_the_right_cube_has_all_parts_of_the_second_derivative(capsys: Any) -> None:
    (x,) = ran("cube-times")
    assert capsys.readouterr().out == "first 32.0, second 48.0\n"
    assert torch.autograd.functional.hessian(lambda x: x**4, x).item() == 48


def test_the_cube_with_a_saved_intermediate_is_silently_wrong(capsys: Any) -> None:
    (x,) = ran("cube-wrong")
    assert capsys.readouterr().out == "first 32.0, second 24.0\n"
    assert torch.autograd.functional.hessian(lambda x: x**3 * x, x).item() == 48
    apply = module_of("cube-wrong").MyCube.apply
    assert gradcheck(apply, (x,))
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradgradcheck(apply, (x,))
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        ran("cube-wrong-alone")


def test_the_cube_that_is_once_differentiable_refuses_the_second_time(capsys: Any) -> None:
    with pytest.raises(RuntimeError, match="trying to differentiate twice"):
        ran("cube-once")
    assert capsys.readouterr().out == "first 32.0\n"


def test_a_detached_gradient_loses_a_part_of_the_second_derivative() -> None:
    mine = ran("functional-linear-double")
    true = list(arguments_of("functional-linear-double"))
    output = torch.nn.functional.linear(*true)
    gradients = torch.autograd.grad((output * output).sum(), true, create_graph=True)
    # What backward returns is compared before the engine sums it, which is the same for a linear
    # layer: the reduction is part of the graph.
    kept = gradients[0].pow(2).sum() + gradients[1].pow(2).sum()
    kept.backward(retain_graph=True)
    for one, other in zip(mine, true, strict=True):
        torch.testing.assert_close(one.grad, other.grad)
    for each in true:
        each.grad = None
    (kept + gradients[2].pow(2).sum()).backward()
    assert not torch.allclose(mine[2].grad, true[2].grad)
    x, weight, bias = arguments_of("functional-linear-double")
    assert gradgradcheck(
        module_of("functional-linear-double").FunctionalLinear.apply, (x, weight, bias)
    )


@pytest.mark.parametrize(
    ("scene_id", "message"),
    [
        ("functional-linear-double-once", "trying to differentiate twice"),
        ("functional-linear-double-sum", "element 0 of tensors does not require grad"),
    ],
)
def test_a_backward_that_is_once_differentiable_is_not_differentiated_twice(
    scene_id: str, message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        ran(scene_id)


def test_in_place_with_a_mark_and_without(capsys: Any) -> None:
    assert torch.equal(ran("mark-dirty")[0].grad, vector(2, 2, 2))
    assert capsys.readouterr().out == "the result is the input itself: True\n"
    assert torch.equal(ran("mark-dirty-unmarked")[0].grad, vector(1, 1, 1))
    assert capsys.readouterr().out == "the result is the input itself: False\n"


@pytest.mark.parametrize(("scene_id", "version"), [("mark-dirty", 2), ("mark-dirty-unmarked", 1)])
def test_versions_in_place(scene_id: str, version: int) -> None:
    x = vector(1, 2, 3).requires_grad_().clone()
    module_of(scene_id).Double.apply(x)
    assert x._version == version  # noqa: SLF001 - what torch counts


def test_a_saved_tensor_that_was_changed_is_refused() -> None:
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        ran("saved-changed")


def test_numpy_and_straight_through() -> None:
    (x,) = arguments_of("numpy")
    output = function_of("numpy").apply(x)
    output.sum().backward()
    torch.testing.assert_close(output, x.sin())
    torch.testing.assert_close(x.grad, vector(1, 0.540302, -0.416147), atol=5e-7, rtol=0)
    (x,) = arguments_of("straight-through")
    output = function_of("straight-through").apply(x)
    output.sum().backward()
    assert torch.equal(output, vector(0, 1, 1))
    assert torch.equal(x.grad, vector(1, 1, 1))


@pytest.mark.parametrize("bias", [True, False])
def test_my_own_layer_is_trained_like_the_one_of_torch(capsys: Any, bias: bool) -> None:
    losses = []
    for scene_id in ("my-own-layer", "my-own-layer-torch"):
        x, target, _, steps = arguments_of(scene_id)
        module = module_of(scene_id)
        torch.manual_seed(0)
        made = module.MyOwnLayer if scene_id == "my-own-layer" else torch.nn.Linear
        network = module.Network(made(3, 2, bias=bias).to(x.dtype))
        module.train(network, x, target, steps)
        losses.append((network(x) - target).pow(2).mean())
    torch.testing.assert_close(*losses, atol=1e-12, rtol=0)
    printed = [float(each) for each in re.findall(r"loss (\S+)", capsys.readouterr().out)]
    assert len(printed) == 10
    assert printed[:5] == printed[5:] == sorted(printed[:5], reverse=True)


def test_what_a_module_knows_and_what_it_does_not(capsys: Any) -> None:
    ran("nn-linear")
    printed = capsys.readouterr().out
    assert "input_features=3, output_features=2, bias=True" in printed
    assert "parameters: ['linear.weight', 'linear.bias']\n" in printed
    assert "buffers: ['mean']\n" in printed
    assert printed.endswith("the forgotten one is torch.float32\n")


def test_a_scalar_tensor_answers_torch_functions(capsys: Any) -> None:
    ran("scalar-tensor")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["mean: 0.4", "add: ScalarTensor(N=2, value=4)"]
    assert lines[2:4] == ["add: tensor([[3., 1.],", "        [1., 3.]])"]
    assert lines[4] == "add raised ValueError: Shape mismatch: N=2 and N=3"
    assert lines[5:8] == [
        "tensor([[2., 0., 0.],",
        "        [0., 2., 0.],",
        "        [0., 0., 2.]])",
    ]
    assert lines[8].startswith("mean raised TypeError: ")
    refused = " ".join(lines[9:-2])
    assert refused.startswith("mul raised TypeError: ")
    assert "torch.mul" in refused
    assert lines[-2:] == ["mul: tensor([[4., 0.],", "        [0., 4.]])"]


def test_a_subclass_logs_and_a_wrapper_keeps_its_unit(capsys: Any) -> None:
    (x,) = ran("tensor-subclass")
    assert torch.equal(x.grad, vector(2, 4, 6))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["mul", "sum"]
    assert lines[-1] == "LoggingTensor 14.0"
    (x,) = ran("tensor-wrapper")
    assert torch.equal(x.grad, vector(2, 4, 6))
    assert capsys.readouterr().out.splitlines() == [
        "Quantity([2.0, 4.0, 6.0], metre)",
        "UnitError: cannot add metre and second",
        "Quantity([1.0, 4.0, 9.0], metre^2)",
    ]


def test_what_needs_no_function() -> None:
    assert torch.equal(ran("hook-instead")[0].grad, vector(1, 1))
    assert torch.equal(ran("hook-instead-without")[0].grad, vector(2, 2))
    assert torch.equal(ran("module-instead")[0].grad, vector(3, 3))
    scale = module_of("module-instead").Scale().double()
    scale(vector(1, 2)).sum().backward()
    assert scale.s.grad.item() == 3
    (x,) = arguments_of("builtin-instead")
    pairs = []
    for function in (function_of("builtin-instead").apply, function_of("builtin-instead-torch")):
        output = function(x)
        pairs.append((output, *torch.autograd.grad(output.sum(), x)))
    torch.testing.assert_close(*pairs)
    assert gradcheck(function_of("builtin-instead").apply, (x,))
