"""The accelerator for tests marked `accelerator`: this machine's, or a simulated one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

in_float64 = pytest.mark.usefixtures("accelerator_with_float64")
"""Mark for tests that compute in float64, which some devices, like Apple's GPUs, don't have."""

_NO_SUPPORT = (RuntimeError, NotImplementedError, TypeError)


def accelerator() -> torch.device:
    """The first device of the accelerator; only where there is one."""
    found = torch.accelerator.current_accelerator()
    assert found is not None
    return torch.device(found.type, 0)


def needs(what: str, attempt: Callable[[torch.device], object]) -> None:
    """Skip a test if the device does not support something, found by trying it."""
    try:
        attempt(accelerator())
    except _NO_SUPPORT as error:
        pytest.skip(f"{accelerator()} has no {what}: {str(error).partition(chr(10))[0]}")
