"""Second-order scenes recorded in child processes: their numbers and cuts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.cli.main import main
from gradviz.gallery.registry import scene as scene_of
from tests.schemas import assert_fits

Captured = pytest.CaptureFixture[str]


def recorded(scene: str, folder: Path, captured: Captured) -> dict[str, Any]:
    path = folder / "run.gradviz"
    main(["record", scene, "-o", str(path)])
    captured.readouterr()
    assert main(["steps", str(path), "--format", "json"]) == 0
    document = json.loads(captured.readouterr().out)
    assert_fits(document, "steps")
    return dict(document)


def results(document: dict[str, Any]) -> list[Any]:
    """The results of each pass."""
    ends = [step for step in document["steps"] if step["kind"] == "pass_end"]
    return [[item["values"] for item in end["results"]] for end in ends]


def orders(document: dict[str, Any]) -> list[int]:
    return [each["order"] for each in document["phases"] if each["pass"] is not None]


def codes(document: dict[str, Any]) -> list[str]:
    found = [each["code"] for each in document["findings"]]
    return [each for each in found if each.startswith("second_order")]


def plain(scene: str) -> Callable[..., Any]:
    """The program of a scene, as a user would import it."""
    found = scene_of(scene)
    program: Callable[..., Any] = getattr(
        importlib.import_module(found.module), found.callable_name
    )
    return program


def refusal(scene: str, *inputs: torch.Tensor) -> str:
    """Torch's error message for the program, without recording."""
    with pytest.raises(RuntimeError) as caught:
        plain(scene)(*inputs)
    return str(caught.value)


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(
        values if len(values) > 1 else values[0], dtype=torch.float64
    ).requires_grad_()


def linear_inputs() -> tuple[torch.Tensor, ...]:
    x = torch.arange(12, dtype=torch.float64).view(4, 3).requires_grad_()
    weight = torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_()
    return x, weight, leaf(1, -1)


def last(document: dict[str, Any]) -> dict[str, Any]:
    return dict(document["steps"][-1])


def test_cube(tmp_path: Path, capsys: Captured) -> None:
    x = leaf(2)
    plain("cube")(x)
    assert capsys.readouterr().out == "first 12.0, second 12.0, third 6.0\n"
    document = recorded("cube", tmp_path, capsys)
    assert results(document) == [[12], [12], [6]]
    assert orders(document) == [1, 2, 3]
    assert codes(document) == []
    nodes = document["graph"]["nodes"]
    assert [node["order"] for node in nodes] == [1, 1, 2, 2, 2, 3, 3, 3, 3]
    assert {node["made_by"] for node in nodes[2:]} == {1}
    begins = [each["sentence"] for each in document["steps"] if each["kind"] == "pass_begin"]
    assert "which gives a second derivative" in begins[1]
    assert "the gradients from backward pass 2, which gives a third derivative" in begins[2]


def test_cube_wrong(tmp_path: Path, capsys: Captured) -> None:
    plain("cube-wrong")(leaf(2))
    assert capsys.readouterr().out == "first 32.0, second 24.0\n"
    x = leaf(2)
    (first,) = torch.autograd.grad(x**3 * x, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert second.item() == 48
    document = recorded("cube-wrong", tmp_path, capsys)
    assert results(document) == [[32], [24]]
    assert codes(document) == ["second_order_cut_saved"]
    assert "Part of the result is missing" in last(document)["sentence"]
    (cut,) = [each for each in document["findings"] if each["code"] == "second_order_cut_saved"]
    assert (cut["step"], cut["node"], cut["argument"]) == (5, 1, 0)
    assert "dx was saved in forward but is neither an input nor an output" in cut["message"]


def test_cube_wrong_alone(tmp_path: Path, capsys: Captured) -> None:
    captured = refusal("cube-wrong-alone", leaf(2))
    assert captured == "element 0 of tensors does not require grad and does not have a grad_fn"
    document = recorded("cube-wrong-alone", tmp_path, capsys)
    assert last(document)["message"] == captured
    assert codes(document) == ["second_order_cut_saved"]
    sentence = last(document)["sentence"]
    assert "There is no history to differentiate" in sentence
    assert "because forward saved dx, which autograd treats as constant" in sentence


def test_cube_once(tmp_path: Path, capsys: Captured) -> None:
    captured = refusal("cube-once", leaf(2))
    capsys.readouterr()
    document = recorded("cube-once", tmp_path, capsys)
    assert last(document)["message"] == captured
    assert captured.startswith("trying to differentiate twice")
    assert "MyCube.backward is decorated with @once_differentiable" in last(document)["sentence"]
    (error,) = [node for node in document["graph"]["nodes"] if node["kind"] == "error"]
    assert (error["made_by"], error["order"]) == (1, 2)
    assert codes(document) == []


def test_functional_linear_double(tmp_path: Path, capsys: Captured) -> None:
    inputs = linear_inputs()
    plain("functional-linear-double")(*inputs)
    document = recorded("functional-linear-double", tmp_path, capsys)
    totals = [each["total"] for each in document["steps"] if each["kind"] == "accumulate"]
    assert [each["values"] for each in totals] == [each.grad.tolist() for each in inputs]
    assert codes(document) == ["second_order_cut_lost"]
    assert "treats the gradient for bias as a constant" in last(document)["sentence"]
    # What the cut costs: of a linear layer of torch, the gradients are others.
    x, weight, bias = linear_inputs()
    output = torch.nn.functional.linear(x, weight, bias)
    grads = torch.autograd.grad((output * output).sum(), (x, weight, bias), create_graph=True)
    torch.stack([each.pow(2).sum() for each in grads]).sum().backward()
    assert bias.grad is not None
    assert bias.grad.tolist() != inputs[2].grad.tolist()


def test_functional_linear_double_once(tmp_path: Path, capsys: Captured) -> None:
    captured = refusal("functional-linear-double-once", *linear_inputs())
    document = recorded("functional-linear-double-once", tmp_path, capsys)
    assert last(document)["message"] == captured
    assert "FunctionalLinearOnce.backward is decorated" in last(document)["sentence"]
    assert orders(document) == [1, 2]


def test_functional_linear_double_sum(tmp_path: Path, capsys: Captured) -> None:
    captured = refusal("functional-linear-double-sum", *linear_inputs())
    document = recorded("functional-linear-double-sum", tmp_path, capsys)
    assert last(document)["message"] == captured
    assert "There is no history to differentiate" in last(document)["sentence"]
    # The gradient for bias is a constant in truth: no cut is told of there.
    found = [each for each in document["findings"] if each["code"] == "second_order_cut_once"]
    assert [each["argument"] for each in found] == [0, 1]


def test_a_single_backward_has_no_cut(tmp_path: Path, capsys: Captured) -> None:
    document = recorded("functional-linear", tmp_path, capsys)
    assert codes(document) == []
    assert orders(document) == [1]
