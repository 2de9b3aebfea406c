"""The recorder's statistics equal the model's, for every dtype."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs

from gradviz.model.statistics import statistics_of
from gradviz.model.step import ForwardStep
from gradviz.model.tensor import ITEM_SIZES, TensorValue
from gradviz.recorder.tensors import statistics
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.recorder.tensors.tensor_elements import dtype_name, read_element_bytes
from tests.recorder.recorded_run import record_run

DTYPES = [getattr(torch, name) for name in ITEM_SIZES]
VALUES = {
    "plain": [-3, 0, 1, 2, 2, -0.0, 7],
    "positive": [3, 1, 2],
    "gaps": [1, math.nan, math.inf, -math.inf, 0, -2],
    "only gaps": [math.nan, math.inf],
    "scalar": 3,
    "empty": [],
}


PAIRS = [
    pytest.param(name, dtype, id=f"{name}-{dtype}")
    for name in VALUES
    for dtype in DTYPES
    if "gaps" not in name or dtype.is_floating_point or dtype.is_complex
]


def made(name: str, dtype: torch.dtype) -> torch.Tensor:
    values = VALUES[name]
    if dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        values = np.abs(np.array(values)).tolist()
    return (
        torch.tensor(values, dtype=torch.complex128).to(torch.complex128).to(dtype)
        if (dtype.is_complex)
        else torch.tensor(values, dtype=torch.float64).to(dtype)
    )


def assert_same(tensor: torch.Tensor, computed: object) -> None:
    value = TensorValue(
        dtype=dtype_name(tensor.dtype), shape=tuple(tensor.shape), data=read_element_bytes(tensor)
    )
    expected = structs.asdict(statistics_of(value.array()))
    got = structs.asdict(computed)
    assert [key for key in got if got[key] is None] == [k for k in expected if expected[k] is None]
    for key, number in expected.items():
        if number is not None:
            assert got[key] == pytest.approx(number, rel=1e-9, nan_ok=True), key


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_on_the_cpu(name: str, dtype: torch.dtype) -> None:
    tensor = made(name, dtype)
    assert_same(tensor, statistics.statistics_of_tensor(tensor))


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_as_on_a_device(name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = made(name, dtype)
    on_device = statistics._on_device  # noqa: SLF001 - the path of devices
    monkeypatch.setattr(statistics, "statistics_of_memory", lambda _: on_device(widened))
    widened = tensor
    if tensor.is_floating_point() and tensor.element_size() < 4:
        widened = tensor.float()
    assert_same(tensor, statistics.statistics_of_tensor(tensor))


def test_large_and_strided() -> None:
    tensor = torch.randn(300, 700, dtype=torch.float64).t()[::2] + 3
    assert_same(tensor, statistics.statistics_of_tensor(tensor))
    tensor[5, 5] = math.inf
    assert_same(tensor, statistics.statistics_of_tensor(tensor))


def test_only_what_holds_the_same_elements_shares_statistics(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.arange(10_000.0).requires_grad_()
        for each in (x, x.view(100, 100).t(), x[:1].expand(10_000), x[1:]):
            (each * 1).sum()
        x.data[0] = -5
        (x * 1).sum()

    recording = record_run(tmp_path, run)
    steps = [step for step in recording.steps(ForwardStep) if step.op == "mul"]
    totals = [recording.index.tensor[step.inputs[0].tensor].statistics.total for step in steps]
    whole = 10_000 * 9_999 / 2
    assert totals == [whole, whole, 0, whole, whole - 5]


def hidden(tensor: torch.Tensor) -> torch.Tensor:
    """Modify an element outside of the preview without bumping the version counter."""
    return tensor.data.view(-1)[1:2]


def test_what_is_written_between_the_samples_is_not_shown_as_it_was(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.arange(10_000.0).requires_grad_()
        (x * 1).sum()
        hidden(x)[0] = -5
        (x * 1).sum()
        x.detach().numpy()[1] = 1
        (x.view(100, 100).t() * 1).sum()
        hidden(x)[0] = -7
        (x.view(100, 100).t() * 1).sum()

    recording = record_run(tmp_path, run)
    steps = [step for step in recording.steps(ForwardStep) if step.op == "mul"]
    tensors = [step.inputs[0].tensor for step in steps]
    assert len(set(tensors)) == 4
    whole = 10_000 * 9_999 / 2
    totals = [recording.index.tensor[number].statistics.total for number in tensors]
    assert totals == [whole, whole - 6, whole, whole - 8]


@pytest.mark.parametrize("dtype", [*DTYPES, torch.complex64], ids=str)
def test_a_fingerprint_is_of_all_elements(dtype: torch.dtype) -> None:
    bits = torch.randint(0, 2, (70, 90)).to(dtype)
    whole = fingerprint(bits)
    assert fingerprint(bits.t()) == fingerprint(bits.clone().view(-1)) == whole
    assert fingerprint(bits[:1].expand(70, 90)) == fingerprint(bits[:1])
    parts = (bits.view(-1)[1:], bits[:, 1:], bits[::2], bits[:, :, None].expand(70, 90, 3))
    before = [fingerprint(part) for part in parts]
    bits[68, 89] = 0 if bits[68, 89] else 1
    assert fingerprint(bits) != whole
    assert [fingerprint(part) != old for part, old in zip(parts, before, strict=True)] == [True] * 4


def test_fingerprints_of_equal_sums_differ() -> None:
    one = torch.tensor([1.0, 4.0] * 3000)
    other = torch.full((6000,), 2.0)
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one.flip(0)) != fingerprint(one)
