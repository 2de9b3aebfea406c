"""Detection of writes to tensors between two moments of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradviz.recorder import compat
from gradviz.recorder.tensors.content_keys import TensorContentKeys
from gradviz.recorder.tensors.tensor_elements import plain, read_element_bytes, unreadable_reason


class TensorVersionWatch:
    """Versions of tensors, and elements of small CPU tensors, without holding the tensors.

    NumPy and ``.data`` bypass the version counter. Use it inside `DisabledTorchModes`.

    Args:
        content_keys: Decides which tensors are small.
        values: Values whose tensors are watched.
    """

    def __init__(self, content_keys: TensorContentKeys, values: Sequence[Any]) -> None:
        self._content_keys = content_keys
        self._known = [self._state(value) for value in values]

    def changed(self, values: Sequence[Any]) -> list[int]:
        """Positions of the tensors written to since; pass the same values as before."""
        return [
            position
            for position, (value, known) in enumerate(zip(values, self._known, strict=False))
            if self._state(value) != known
        ]

    def _state(self, value: Any) -> tuple[int | None, bytes] | None:
        if (
            not isinstance(value, torch.Tensor)
            or compat.is_wrapped(value)
            or unreadable_reason(value)
        ):
            return None
        value = plain(value)
        read = value.is_cpu and self._content_keys.is_small(value)
        return compat.version_of(value), read_element_bytes(value) if read else b""
