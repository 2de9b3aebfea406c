"""Random numbers for experiments: seeded, and the user's stream as it was afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seeds torch, NumPy and Python, and puts all of their states back in the end."""
    on_cuda = torch.cuda.is_initialized()
    devices = range(torch.cuda.device_count()) if on_cuda else ()
    pythons, numpys = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=devices):
            # torch.manual_seed would leave a seed behind for a CUDA that is not in use yet.
            (torch.manual_seed if on_cuda else torch.default_generator.manual_seed)(seed)
            random.seed(seed)
            np.random.seed(seed)
            yield
    finally:
        random.setstate(pythons)
        np.random.set_state(numpys)
