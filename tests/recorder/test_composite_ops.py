"""Ops that torch computes differently under a dispatch mode keep their bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.recorder.recorded_run import record_run

Made = Callable[[torch.Tensor], torch.Tensor]


def spd(x: torch.Tensor) -> torch.Tensor:
    return x @ x.mH


CASES: dict[str, tuple[torch.dtype, Made]] = {
    "prod": (torch.float64, lambda x: torch.prod(x)),
    "prod_of_rows": (torch.float64, lambda x: torch.prod(x, 0)),
    "cumprod": (torch.complex128, lambda x: torch.cumprod(x, 0)),
    "masked_fill": (torch.float64, lambda x: (x * 1).masked_fill(x > 0, x.sum())),
    "pinv": (torch.complex128, lambda x: torch.linalg.pinv(x)),
    "pinverse": (torch.complex128, lambda x: torch.pinverse(x)),
    "det": (torch.float64, lambda x: torch.linalg.det(x)),
    "eigh": (torch.complex128, lambda x: torch.linalg.eigh(spd(x))[1].abs()),
}


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_bits_stay_as_they_are(name: str, second: bool, tmp_path: Path) -> None:
    dtype, function = CASES[name]
    start = torch.randn(4, 4, dtype=dtype, generator=torch.Generator().manual_seed(5))

    def run() -> list[bytes]:
        x = start.clone().requires_grad_()
        y = function(x)
        result = [y, *torch.autograd.grad(y.abs().sum(), x, create_graph=second)]
        if second:
            result += torch.autograd.grad(result[1].abs().sum(), x)
        return [each.detach().resolve_conj().numpy().tobytes() for each in result]

    plain = run()
    assert run() == plain, "it is not deterministic"
    recording = record_run(tmp_path, run, level="ops")
    assert recording.result == plain
    assert {finding.code for finding in recording.trace.findings} <= {"ops_left_out"}
