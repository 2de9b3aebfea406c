"""The elements of expanded and overlapping tensors, computed from their memory alone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec import structs
from torch.autograd import Function

from gradviz.model.statistics import statistics_of
from gradviz.recorder.tensors import statistics
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.recorder.tensors.memory_elements import memory_elements
from gradviz.recorder.tensors.statistics import statistics_of_tensor
from gradviz.recorder.tensors.tensor_elements import sample_bytes
from tests.recorder.recorded_run import record_run

VIEWS: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "expanded": ((7, 5), (0, 1), 3),
    "expanded in the middle": ((3, 4, 5), (5, 0, 1), 0),
    "expanded twice": ((6, 2, 6), (0, 3, 0), 1),
    "windows": ((10, 4), (1, 1), 0),
    "windows with gaps": ((4, 4, 4), (2, 2, 4), 2),
    "windows of an expansion": ((4, 3, 4), (1, 0, 1), 5),
    "not overlapping": ((4, 3), (3, 1), 0),
    "gaps": ((3, 2), (5, 2), 1),
    "one element": ((1, 1), (9, 9), 4),
}
EXACT = ("count", "minimum", "maximum", "zeros", "nans")
EXACT += ("positive_infinities", "negative_infinities")


def values(dtype: torch.dtype) -> torch.Tensor:
    made = torch.arange(-4, 26, dtype=torch.float64)
    if dtype is torch.float32:
        made[[2, 6, 7]] = torch.tensor([math.nan, math.inf, -math.inf], dtype=torch.float64)
    made = made.abs() if dtype in (torch.uint8, torch.uint16) else made
    return made.to(torch.complex128).to(dtype) if dtype.is_complex else made.to(dtype)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    "dtype",
    [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64],
    ids=str,
)
def test_statistics_are_those_of_the_materialized_tensor(name: str, dtype: torch.dtype) -> None:
    tensor = values(dtype).as_strided(*VIEWS[name])
    wide = tensor.float() if dtype is torch.bfloat16 else tensor
    expected = structs.asdict(statistics_of(wide.contiguous().numpy()))
    got = structs.asdict(statistics_of_tensor(tensor))
    for key, number in expected.items():
        if key in EXACT or number is None:
            assert got[key] == number, key
        else:
            assert got[key] == pytest.approx(number, rel=1e-12, abs=1e-12), key


@pytest.mark.parametrize("name", VIEWS)
def test_statistics_on_a_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = values(torch.float64).as_strided(*VIEWS[name])
    on_cpu = statistics_of_tensor(tensor)

    def as_on_a_device(array: Any) -> Any:
        return statistics._on_device(torch.from_numpy(np.ascontiguousarray(array)))  # noqa: SLF001

    monkeypatch.setattr(statistics, "statistics_of_memory", as_on_a_device)
    on_device = statistics_of_tensor(tensor)
    assert structs.astuple(on_device) == pytest.approx(structs.astuple(on_cpu))


@pytest.mark.parametrize("name", VIEWS)
def test_each_element_is_counted_as_often_as_it_is_shown(name: str) -> None:
    memory = torch.arange(30)
    tensor = memory.as_strided(*VIEWS[name])
    held = memory_elements(tensor)
    weights = np.ones(held.values.numel(), int) if held.weights is None else held.weights
    shown = np.bincount(tensor.reshape(-1).numpy(), minlength=30)
    counted = np.zeros(30, int)
    counted[held.values.reshape(-1).numpy()] = weights * held.repeats
    assert counted.tolist() == shown.tolist()
    assert held.values.numel() <= min(30, tensor.numel())


def test_conjugated_and_negated_views_keep_their_signs() -> None:
    numbers = torch.complex(torch.arange(6.0), torch.arange(6.0) - 2)
    for tensor in (numbers.conj().imag, numbers.conj()):
        shown = tensor.as_strided((4, 3), (tensor.stride(0),) * 2)
        expected = statistics_of(shown.resolve_conj().resolve_neg().contiguous().numpy())
        assert statistics_of_tensor(shown).minimum == expected.minimum
        assert statistics_of_tensor(shown).total == pytest.approx(expected.total)


def test_gaps_between_windows_do_not_count_for_a_fingerprint() -> None:
    memory = torch.zeros(20_000)
    windows = memory.as_strided((3000, 3000), (2, 2))
    before = fingerprint(windows)
    memory[1] = 1
    assert fingerprint(windows) == before
    memory[2] = 1
    assert fingerprint(windows) != before


def test_a_sample_reads_only_what_it_shows() -> None:
    tensor = torch.arange(4.0).as_strided((2**20, 2**20, 4), (0, 0, 1))
    shown = sample_bytes(tensor, (2**19, 2**20, 1))
    assert np.frombuffer(shown, np.float32).tolist() == [0, 1, 2, 3] * 2


class WithFactor(Function):
    apply: Any

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        return grad_output * 2, None


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [((2**40,), (0,)), ((2**20, 2**20), (0, 0)), ((10**6, 10**6), (1, 1))],
    ids=["expanded", "expanded twice", "windows"],
)
def test_a_view_larger_than_any_memory_is_recorded(
    sizes: tuple[int, ...], strides: tuple[int, ...], tmp_path: Path
) -> None:
    reach = 1 + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))
    seen = torch.ones(reach).as_strided(sizes, strides)
    x = torch.ones(2, requires_grad=True)
    recording = record_run(tmp_path, lambda: WithFactor.apply(x, seen).sum().backward())
    (huge,) = [each for each in recording.trace.tensors if each.shape == sizes]
    assert huge.statistics is not None
    assert (huge.content, huge.statistics.count) == ("preview", math.prod(sizes))


def test_a_broadcast_array_is_copied_as_its_memory(tmp_path: Path) -> None:
    class OfArray(WithFactor):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, other: Any) -> torch.Tensor:
            huge = np.broadcast_to(x.detach().numpy()[:1], 10**12)
            return x * float(huge[0])

    x = torch.ones(2, requires_grad=True)
    recording = record_run(tmp_path, lambda: OfArray.apply(x, None).sum().backward(), level="all")
    (huge,) = [each for each in recording.trace.tensors if each.shape == (10**12,)]
    assert huge.statistics is not None
    assert huge.statistics.total == 10**12
