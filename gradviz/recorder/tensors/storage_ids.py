"""Numbers for the storages of tensors: the same number means the same memory."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Set

import torch

from gradviz.recorder import compat
from gradviz.recorder.tensors import tensor_compat

_FIRST_PRUNING = 10_000


class StorageIds:
    """Numbers storages by address, and detects when an address is used for another one.

    Args:
        keep_only: Called now and then with the numbers that are still in use.

    Attributes:
        exported: Numbers of storages that code outside of torch may write to.
        unchecked: Numbers of storages that may be so: those of devices, and those first met in a
            pass, where torch cannot be asked.
    """

    def __init__(self, keep_only: Callable[[Set[int]], None]) -> None:
        self._keep_only = keep_only
        # Addresses with a weak reference, which keeps them from being used for other storages.
        self._held: dict[int, int] = {}
        self._seen: dict[int, tuple[int, list[weakref.ref[torch.Tensor]]]] = {}
        self._count = 0
        self.exported: set[int] = set()
        self._exported_before: set[int] = set()
        self.unchecked: set[int] = set()
        self._most = _FIRST_PRUNING

    def number(self, tensor: torch.Tensor, *, native: bool = False) -> int:
        """The number of a strided tensor's storage.

        Args:
            tensor: The tensor.
            native: Whether its memory is torch's own, if it was never seen before.
        """
        address = tensor_compat.storage_address(tensor)
        held = self._held.get(address)
        if held is not None:
            return held
        entry = self._seen.get(address)
        if entry is not None:
            last = entry[1][-1]()
            if last is tensor:
                return entry[0]
            # Most are alone, and dead.
            seen = None if last is None and len(entry[1]) == 1 else self._alive(address)
            if seen is not None:
                number, tensors = seen
                if not any(each() is tensor for each in tensors):
                    tensors.append(weakref.ref(tensor))
                return number
        self._add(tensor, address, native=native)
        return self._count

    def _add(self, tensor: torch.Tensor, address: int, *, native: bool) -> None:
        self._count += 1
        if address in self._exported_before:
            self.exported.add(self._count)
        is_checked = native
        if compat.current_pass() < 0:
            is_checked = True
            reference, is_exported = tensor_compat.weak_storage(tensor)
            self._held[reference] = self._count
            if is_exported:
                self.exported.add(self._count)
        else:
            # In a pass, that would change what the engine does, so check living tensors instead.
            self._seen[address] = (self._count, [weakref.ref(tensor)])
        # A recorded graph of a device writes without versions when it is replayed.
        if not (tensor.is_cpu and is_checked):
            self.unchecked.add(self._count)
        if len(self._held) + len(self._seen) > self._most:
            self._prune()

    def note_export_before(self, tensor: torch.Tensor) -> None:
        """Note that memory without a number is exported, or other memory that gets its address."""
        self._exported_before.add(tensor_compat.storage_address(tensor))

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
        self.unchecked &= in_use
        self._keep_only(in_use)
        self._most = 2 * len(in_use) + _FIRST_PRUNING

    def clear(self) -> None:
        """Forget all storages."""
        self._free(list(self._held))
        self._seen.clear()
        self.exported.clear()
        self._exported_before.clear()
        self.unchecked.clear()

    def _free(self, addresses: list[int]) -> None:
        for address in addresses:
            del self._held[address]
            tensor_compat.free_weak_storage(address)


def _is_at(tensor: torch.Tensor | None, address: int) -> bool:
    """Whether a tensor is alive and still at its address; ``x.data = y`` changes it."""
    return tensor is not None and tensor_compat.storage_address(tensor) == address
