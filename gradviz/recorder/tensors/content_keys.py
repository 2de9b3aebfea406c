"""Content keys of tensors, which let each state of a tensor be recorded only once.

Numbers for the storages of tensors: the same number means the same memory.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Set
from threading import get_ident
from typing import Any

import numpy as np
import torch

from gradviz.recorder import compat
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import memory_array, memory_bytes, memory_elements
from gradviz.recorder.tensors.tensor_elements import is_dense, read_element_bytes
from gradviz.recorder.tensors.tensor_form import TensorKey, memory_key

_FIRST_PRUNING = 10_000


class StorageIds:
    """Numbers storages by address, and detects when an address is used for another one.

    Args:
        keep_only: Called now and then with the numbers that are still in use.

    Attributes:
        exported: Numbers of storages that code outside of torch may write to.
    """

    def __init__(self, keep_only: Callable[[Set[int]], None]) -> None:
        self._keep_only = keep_only
        # Addresses with a weak reference, which keeps them from being used for other storages.
        self._held: dict[int, int] = {}
        self._seen: dict[int, tuple[int, list[weakref.ref[torch.Tensor]]]] = {}
        self._count = 0
        self.exported: set[int] = set()
        self._most = _FIRST_PRUNING

    def number(self, tensor: torch.Tensor) -> int:
        """The number of a strided tensor's storage."""
        address = tensor_compat.storage_address(tensor)
        held = self._held.get(address)
        if held is not None:
            return held
        entry = self._seen.get(address)
        if entry is not None:
            if entry[1][-1]() is tensor:
                return entry[0]
            seen = self._alive(address)
            if seen is not None:
                number, tensors = seen
                if not any(each() is tensor for each in tensors):
                    tensors.append(weakref.ref(tensor))
                return number
        self._count += 1
        if compat.current_pass() < 0:
            reference, is_exported = tensor_compat.weak_storage(tensor)
            self._held[reference] = self._count
            if is_exported:
                self.exported.add(self._count)
        else:
            # In a pass, that would change what the engine does, so check living tensors instead.
            self._seen[address] = (self._count, [weakref.ref(tensor)])
        if len(self._held) + len(self._seen) > self._most:
            self._prune()
        return self._count

    def known(self, tensor: torch.Tensor) -> int | None:
        """The number of a strided tensor's storage; None if it has none yet."""
        address = tensor_compat.storage_address(tensor)
        held = self._held.get(address)
        if held is not None:
            return held
        seen = self._alive(address)
        return None if seen is None else seen[0]

    def _alive(self, address: int) -> tuple[int, list[weakref.ref[torch.Tensor]]] | None:
        entry = self._seen.get(address)
        if entry is None:
            return None
        living = [each for each in entry[1] if _is_at(each(), address)]
        if not living:
            del self._seen[address]
            return None
        self._seen[address] = (entry[0], living)
        return self._seen[address]

    def _prune(self) -> None:
        self._free([each for each in self._held if tensor_compat.weak_storage_expired(each)])
        for address in list(self._seen):
            self._alive(address)
        in_use = {*self._held.values(), *(number for number, _ in self._seen.values())}
        self.exported &= in_use
        self._keep_only(in_use)
        self._most = 2 * len(in_use) + _FIRST_PRUNING

    def clear(self) -> None:
        """Forget all storages."""
        self._free(list(self._held))
        self._seen.clear()
        self.exported.clear()

    def _free(self, addresses: list[int]) -> None:
        for address in addresses:
            del self._held[address]
            tensor_compat.free_weak_storage(address)


def _is_at(tensor: torch.Tensor | None, address: int) -> bool:
    """Whether a tensor is alive and still at its address; ``x.data = y`` changes it."""
    return tensor is not None and tensor_compat.storage_address(tensor) == address


_LANES = 1021
"""Number of separate sums: a prime, so that rows of common lengths do not align with it."""

_FEW_LANES = 251
"""The same for tensors of up to `_MANY` words, whose sums would take longer to hash."""

_MANY = 1 << 16

_WORDS = ("int64", "uint8", "int16", "uint8", "int32", "uint8", "int16", "uint8")
"""The largest integers that fit, by the last three bits of both address and size."""


