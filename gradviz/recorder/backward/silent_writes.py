"""Detection of saved tensors that were changed without torch's version counter."""

from __future__ import annotations

from typing import Any, Final

import torch
from msgspec import Struct

from gradviz.recorder import compat
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.tensors.tensor_recorder import SavedTensors, TensorRecorder

_MOST: Final = 1000
"""Limit on what is kept until the end of the run; far fewer become findings."""


class ChangedSavedTensor(Struct, frozen=True):
    """A saved tensor that a node used in another state than it had saved.

    Attributes:
        node: Number of the node.
        name: Name of the value in the node.
        saved: Number of the tensor as it was saved.
        used: Number of the tensor as it was used.
        step: The step in which the node was executed.
    """

    node: int
    name: str
    saved: int
    used: int
    step: int


class SilentWriteDetector:
    """Reads saved tensors again when a node uses them, if anything may have written to them.

    Torch raises if the version counter has moved. Writes through ``.data``, NumPy or a pointer do
    not move it. Call with the log's lock held, inside `disabled_torch_modes`.

    Attributes:
        found: What nodes have used.
    """

    def __init__(self, tensors: TensorRecorder) -> None:
        self._tensors = tensors
        self.found: list[ChangedSavedTensor] = []

    def check(self, facts: NodeFacts, step: int) -> None:
        """Compare the tensors that a node is about to use with those that it has saved."""
        saved = facts.saved if facts.call is None else facts.call.saved
        if saved is None or not self._tensors.may_have_changed(saved):
            return
        node: Any = compat.current_node()
        if node is not None and len(self.found) < _MOST:
            self._compare(node, facts, saved, step)

    def _compare(self, node: Any, facts: NodeFacts, saved: SavedTensors, step: int) -> None:
        for position, (name, tensor) in enumerate(zip(saved.names, saved.tensors, strict=True)):
            slot = None if facts.call is None else position
            if not tensor:
                continue
            try:
                if compat.is_packed(compat.saved_handle(node, name, slot)):
                    continue
                value = compat.saved_value(node, name, slot)
            except RuntimeError:
                continue  # Torch raises too, so it is no silent change.
            if isinstance(value, torch.Tensor):
                used = self._tensors.record(value)
                if used != tensor:
                    self.found.append(ChangedSavedTensor(facts.id, name, tensor, used, step))
