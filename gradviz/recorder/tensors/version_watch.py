"""Detection of writes to tensors between two moments of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import is_readable, plain, small_tensor_memory
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

_WatchedState = tuple[int | None, torch.Size, tuple[int, ...], bytes]
"""Version, shape, strides and content key."""


class TensorVersionWatch:
    """Versions and content keys of tensors, without holding the tensors.

    A new version alone is no write: ``unsqueeze_`` on a view counts one too. So the elements are
    compared, those of a large tensor only if its version is new. Those of a small CPU tensor always
    are, because NumPy and ``.data`` bypass the version counter. Use it inside
    `disabled_torch_modes`.

    Args:
        tensors: Recorder that has just recorded the values.
        values: Values whose tensors are watched.
    """

    def __init__(self, tensors: TensorRecorder, values: Sequence[Any]) -> None:
        self._tensors = tensors
        self._known = [self._state(value) for value in values]

    def changed(self, values: Sequence[Any]) -> list[int]:
        """Positions of the tensors written to since; pass the same values as before."""
        found = []
        for position, (value, known) in enumerate(zip(values, self._known, strict=False)):
            now = None if known is None else self._state(value, known)
            # Without the versions.
            if known is not None and now is not None and now[1:] != known[1:]:
                found.append(position)
        return found

    def _memory(self, value: Any) -> Any:
        """What `small_tensor_memory` returns for a tensor whose elements are all stored."""
        if not isinstance(value, torch.Tensor):
            return None
        memory = small_tensor_memory(value)
        return memory if memory is not None and self._tensors.content_keys.is_small(value) else None

    def _state(self, value: Any, known: _WatchedState | None = None) -> _WatchedState | None:
        """The state of a value, given an earlier one; None if it has no elements to compare."""
        memory = self._memory(value)
        if memory is not None:
            return tensor_compat.version_of(value), value.shape, value.stride(), memory.raw
        if not is_readable(value):
            return None
        recorded, value = value, plain(value)
        keys, version = self._tensors.content_keys, tensor_compat.version_of(value)
        if value.is_cpu and keys.is_small(value):
            content = keys.read(value)  # Faster than a look-up.
        elif known is None:
            content = self._tensors.recorded_content(recorded)
        else:
            content = known[3] if known[0] == version else keys.read(value)
        return version, value.shape, value.stride(), content
