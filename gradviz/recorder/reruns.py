"""Detection of forward code that a checkpoint runs again during a backward pass."""

from __future__ import annotations

from pathlib import Path
from types import FrameType

import torch

from gradviz.recorder import compat

_FILE = str(Path(torch.__file__).parent / "utils" / "checkpoint.py")
_AGAIN = frozenset(("backward", "unpack_hook"))
"""Checkpoint functions that rerun a forward: with ``use_reentrant``, and without."""


def is_rerun(frame: FrameType | None) -> bool:
    """Whether a line runs because a checkpoint recomputes what it has discarded.

    Args:
        frame: A frame of the run.
    """
    if compat.current_pass() < 0:
        return False
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _FILE and code.co_name in _AGAIN:
            return True
        frame = frame.f_back
    return False
