"""What a check does on an accelerator: the same verdicts, and matrices that agree."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.functional_linear import FunctionalLinear
from gradviz.gallery.scenes.linear_split import LinearFunction
from gradviz.gallery.scenes.linear_wrong import LinearFunction as WrongLinear
from gradviz.model.check_settings import CheckSettings
from tests.accelerator import accelerator, needs
from tests.checks.samples import block_of, checked, randn, verdict_of_torch
from tests.checks.test_modes import Both, pair

pytestmark = [
    pytest.mark.accelerator,
    # The first use of forward mode makes torch compile something, of which it warns.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def on_device(tensor: Tensor) -> Tensor:
    return tensor.detach().to(accelerator()).requires_grad_()


def test_matrices_agree_with_those_of_the_cpu() -> None:
    x, w, bias = randn(6, 5), randn(7, 5, seed=1), randn(7, seed=2)
    there, there_sink = checked(LinearFunction, (on_device(x), on_device(w), on_device(bias)))
    here, here_sink = checked(LinearFunction, (x, w, bias))
    assert (there.verdict, here.verdict) == ("match", "match")
    assert there.device == str(accelerator())
    for one, two in zip(there.blocks, here.blocks, strict=True):
        torch.testing.assert_close(
            there_sink.tensor(one.analytical), here_sink.tensor(two.analytical)
        )
        torch.testing.assert_close(
            there_sink.tensor(one.numerical),
            here_sink.tensor(two.numerical),
            atol=1e-7,
            rtol=1e-7,
        )


def test_the_verdict_is_gradchecks() -> None:
    arguments = (on_device(randn(2, 2)), on_device(randn(2, 3)), None)
    report, _ = checked(WrongLinear, arguments)
    assert report.verdict == verdict_of_torch(WrongLinear.apply, arguments) == "mismatch"
    assert block_of(report, 0, 0).wrong == 0
    assert block_of(report, 0, 1).wrong > 0


def test_reduced_gradients_and_complex_numbers() -> None:
    arguments = tuple(map(on_device, (randn(4, 3), randn(2, 3), randn(2))))
    assert checked(FunctionalLinear, arguments)[0].verdict == "match"
    z = on_device(randn(3, dtype=torch.complex128))
    report, _ = checked(lambda z: z * z.conj(), (z,))
    assert report.verdict == verdict_of_torch(lambda z: z * z.conj(), (z,))


def test_inputs_on_both_devices() -> None:
    def scale(x: Tensor, factor: Tensor) -> Tensor:
        return x * factor.to(accelerator())

    arguments = (on_device(randn(3)), randn(1))
    report, _ = checked(scale, arguments)
    assert report.verdict == verdict_of_torch(scale, arguments)
    assert report.device == f"cpu, {accelerator()}"


def test_inputs_are_put_back() -> None:
    x = on_device(randn(3))
    before = x.detach().clone()
    left = iter([False] * 5)
    report, _ = checked(torch.sin, (x,), cancelled=lambda: next(left, True))
    assert report.verdict == "incomplete"
    assert torch.equal(x.detach(), before)


MODES = (
    CheckSettings(forward_mode="on"),
    CheckSettings(batched=True),
    CheckSettings(fast=True),
    CheckSettings(fast=True, forward_mode="on"),
)


@pytest.mark.parametrize("factor", [1.0, 1.5])
@pytest.mark.parametrize("mode", MODES)
def test_the_other_modes_are_gradchecks(mode: CheckSettings, factor: float) -> None:
    arguments = (*map(on_device, pair()), factor)
    report, _ = checked(Both, arguments, settings=mode)
    assert report.verdict == verdict_of_torch(Both.apply, arguments, mode)


def test_sparse_inputs() -> None:
    needs("sparse tensors", lambda device: torch.ones(2, device=device).to_sparse())
    sparse = randn(4, 3).detach().to(accelerator()).to_sparse().requires_grad_()
    report, _ = checked(lambda x: x.to_dense(masked_grad=False) * 2, (sparse,))
    assert (report.verdict, report.device) == ("match", str(accelerator()))


def test_inputs_are_cast() -> None:
    single = randn(4).detach().to(accelerator(), torch.float32).requires_grad_()
    report, _ = checked(torch.sin, (single,), settings=CheckSettings(cast=True))
    found = report.verdict, report.cast_from, report.device
    assert found == ("match", "float32", str(accelerator()))


class Moving(Function):
    """``factor x`` on the accelerator, with a backward for 2."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.home = x.device
        return x.to(accelerator()) * factor

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].to(ctx.home) * 2, None


@pytest.mark.parametrize("factor", [2.0, 3.0])
@pytest.mark.parametrize("settings", [CheckSettings(), CheckSettings(fast=True)])
def test_an_output_on_another_device_than_its_input(settings: CheckSettings, factor: float) -> None:
    """With enough elements for the direct evaluation, and with too few."""
    for shape in ((40,), (2, 3)):
        arguments = randn(*shape), factor
        report, sink = checked(Moving, arguments, settings=settings)
        assert report.verdict == verdict_of_torch(Moving.apply, arguments, settings)
        assert report.verdict == ("match" if factor == 2 else "mismatch")
        if report.blocks:
            numerical = sink.tensor(block_of(report, 0, 0).numerical)
            torch.testing.assert_close(numerical, factor * torch.eye(prod(shape)).double())
    codes = [each.code for each in report.diagnoses]
    assert codes == ["none" if factor == 2 else "factor_constant"]
