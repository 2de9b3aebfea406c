"""The recorder's statistics are those that the model defines, for every dtype."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from gradviz.model.statistics import statistics_of
from gradviz.model.step import ForwardStep
from gradviz.model.tensor import ITEM_SIZES, TensorValue
from gradviz.recorder import statistics
from gradviz.recorder.snapshot import dtype_name, elements
from tests.recorder.taping import tape

DTYPES = [getattr(torch, name) for name in ITEM_SIZES]
VALUES = {
    "plain": [-3, 0, 1, 2, 2, -0.0, 7],
    "positive": [3, 1, 2],
    "gaps": [1, math.nan, math.inf, -math.inf, 0, -2],
    "only gaps": [math.nan, math.inf],
    "scalar": 3,
    "empty": [],
}


def made(name: str, dtype: torch.dtype) -> torch.Tensor:
    values = VALUES[name]
    if not (dtype.is_floating_point or dtype.is_complex) and "gaps" in name:
        pytest.skip("no NaN in this dtype")
    if dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        values = np.abs(np.array(values)).tolist()
    return (
        torch.tensor(values, dtype=torch.complex128).to(torch.complex128).to(dtype)
        if (dtype.is_complex)
        else torch.tensor(values, dtype=torch.float64).to(dtype)
    )


def assert_same(tensor: torch.Tensor, computed: object) -> None:
    value = TensorValue(
        dtype=dtype_name(tensor.dtype), shape=tuple(tensor.shape), data=elements(tensor)
    )
    expected = dataclasses.asdict(statistics_of(value.array()))
    got = dataclasses.asdict(computed)
    assert [key for key in got if got[key] is None] == [k for k in expected if expected[k] is None]
    for key, number in expected.items():
        if number is not None:
            assert got[key] == pytest.approx(number, rel=1e-9, nan_ok=True), key


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_on_the_cpu(name: str, dtype: torch.dtype) -> None:
    tensor = made(name, dtype)
    assert_same(tensor, statistics.statistics_of_tensor(tensor))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_as_on_a_device(name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = made(name, dtype)
    monkeypatch.setattr(statistics, "_on_cpu", lambda array: statistics._on_device(widened))  # noqa: SLF001 - the path of devices
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

    taped = tape(tmp_path, run)
    steps = [step for step in taped.steps(ForwardStep) if step.op == "mul"]
    totals = [taped.index.tensor[step.inputs[0].tensor].statistics.total for step in steps]
    whole = 10_000 * 9_999 / 2
    assert totals == [whole, whole, 0, whole, whole - 5]
