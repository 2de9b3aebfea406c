"""Which tensors are still in the state in which they were recorded last."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Iterable, Set

import torch
from msgspec import Struct

from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.recorder.tensors.storage_ids import UNTOLD, StorageIds
from gradviz.recorder.tensors.tensor_elements import is_readable, plain, strided_view
from gradviz.recorder.tensors.tensor_form import RecordedForm, TensorKey

_version, _OWN_CLASSES = tensor_compat.version_counter, tensor_compat.OWN_CLASSES
_is_distributed = tensor_compat.is_distributed
_MOST_BYTES = 64 << 20


class KnownTensor(Struct, gc=False):
    """A tensor in the state in which it was recorded last.

    Attributes:
        number: Its number in the trace.
        version: Its version counter; None if it has none.
        content: All elements of a small tensor. A fingerprint of a large one; None while only torch
            can write to it, so that `version` and `writes` tell.
        writes: Number of writes to its memory until then, as in `StorageIds`.
    """

    number: int
    version: int | None
    content: bytes | None
    writes: float


class KnownObject(Struct, gc=False):
    """A tensor of the run as it was when it was used last, since its ``id()`` may be used again.

    Attributes:
        reference: The tensor, which is not kept alive.
        address: Address of its elements.
        storage: Number of its storage.
        stored: Its form.
        known: What was recorded of it.
    """

    reference: weakref.ref[torch.Tensor]
    address: int
    storage: int
    stored: RecordedForm
    known: KnownTensor


class KnownTensors:
    """Compares tensors with what was recorded of them.

    NumPy and ``.data`` bypass the version counter. So elements are compared: those of a small
    tensor always, which takes no longer than to ask whether it is necessary, and those of a large
    one if code outside of torch may have its memory.

    Args:
        whole_elements: Largest number of elements of a small tensor.
        keep_only: Called now and then with the numbers of the storages that are still in use.

    Attributes:
        storages: Numbers of the storages.
        tensors: What was recorded last of each tensor.
        objects: The tensors whose records are known, by ``id()``.
        generation: While it stays the same, equal numbers mean the same tensor in the same
            state, and different numbers mean a different tensor or state.
    """

    def __init__(self, whole_elements: int, keep_only: Callable[[Set[int]], None]) -> None:
        self._whole_elements = whole_elements
        self._keep_others = keep_only
        self.storages = StorageIds(self._keep_only_storages)
        self.generation = 0
        self.tensors: dict[TensorKey, KnownTensor] = {}
        # The large ones whose version tells, by storage: a run may export its memory step by step.
        self._told: dict[int, set[TensorKey]] = {}
        self._bytes = 0
        self.objects: dict[int, KnownObject] = {}

    def unchanged(self, tensor: torch.Tensor) -> KnownObject | None:
        """What is known of a tensor that still is what it was at its last use; None if unsure."""
        seen = self.objects.get(id(tensor))
        if seen is None or seen.reference() is not tensor or type(tensor) not in _OWN_CLASSES:
            return None
        stored, known, address = seen.stored, seen.known, seen.address
        form = stored.form
        try:
            if (
                tensor.data_ptr() != address
                or _version(tensor) != known.version
                or tensor.requires_grad != form.requires_grad
                or tensor.shape != form.shape
            ):
                return None
        except RuntimeError as error:  # ``swap_tensors`` makes it any other tensor.
            if is_asynchronous(error):
                raise
            return None
        if stored.is_small:
            return seen if stored.read(address) == known.content else None
        return seen if self._versions_tell(seen.storage, known) else None

    def _versions_tell(self, storage: int, known: KnownTensor) -> bool:
        """Whether a large tensor has the recorded elements if it has the recorded version."""
        # Processes exchange gradients in memory, past the version counter.
        return known.writes == self.storages.writes.get(storage, 0) and not _is_distributed()

    def is_same(self, tensor: torch.Tensor, key: TensorKey, known: KnownTensor) -> bool:
        """Whether a large tensor that has the recorded version has the recorded elements."""
        if known.version is None or not self._versions_tell(key[0], known):
            if known.content is None or known.content != fingerprint(tensor):
                return False
            known.writes = self.storages.writes.get(key[0], 0)
        return True

    def content_of(self, tensor: torch.Tensor, storage: int, version: int | None) -> bytes | None:
        """The fingerprint to compare a large tensor with later; None if its version tells."""
        is_told = version is not None and self.storages.writes.get(storage, 0) is not UNTOLD
        return None if is_told and not _is_distributed() else fingerprint(tensor)

    def kept_content(self, tensor: torch.Tensor) -> bytes | None:
        """All elements of a small tensor that has just been recorded; None if they are unknown."""
        seen = self.objects.get(id(tensor))
        return None if seen is None or seen.reference() is not tensor else seen.known.content

    def recorded_content(self, tensor: torch.Tensor, key: TensorKey) -> bytes | None:
        """Elements or fingerprint of a tensor that has just been recorded; None if unknown."""
        known = self.tensors.get(key)
        if known is not None and known.content is None:
            known.content = fingerprint(tensor)
        return None if known is None else known.content

    def add(
        self, key: TensorKey, number: int, version: int | None, content: bytes | None
    ) -> KnownTensor:
        """Note that a tensor was recorded."""
        if content is not None:
            self._bytes += len(content)
            if self._bytes > _MOST_BYTES:
                self.keep_only(())
        else:
            self._told.setdefault(key[0], set()).add(key)
        writes = self.storages.writes.get(key[0], 0)
        known = self.tensors[key] = KnownTensor(number, version, content, writes)
        return known

    def count_write(self, storage: int) -> None:
        """Note a write to a storage."""
        writes = self.storages.writes
        if writes.get(storage) is not UNTOLD:
            writes[storage] = writes.get(storage, 0) + 1

    def note_export(self, tensor: torch.Tensor) -> None:
        """Note that code outside of torch may write to a readable tensor from now on."""
        storage = self.storages.number(tensor)
        if storage in self.storages.exported:
            return
        tensor = plain(tensor)
        state = (tensor_compat.version_of(tensor), tensor.dtype, tensor.is_conj(), tensor.is_neg())
        # Read what only the version would have told, before anything is written.
        for key in self._told.pop(storage, ()):
            known, form, part = self.tensors.get(key), key[2], None
            if known is None or known.content is not None:
                continue
            if state == (known.version, form.dtype, form.is_conj, form.is_neg):
                part = strided_view(tensor.detach(), form.shape, form.strides, key[1])
            if part is None:
                del self.tensors[key]
            else:
                known.content = fingerprint(part)
        # In this order: an exception from outside may come after the call.
        self.storages.writes[storage] = UNTOLD
        self.storages.exported.add(storage)

    def note_alias(self, tensor: torch.Tensor) -> None:
        """Note that the memory of a readable tensor has another version counter, too.

        Unlike `note_export`, this does not make the memory one that the trace knows.
        """
        if self.storages.known(tensor) is None:
            self.storages.note_export_before(tensor)
        else:
            self.note_export(tensor)

    def note_silent_writes(self, tensors: Iterable[torch.Tensor]) -> None:
        """Note that torch has written to tensors without moving their version counters."""
        for each in tensors:
            if each.numel() > self._whole_elements and is_readable(each):
                self.count_write(self.storages.number(each))

    def distrust_versions(self) -> None:
        """Compare elements from now on, because the recorder is not told of writes for a while."""
        for seen in self.objects.values():
            tensor, known = seen.reference(), seen.known
            if tensor is not None and known.content is None and self.unchanged(tensor) is seen:
                known.content = fingerprint(tensor)
        self._keep({key: each for key, each in self.tensors.items() if each.content is not None})
        self.storages.writes.update([(key[0], UNTOLD) for key in self.tensors])

    def _keep_only_storages(self, numbers: Set[int]) -> None:
        """Forget the tensors whose storages have been freed."""
        self._keep({key: each for key, each in self.tensors.items() if key[0] in numbers})
        self._keep_others(numbers)

    def keep_only(self, numbers: Container[int]) -> None:
        """Forget the tensors that are no longer in the trace; the next use records them again."""
        self._keep({key: each for key, each in self.tensors.items() if each.number in numbers})
        self.generation += 1

    def _keep(self, known: dict[TensorKey, KnownTensor]) -> None:
        self.tensors, self._told = known, {}
        for key, each in known.items():
            if each.content is None:
                self._told.setdefault(key[0], set()).add(key)
        self._bytes = sum(len(each.content or b"") for each in known.values())
        self.objects.clear()

    def forget(self) -> None:
        """Forget all tensors and storages."""
        self.storages.clear()
        self._keep({})
