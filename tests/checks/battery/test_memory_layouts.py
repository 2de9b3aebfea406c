"""Memory layouts keep the values, use their own memory and match their names."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from gradviz.checks.battery.memory_layouts import DENSE, EXPANDED, NON_OVERLAPPING, MemoryLayout
from gradviz.checks.random_tensors import RandomTensors

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
