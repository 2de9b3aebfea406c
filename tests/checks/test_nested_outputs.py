"""Outputs inside of dicts, lists, tuples and dataclasses, against gradcheck on a flat tuple."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.autograd import Function, gradcheck, gradgradcheck

from gradviz.checks.output_parts import as_tuple
from gradviz.checks.reference.reference_jacobians import Reference
from gradviz.checks.run import jacobian_check
from gradviz.checks.run.progress import DiscardingSink
from gradviz.model.check_settings import DEFAULTS
from gradviz.model.jacobian_report import JacobianReport

X = torch.tensor([0.5, -1.5], dtype=torch.float64, requires_grad=True)


class Wrong(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * 3


@dataclass
class Result:
    h: Tensor
    step: int = 1


def in_dict(x: Tensor) -> dict[str, Any]:
    return {"loss": x.sin(), "aux": [x * 2, 3], "state": Result(x**2)}


def in_tuple(x: Tensor) -> tuple[Any, ...]:
    return x.sin(), (x.cos(), [x * 2])


def in_dataclass(x: Tensor) -> Result:
    return Result(x.exp())


def wrong(x: Tensor) -> dict[str, Tensor]:
    return {"right": x * 2, "wrong": Wrong.apply(x)}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor(0.3))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {"y": x * self.w, "z": self.w.sin()}


def check(function: Callable[..., Any], *, order: int = 1, **settings: Any) -> JacobianReport:
    reference = settings.pop("reference", None)
    return jacobian_check.check(
        function,
        (X,),
        sink=DiscardingSink(),
        settings=replace(DEFAULTS, **settings),
        order=order,
        reference=reference,
    )


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (in_dict, ["output['loss']", "output['aux'][0]", "output['state'].h"]),
        (in_tuple, ["output[0]", "output[1][0]", "output[1][1][0]"]),
        (in_dataclass, ["output.h"]),
        (wrong, ["output['right']", "output['wrong']"]),
    ],
)
def test_the_verdict_is_gradchecks_on_a_flat_tuple(
    function: Callable[..., Any], names: list[str]
) -> None:
    def flat(x: Tensor) -> tuple[Tensor, ...]:
        return tuple(each for each in as_tuple(function(x)) if isinstance(each, Tensor))

    report = check(function)
    assert [each.output_name for each in report.blocks] == names
    is_right = gradcheck(flat, (X,), raise_exception=False)
    assert report.verdict == ("match" if is_right else "mismatch")
    assert [not each.wrong for each in report.blocks] == [
        gradcheck(lambda x, at=at: flat(x)[at], (X,), raise_exception=False)  # type: ignore[misc]
        for at in range(len(names))
    ]


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*is deprecated:DeprecationWarning")
def test_second_order_and_all_settings() -> None:
    report = check(in_dict, order=2)
    assert report.verdict == "match"
    assert gradgradcheck(lambda x: (x.sin(), x * 2, x**2), (X,))
    names = {each.input_name for each in report.blocks}
    assert names == {"x", "grad_output['loss']", "grad_output['aux'][0]", "grad_output['state'].h"}
    for settings in ({"fast": True}, {"forward_mode": "on", "variations": True}, {"batched": True}):
        assert check(in_dict, **settings).verdict == "match"
    blocks = check(in_dict, reference=Reference(title="in_dict", call=in_dict)).blocks
    assert all(each.reference is not None and not each.reference_wrong for each in blocks)


def test_a_module_in_low_precision_is_cast() -> None:
    report = check(Net(), auto_cast=True)
    assert report.cast_from == "float32"
    pairs = {(each.output_name, each.input_name) for each in report.blocks}
    assert pairs == {(f"output['{out}']", name) for out in "yz" for name in ("x", "w")}
    assert report.verdict == "match"


def test_what_contains_itself_is_no_output() -> None:
    def endless(x: Tensor) -> dict[str, Any]:
        found: dict[str, Any] = {"y": x.sin()}
        found["self"] = found
        return found

    report = check(endless)
    assert [problem.code for problem in report.problems if problem.decides] == ["nested_output"]
