"""Numbers for the storages of tensors: the same number means the same memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Set

import torch

from gradviz.recorder.tensors import tensor_compat

UNTOLD = math.nan
"""Stands for a number of writes that nobody knows: it equals no number, not even itself."""

_FIRST_PRUNING = 10_000
_address_of, _weak_storage = tensor_compat.storage_address, tensor_compat.weak_storage


class StorageIds:
    """Numbers storages by address, and detects when an address is used for another one.

    Args:
        keep_only: Called now and then with the numbers that are still in use.

    Attributes:
        held: Numbers by address, with a weak reference each, which keeps the address from being
            used for another storage.
        exported: Numbers of storages that code outside of torch may write to.
        writes: Number of writes to a storage of which the recorder was told, if any. It is
            `UNTOLD` for those that are exported, or may be, as those of devices.
    """

    def __init__(self, keep_only: Callable[[Set[int]], None]) -> None:
        self._keep_only = keep_only
        self.held: dict[int, int] = {}
        self.writes: dict[int, float] = {}
        self._count = 0
        self.exported: set[int] = set()
        self._exported_before: set[int] = set()
        self._most = _FIRST_PRUNING

    def number(self, tensor: torch.Tensor) -> int:
        """The number of a strided tensor's storage."""
        address = _address_of(tensor)
        return self.held.get(address) or self.add(address, tensor)

    def add(self, address: int, tensor: torch.Tensor) -> int:
        """Number a tensor's storage that has none yet, at an address."""
        self._count = number = self._count + 1
        reference, is_exported = _weak_storage(address)
        self.held[reference] = number
        if is_exported or address in self._exported_before:
            self.writes[number] = UNTOLD
            self.exported.add(number)
        # A recorded graph of a device writes without versions when it is replayed.
        if not tensor.is_cpu:
            self.writes[number] = UNTOLD
        if len(self.held) > self._most:
            self._prune()
        return number

    def note_export_before(self, tensor: torch.Tensor) -> None:
        """Note that memory without a number is exported, or other memory that gets its address."""
        self._exported_before.add(_address_of(tensor))

    def known(self, tensor: torch.Tensor) -> int | None:
        """The number of a strided tensor's storage; None if it has none yet."""
        return self.held.get(_address_of(tensor))

    def _prune(self) -> None:
        self._free([each for each in self.held if tensor_compat.weak_storage_expired(each)])
        in_use = set(self.held.values())
        self.exported &= in_use
        self.writes = {each: count for each, count in self.writes.items() if each in in_use}
        self._keep_only(in_use)
        self._most = 2 * len(in_use) + _FIRST_PRUNING

    def clear(self) -> None:
        """Forget all storages."""
        self._free(list(self.held))
        self.exported.clear()
        self._exported_before.clear()
        self.writes.clear()

    def _free(self, addresses: list[int]) -> None:
        for address in addresses:
            del self.held[address]
            tensor_compat.free_weak_storage(address)
