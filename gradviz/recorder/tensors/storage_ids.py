"""Numbers for the storages of tensors: the same number means the same memory."""

from __future__ import annotations

from collections.abc import Callable, Set

import torch

from gradviz.recorder.tensors import tensor_compat

_FIRST_PRUNING = 10_000
_address_of = tensor_compat.storage_address


class StorageIds:
    """Numbers storages by address, and detects when an address is used for another one.

    Args:
        keep_only: Called now and then with the numbers that are still in use.

    Attributes:
        exported: Numbers of storages that code outside of torch may write to.
        unchecked: Numbers of storages that may be so, as those of devices.
    """

    def __init__(self, keep_only: Callable[[Set[int]], None]) -> None:
        self._keep_only = keep_only
        # Addresses with a weak reference, which keeps them from being used for other storages.
        self._held: dict[int, int] = {}
        self._count = 0
        self.exported: set[int] = set()
        self._exported_before: set[int] = set()
        self.unchecked: set[int] = set()
        self._most = _FIRST_PRUNING

    def number(self, tensor: torch.Tensor) -> int:
        """The number of a strided tensor's storage."""
        address = _address_of(tensor)
        held = self._held.get(address)
        if held is not None:
            return held
        self._count = number = self._count + 1
        reference, is_exported = tensor_compat.weak_storage(address)
        self._held[reference] = number
        if is_exported or address in self._exported_before:
            self.exported.add(number)
        # A recorded graph of a device writes without versions when it is replayed.
        if not tensor.is_cpu:
            self.unchecked.add(number)
        if len(self._held) > self._most:
            self._prune()
        return number

    def note_export_before(self, tensor: torch.Tensor) -> None:
        """Note that memory without a number is exported, or other memory that gets its address."""
        self._exported_before.add(_address_of(tensor))

    def known(self, tensor: torch.Tensor) -> int | None:
        """The number of a strided tensor's storage; None if it has none yet."""
        return self._held.get(_address_of(tensor))

    def _prune(self) -> None:
        self._free([each for each in self._held if tensor_compat.weak_storage_expired(each)])
        in_use = set(self._held.values())
        self.exported &= in_use
        self.unchecked &= in_use
        self._keep_only(in_use)
        self._most = 2 * len(in_use) + _FIRST_PRUNING

    def clear(self) -> None:
        """Forget all storages."""
        self._free(list(self._held))
        self.exported.clear()
        self._exported_before.clear()
        self.unchecked.clear()

    def _free(self, addresses: list[int]) -> None:
        for address in addresses:
            del self._held[address]
            tensor_compat.free_weak_storage(address)
