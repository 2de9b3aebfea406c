"""Whether somebody has written into tensors since they were looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradviz.recorder import compat
from gradviz.recorder.seals import Seals
from gradviz.recorder.snapshot import elements, note_on


class Watch:
    """Remembers versions of tensors, and of small ones the elements; it holds none of them.

    NumPy and ``.data`` go round the version counter. Called inside `Quiet`.

    Args:
        seals: Says what is small.
        values: Of which the tensors are watched.
    """

    def __init__(self, seals: Seals, values: Sequence[Any]) -> None:
        self._seals = seals
        self._known = [self._state(value) for value in values]

    def changed(self, values: Sequence[Any]) -> list[int]:
        """Positions of those that were written into; the values are the same tensors as before."""
        return [
            position
            for position, (value, known) in enumerate(zip(values, self._known, strict=False))
            if self._state(value) != known
        ]

    def _state(self, value: Any) -> tuple[int | None, bytes] | None:
        if not isinstance(value, torch.Tensor) or compat.is_wrapped(value) or note_on(value):
            return None
        read = value.is_cpu and self._seals.is_small(value)
        return compat.version_of(value), elements(value) if read else b""
