"""What stands for the elements of a tensor, so that each state of each one is recorded once."""

from __future__ import annotations

import threading
from typing import Any

import torch

from gradviz.recorder import compat
from gradviz.recorder.fingerprint import fingerprint
from gradviz.recorder.snapshot import elements, is_dense


class Seals:
    """All bits of a small tensor, and the fingerprint of a large one.

    Within a call of torch's own, no code of the user runs that could change elements behind the
    version counter. There a tensor is read once for each version, see `quiet`.
    """

    def __init__(self, whole_elements: int) -> None:
        self._whole_elements = whole_elements
        self._read: dict[tuple[Any, ...], tuple[int | None, bytes]] = {}
        self._thread: int | None = None

    def quiet(self, *, on: bool) -> None:
        """Says whether torch alone is at work now, in the calling thread and in all others."""
        self._thread = threading.get_ident() if on else None
        if self._read:
            self._read.clear()

    def changed(self) -> None:
        """An op has written into something: torch counts versions only afterwards."""
        self._read.clear()

    def of(self, tensor: torch.Tensor, key: tuple[Any, ...]) -> bytes:
        """The seal of a tensor.

        Args:
            tensor: Strided.
            key: What tells it from all others that share its memory.
        """
        if self._thread is None or self._thread != threading.get_ident():
            return self._made(tensor)
        version = compat.version_of(tensor)
        place = self._place(tensor, key)
        known = self._read.get(place)
        if known is None or known[0] != version or version is None:
            known = self._read[place] = (version, self._made(tensor))
        return known[1]

    def _made(self, tensor: torch.Tensor) -> bytes:
        return elements(tensor) if self.is_small(tensor) else fingerprint(tensor)

    def is_small(self, tensor: torch.Tensor) -> bool:
        """Whether all of its elements are kept."""
        return tensor.numel() <= self._whole_elements

    def _place(self, tensor: torch.Tensor, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """Fingerprints agree between a large tensor and its views of the same elements."""
        if self.is_small(tensor) or not is_dense(tensor):
            return key
        storage, offset, _, _, dtype, _, conj, neg, _ = key
        return (storage, offset, tensor.numel(), dtype, conj, neg)
