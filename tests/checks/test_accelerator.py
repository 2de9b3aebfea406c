"""Checks on an accelerator: equal verdicts, and matrices that agree."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.reliability.repeated_runs import seed_random_generators
from gradviz.export.check.verdict import next_check_sentences
from gradviz.gallery.scenes.functional_linear import FunctionalLinear
from gradviz.gallery.scenes.linear_split import LinearFunction
from gradviz.gallery.scenes.linear_wrong import LinearFunction as WrongLinear
from gradviz.model.check_settings import CheckSettings
from gradviz.recorder.accelerators import has_float64
from gradviz.worker.devices import devices
from tests.accelerator import accelerator, in_float64, needs
from tests.checks.broken import hidden_state, inplace_damage, nondeterministic, wrong_factors
from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import block_of, checked, randn, verdict_of_torch
from tests.checks.test_modes import Both, pair

pytestmark = [
    pytest.mark.accelerator,
    # The first use of forward mode makes torch compile something, of which it warns.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def on_device(tensor: Tensor) -> Tensor:
    return tensor.detach().to(accelerator()).requires_grad_()


@in_float64
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


@in_float64
def test_the_verdict_is_gradchecks() -> None:
    arguments = (on_device(randn(2, 2)), on_device(randn(2, 3)), None)
    report, _ = checked(WrongLinear, arguments)
    assert report.verdict == verdict_of_torch(WrongLinear.apply, arguments) == "mismatch"
    assert block_of(report, 0, 0).wrong == 0
    assert block_of(report, 0, 1).wrong > 0


@in_float64
def test_reduced_gradients_and_complex_numbers() -> None:
    arguments = tuple(map(on_device, (randn(4, 3), randn(2, 3), randn(2))))
    assert checked(FunctionalLinear, arguments)[0].verdict == "match"
    z = on_device(randn(3, dtype=torch.complex128))
    report, _ = checked(lambda z: z * z.conj(), (z,))
    assert report.verdict == verdict_of_torch(lambda z: z * z.conj(), (z,))


@in_float64
def test_inputs_on_both_devices() -> None:
    def scale(x: Tensor, factor: Tensor) -> Tensor:
        return x * factor.to(accelerator())

    arguments = (on_device(randn(3)), randn(1))
    report, _ = checked(scale, arguments)
    assert report.verdict == verdict_of_torch(scale, arguments)
    assert report.device == f"cpu, {accelerator()}"


@in_float64
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
@in_float64
def test_the_other_modes_are_gradchecks(mode: CheckSettings, factor: float) -> None:
    arguments = (*map(on_device, pair()), factor)
    report, _ = checked(Both, arguments, settings=mode)
    assert report.verdict == verdict_of_torch(Both.apply, arguments, mode)


def test_sparse_inputs() -> None:
    needs("sparse tensors", lambda device: torch.ones(2, device=device).to_sparse())
    sparse = randn(4, 3).detach().to(accelerator()).to_sparse().requires_grad_()
    report, _ = checked(lambda x: x.to_dense(masked_grad=False) * 2, (sparse,))
    assert (report.verdict, report.device) == ("match", str(accelerator()))


@in_float64
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

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return tangents[0].to(accelerator()) * 2


@pytest.mark.parametrize("factor", [2.0, 3.0])
@pytest.mark.parametrize("settings", [CheckSettings(), CheckSettings(fast=True), *MODES])
@in_float64
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


def noisy(x: Tensor) -> Tensor:
    return x * torch.rand(3, device=accelerator(), dtype=x.dtype).to(x.device)


def device_state() -> Tensor:
    return torch.get_device_module(accelerator()).get_rng_state(accelerator()).clone()


def test_random_numbers_of_the_device_are_seeded_and_put_back() -> None:
    before = device_state()
    with same_random_state():
        seed_random_generators(3)
        one = torch.rand(2, device=accelerator())
    with same_random_state():
        seed_random_generators(3)
        assert torch.equal(torch.rand(2, device=accelerator()), one)
    assert torch.equal(device_state(), before)


@in_float64
def test_random_numbers_of_the_device_are_noticed_for_inputs_on_the_cpu() -> None:
    report, _ = checked(noisy, (randn(3),), settings=CheckSettings(variations=True))
    assert [each.code for each in report.diagnoses] == ["nondeterministic"]
    (trial,) = (each for each in report.trials if each.name == f"on {accelerator()}")
    assert (trial.outcome, trial.message) == ("skipped", say("varied.random"))


@in_float64
def test_an_examination_draws_no_random_number_of_the_device() -> None:
    """Only evaluations that gradcheck makes too advance the generator."""
    before = device_state()
    checked(WrongLinear, (on_device(randn(2, 2)), on_device(randn(2, 3)), None))
    assert torch.equal(device_state(), before)


class Homebound(Function):
    """``2 x`` with a backward for the CPU only."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].cpu() * 2


