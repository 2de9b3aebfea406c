"""Seeded random numbers for experiments that leave the user's random state unchanged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch, NumPy and Python, and restore all their states afterwards."""
    on_cuda = torch.cuda.is_initialized()
    devices = range(torch.cuda.device_count()) if on_cuda else ()
    pythons, numpys = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=devices):
            # torch.manual_seed would leave a pending seed behind for a CUDA that is not in use yet.
            (torch.manual_seed if on_cuda else torch.default_generator.manual_seed)(seed)
            random.seed(seed)
            np.random.seed(seed)
            yield
    finally:
        random.setstate(pythons)
        np.random.set_state(numpys)
