"""Seals of tensor elements, which let each state of a tensor be recorded only once."""

from __future__ import annotations

import threading
from typing import Any

import torch

from gradviz.recorder import compat
from gradviz.recorder.fingerprint import fingerprint
from gradviz.recorder.snapshot import elements, is_dense


class Seals:
    """Computes seals: all bits of a small tensor, a hash of a large one.

    While torch runs one of its own calls, no user code can change elements behind the version
    counter. During that time, each version of a tensor is read only once, see `quiet`.
    """

    def __init__(self, whole_elements: int) -> None:
        self._whole_elements = whole_elements
        self._read: dict[tuple[Any, ...], tuple[int | None, bytes]] = {}
        self._thread: int | None = None

    def quiet(self, *, on: bool) -> None:
        """Set whether only torch itself is running now, in this thread and all others."""
        self._thread = threading.get_ident() if on else None
        if self._read:
            self._read.clear()

    def changed(self) -> None:
        """Discard cached seals after an op wrote to memory; torch updates versions only later."""
        self._read.clear()

    def of(self, tensor: torch.Tensor, key: tuple[Any, ...]) -> bytes:
        """Compute or look up the seal of a tensor.

        Args:
            tensor: A strided tensor.
            key: Distinguishes it from other tensors, even those that share its memory.
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
        """Whether all elements of a tensor are stored."""
        return tensor.numel() <= self._whole_elements

    def _place(self, tensor: torch.Tensor, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """Cache key; a large tensor and its views of the same elements share one."""
        if self.is_small(tensor) or not is_dense(tensor):
            return key
        storage, offset, _, _, dtype, _, conj, neg, _ = key
        return (storage, offset, tensor.numel(), dtype, conj, neg)
