"""The battery of inputs, their layouts in memory included."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.battery.backward_runs import DENSE, EXPANDED, NON_OVERLAPPING, MemoryLayout
from gradviz.checks.random_tensors import RandomTensors
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis, Trial
from gradviz.model.jacobian_report import JacobianReport
from tests.checks.broken import incoming_gradients as broken
from tests.checks.sample_functions import Noisy, checked, randn

# The table of incoming gradients and its sentences, compared with plain torch.


def rows(report: JacobianReport) -> dict[str, Trial]:
    return {row.name: row for row in report.trials if row.kind == "incoming"}


def only(report: JacobianReport) -> Diagnosis:
    (diagnosis,) = report.diagnoses
    return diagnosis


def test_a_right_function_passes_every_row() -> None:
    report, _ = checked(broken.ReshapesFlat, (randn(2, 3),))
    found = rows(report)
    assert {row.outcome for row in found.values()} == {"passes"}
    for part in ("transposed", "sliced", "expanded (stride 0)", "zeros", "None", "NaN", "100"):
        assert any(part in name for name in found), part
    assert report.passed


def test_the_evidence_is_what_torch_gives() -> None:
    """The wrong number in the row equals that of a transposed gradient."""
    x = randn(2, 3)
    report, _ = checked(broken.AsStrided, (x,))
    row = rows(report)["grad_output transposed"]
    assert (row.outcome, row.code) == ("fails", "stride_blind")
    assert "strides (1, 2)" in row.message
    gradient = torch.randn(3, 2, dtype=torch.float64).t()
    (found,) = torch.autograd.grad(broken.apply(broken.AsStrided, x), x, gradient)
    (dense,) = torch.autograd.grad(broken.apply(broken.AsStrided, x), x, gradient.contiguous())
    assert not torch.allclose(found, dense)


def test_evidence_and_verdict() -> None:
    report, _ = checked(broken.AsStrided, (randn(2, 3),))
    diagnosis = only(report)
    assert (report.verdict, report.passed) == ("match", False)
    assert (diagnosis.code, diagnosis.output, diagnosis.input) == ("stride_blind", None, None)
    assert any("strides (0, 0)" in each and " instead of " in each for each in diagnosis.evidence)


def test_in_place_is_what_breaks_after_a_sum() -> None:
    x = randn(3, 4)
    report, _ = checked(broken.MultipliesInPlace, (x,))
    row = next(row for name, row in rows(report).items() if "as after sum()" in name)
    assert (row.outcome, row.code) == ("raises", "mutates_grad_output")
    output: Tensor = broken.apply(broken.MultipliesInPlace, x)
    with pytest.raises(RuntimeError, match="single memory location"):
        output.sum().backward()
    assert "MultipliesInPlace" in only(report).message


def test_a_masked_write_that_does_not_raise_is_found_all_the_same() -> None:
    x = randn(3, 4)
    report, _ = checked(broken.Rectified, (x,))
    assert {row.code for row in report.trials} == {"mutates_grad_output", ""}
    assert only(report).code == "mutates_grad_output"


def test_no_color_where_it_is_not_wanted() -> None:
    report, _ = checked(broken.AsStrided, (randn(2, 3),), settings=CheckSettings(battery=False))
    assert (report.trials, only(report).code, report.passed) == ((), "none", True)


def test_noise_is_not_compared() -> None:
    report, _ = checked(Noisy, (randn(9),))
    assert not any(row.code for row in report.trials)
    assert "stride_blind" not in {each.code for each in report.diagnoses}


def test_random_numbers_are_left_as_they_were() -> None:
    counts = []
    for battery in (True, False):
        torch.manual_seed(3)
        checked(broken.ReshapesFlat, (randn(2, 3),), settings=CheckSettings(battery=battery))
        counts.append(torch.rand(1).item())
    assert counts[0] == counts[1]


def test_inputs_are_as_they_were() -> None:
    x = randn(2, 3)
    before = x.detach().clone()
    checked(broken.MultipliesInPlace, (x,))
    assert torch.equal(x.detach(), before)
    assert x.grad is None


class Swallows(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].nan_to_num() * 2


def test_a_swallowed_nan_is_reported_but_not_as_a_fault() -> None:
    report, _ = checked(Swallows, (randn(3),))
    row = rows(report)["grad_output with one NaN"]
    assert (row.outcome, row.code) == ("fails", "")
    assert only(report).code == "none"
    report, _ = checked(broken.ReshapesFlat, (randn(3),))
    assert rows(report)["grad_output with one NaN"].message.startswith("1 of 3 elements")


def test_an_output_alone_without_a_gradient() -> None:
    report, _ = checked(broken.TwoOutputsWithCare, (randn(2),))
    names = [name for name in rows(report) if "None" in name]
    assert names == [
        "every grad_output None",
        "gradient of output 0 None",
        "gradient of output 1 None",
    ]


def test_a_check_can_be_cancelled_in_its_middle() -> None:
    whole, _ = checked(broken.ReshapesFlat, (randn(2),))
    for limit in range(whole.evaluations - 12, whole.evaluations):
        asked: list[int] = []

        def cancelled(limit: int = limit, asked: list[int] = asked) -> bool:
            asked.append(1)
            return len(asked) > limit

        report, _ = checked(broken.ReshapesFlat, (randn(2),), cancelled=cancelled)
        assert (report.verdict, report.evaluations) == ("incomplete", limit)


class CountsZeros(Function):
    """A cube that counts the incoming gradients of zeros."""

    seen = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        CountsZeros.seen += not gradients[0].any()
        (x,) = ctx.saved_tensors
        return 3 * gradients[0] * x * x


def test_trials_do_not_repeat_what_a_stage_has_shown() -> None:
    CountsZeros.seen = 0
    report, _ = checked(CountsZeros, (randn(2, 3),))
    found = rows(report)
    assert {found[f"grad_output {name}"].outcome for name in ("zeros", "None")} == {"passes"}
    assert CountsZeros.seen == 2


# Memory layouts keep the values, use their own memory and match their names.


EVERY = {each.code: each for each in (DENSE, *NON_OVERLAPPING, *EXPANDED)}
SHAPES = [(), (1,), (5,), (2, 3), (3, 1), (1, 1), (2, 3, 4), (2, 3, 2, 2), (0,), (2, 0)]


def values(shape: tuple[int, ...], dtype: torch.dtype = torch.float64) -> Tensor:
    return RandomTensors(7).like(torch.empty(shape, dtype=dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", EVERY)
def test_the_numbers_are_there_whatever_the_layout(name: str, shape: tuple[int, ...]) -> None:
    layout = EVERY[name]
    numbers = layout.repeated(values(shape))
    placed, memory = layout.placed(numbers, RandomTensors())
    assert torch.equal(placed, numbers)
    assert placed.shape == shape
    assert placed.untyped_storage().data_ptr() == memory.untyped_storage().data_ptr()
    # Who reads as many numbers from its start as it has elements stays inside.
    assert placed.storage_offset() + placed.numel() <= memory.numel()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.complex128], ids=str)
def test_types(name: str, dtype: torch.dtype) -> None:
    layout = EVERY[name]
    placed, memory = layout.placed(layout.repeated(values((2, 3), dtype)), RandomTensors())
    assert placed.dtype is memory.dtype is dtype


def strides(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    found = EVERY[name]
    assert isinstance(found, MemoryLayout)
    assert found.fits(shape)
    return found.placed(found.repeated(values(shape)), RandomTensors())[0].stride()


def test_strides_are_those_of_torch() -> None:
    assert strides("transposed", (2, 3)) == torch.empty(3, 2).t().stride()
    assert strides("sliced", (2, 3)) == torch.empty(2, 6)[:, ::2].stride()
    image = torch.empty(2, 3, 4, 5)
    assert (
        strides("channels_last", (2, 3, 4, 5))
        == image.to(memory_format=torch.channels_last).stride()
    )
    assert strides("expanded", (2, 3)) == torch.empty(()).expand(2, 3).stride()
    assert strides("expanded_first", (2, 3)) == torch.empty(3).expand(2, 3).stride()


def test_what_means_nothing_for_a_shape_does_not_fit() -> None:
    fitting = {
        shape: [name for name, layout in EVERY.items() if layout.fits(shape)]
        for shape in [(), (3,), (2, 0)]
    }
    assert fitting == {
        (): ["dense", "offset"],
        (3,): ["dense", "sliced", "offset", "expanded"],
        (2, 0): [],
    }


def test_the_memory_around_holds_other_numbers() -> None:
    numbers = values((2, 3))
    placed, memory = EVERY["sliced"].placed(numbers, RandomTensors())
    assert not torch.equal(memory[: placed.numel()], numbers.view(-1))