@pytest.mark.parametrize(("function", "outcome"), [(torch.sin, "passes"), (Homebound, "raises")])
def test_a_function_is_tried_on_the_device(function: Any, outcome: str) -> None:
    settings = CheckSettings(variations=True)
    needs("float64", lambda device: torch.ones(1, dtype=torch.float64, device=device))
    report, _ = checked(function, (randn(3),), settings=settings)
    (trial,) = (each for each in report.trials if each.name == f"on {accelerator()}")
    assert trial.outcome == outcome


@pytest.fixture
def without_float64() -> Iterator[None]:
    """A device without float64 like Apple's GPUs, real or simulated."""
    if not has_float64(accelerator()):
        yield
        return
    pydevice = pytest.importorskip("pydevice", reason="the device has float64")
    if accelerator().type != pydevice.NAME:
        pytest.skip("the device has float64")
    has_float64.cache_clear()
    with pydevice.without_float64():
        yield
    has_float64.cache_clear()


SINGLE = CheckSettings(eps=1e-2, atol=1e-2, rtol=1e-2)


def single(*shape: int) -> Tensor:
    return randn(*shape).detach().to(torch.float32).to(accelerator()).requires_grad_()


@pytest.mark.usefixtures("without_float64")
def test_a_device_without_float64_is_asked() -> None:
    assert not has_float64(accelerator())
    assert has_float64(torch.device("cpu"))
    cpu, *others = devices()
    assert cpu.has_float64
    assert not any(each.has_float64 for each in others)


@pytest.mark.usefixtures("without_float64")
@pytest.mark.parametrize("change", [{"cast": True}, {"nudge": 0.1}, {"variations": True}, {}])
def test_checks_need_no_float64_of_the_device(change: dict[str, Any]) -> None:
    report, _ = checked(torch.sin, (single(3),), settings=replace(SINGLE, **change))
    assert (report.verdict, report.cast_from) == ("match", "")
    (said,) = (each.message for each in report.problems if each.code == "no_float64")
    assert f"{accelerator()} has no float64" in said
    assert next_check_sentences(report) == ()
    report, _ = checked(torch.sin, (randn(3),), settings=CheckSettings(variations=True))
    assert {each.outcome for each in report.trials} == {"passes"}


EXAMINED = [
    inplace_damage.CASES[0],
    hidden_state.CASES[0],
    wrong_factors.CASES[0],
    nondeterministic.CASES[0],
]


@pytest.mark.usefixtures("without_float64")
@pytest.mark.parametrize("broken", EXAMINED, ids=lambda each: each.name)
def test_examinations_need_no_float64_of_the_device(broken: Broken) -> None:
    arguments = [
        each.detach().to(torch.float32).to(accelerator()).requires_grad_(each.requires_grad)
        if isinstance(each, Tensor)
        else each
        for each in broken.inputs()
    ]
    report, _ = checked(broken.function, arguments, settings=SINGLE)
    assert report.diagnoses[0].code == broken.code