def fingerprint(tensor: torch.Tensor) -> bytes:
    """Hash of a tensor's elements; views of the same elements have the same one.

    The version counter is not enough, because NumPy and ``.data`` bypass it.

    Args:
        tensor: A strided tensor of any dtype, device and memory layout.
    """
    is_plain = tensor_compat.is_ordinary(tensor) and tensor.is_contiguous()
    flat = tensor if is_plain else _in_memory(tensor)
    width = flat.element_size()
    if not flat.is_cpu:
        return _digest(*_sums_on_device(flat, int(flat.storage_offset()) * width))
    return _digest(*_sums_in_memory(flat, flat.data_ptr() | flat.numel() * width))


def _digest(lanes: bytes, rest: bytes) -> bytes:
    # Nobody attacks it, and this is the fastest one.
    return hashlib.sha1(lanes + rest, usedforsecurity=False).digest()


def _sums_in_memory(flat: torch.Tensor, alignment: int) -> tuple[bytes, bytes]:
    """The sum of each lane of a tensor's memory, and the words left over.

    Args:
        flat: A contiguous tensor on the CPU.
        alignment: Its address and its size in bytes, combined by ``or``.
    """
    words = memory_array(flat, _WORDS[alignment & 7])
    lanes = _LANES if words.size > _MANY else _FEW_LANES
    even = words.size - words.size % lanes
    # As integers: unlike a sum of floats, theirs does not depend on the order.
    sums = np.add.reduce(words[:even].reshape(-1, lanes), axis=0, dtype=np.int64)
    return sums.tobytes(), words[even:].tobytes()


def _sums_on_device(flat: torch.Tensor, offset: int) -> tuple[bytes, bytes]:
    size = flat.numel() * flat.element_size()
    words = flat.view(getattr(torch, _WORDS[(offset | size) & 7]))
    even = words.numel() - words.numel() % _LANES
    rows, rest = words[:even].view(-1, _LANES), words[even:]
    return memory_bytes(rows.sum(0, dtype=torch.int64)), memory_bytes(rest)


def _in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """All elements in one dimension, in memory order if that needs no copy."""
    tensor = tensor.detach()
    plain = not (tensor.is_complex() or tensor.is_neg() or tensor_compat.is_zero_tensor(tensor))
    if tensor.is_contiguous() and plain:
        return tensor.view(-1)
    if tensor.is_conj():
        tensor = tensor.conj()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    tensor = memory_elements(tensor).values
    if not is_dense(tensor):
        return tensor.contiguous().view(-1)
    return tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset())


class TensorContentKeys:
    """Computes content keys: all bits of a small tensor, a hash of a large one.

    While torch runs one of its own calls, no user code can change elements behind the version
    counter. During that time, each version of a tensor is read only once, see `set_caching`.
    """

    def __init__(self, whole_elements: int) -> None:
        self._whole_elements = whole_elements
        self._read: dict[tuple[Any, ...], tuple[int | None, bytes]] = {}
        self._thread: int | None = None

    def set_caching(self, *, on: bool) -> None:
        """Set whether to cache keys, while only torch itself runs in this thread and all others."""
        self._thread = get_ident() if on else None
        if self._read:
            self._read.clear()

    def changed(self) -> None:
        """Discard cached keys after an op wrote to memory; torch updates versions only later."""
        self._read.clear()

    def of(self, tensor: torch.Tensor, key: TensorKey) -> bytes:
        """Compute or look up the content key of a tensor.

        Args:
            tensor: A strided tensor.
            key: Distinguishes it from other tensors, even those that share its memory.
        """
        if self._thread is None or self._thread != get_ident():
            return self.read(tensor)
        version = tensor_compat.version_of(tensor)
        place = self._place(tensor, key)
        known = self._read.get(place)
        if known is None or known[0] != version or version is None:
            known = self._read[place] = (version, self.read(tensor))
        return known[1]

    def read(self, tensor: torch.Tensor) -> bytes:
        """Compute the content key of a tensor, without the cache."""
        return read_element_bytes(tensor) if self.is_small(tensor) else fingerprint(tensor)

    def is_small(self, tensor: torch.Tensor) -> bool:
        """Whether all elements of a tensor are stored."""
        return tensor.numel() <= self._whole_elements

    def _place(self, tensor: torch.Tensor, key: TensorKey) -> tuple[Any, ...]:
        """Cache key; a large tensor and its views of the same elements share one."""
        if self.is_small(tensor) or not is_dense(tensor):
            return key
        return memory_key(key)
