"""Detection of writes to tensors between two moments of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from gradviz.recorder.tensors.tensor_elements import is_readable, plain
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

_WatchedState = tuple[torch.Size, tuple[int, ...], bytes]
"""Shape, strides and content key."""


class TensorVersionWatch:
    """Contents of tensors, without holding the tensors.

    A new version alone is no write: ``unsqueeze_`` on a view counts one too. So the elements are
    compared. Use it inside `disabled_torch_modes`.

    Args:
        tensors: Recorder that has just recorded the values.
        values: Values whose tensors are watched.
    """

    def __init__(self, tensors: TensorRecorder, values: Sequence[Any]) -> None:
        self._tensors = tensors
        self._known = [
            (tensors.known.unchanged(value), self._state(value, tensors.recorded_content))
            for value in values
        ]

    def changed(self, values: Sequence[Any]) -> list[int]:
        """Positions of the tensors written to since; pass the same values as before."""
        found, tensors = [], self._tensors
        for position, (value, known) in enumerate(zip(values, self._known, strict=False)):
            seen, state = known
            if state is None or (seen is not None and tensors.known.unchanged(value) is seen):
                continue
            now = self._state(value, tensors.read_content)
            if now is not None and now != state:
                found.append(position)
        return found

    def _state(
        self, value: Any, content_of: Callable[[torch.Tensor], bytes]
    ) -> _WatchedState | None:
        """The state of a value; None if it has no elements to compare."""
        if not is_readable(value):
            return None
        content, value = content_of(value), plain(value)
        return value.shape, value.stride(), content
