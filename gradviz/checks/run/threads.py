"""The number of threads that the checked code computes with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

_GRAIN_ELEMENTS = 32_768
"""Torch itself does not split work on fewer elements among threads."""


@contextmanager
def single_thread_if_small(*values: object) -> Iterator[None]:
    """Compute with one thread if all tensors among the values are small.

    The libraries that torch calls split even small matrix products among threads, which then wait
    for each other in every call. That takes longer than the work, and many times as long on a busy
    machine.
    """
    before = torch.get_num_threads()
    is_small = all(each.numel() <= _GRAIN_ELEMENTS for each in values if isinstance(each, Tensor))
    if before == 1 or not is_small:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
