"""Recording of the run's tensors; each state of each tensor is recorded once."""

from __future__ import annotations

import weakref
from collections.abc import Container, Set
from typing import Any

import torch
from msgspec import Struct
from torch.nn.parameter import is_lazy

from gradviz.catalogue.messages import say
from gradviz.model.item import Item, none_item, object_item
from gradviz.model.settings.stop_condition import parse_stop_condition
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.error_boundary import attempt, safe_exception_text
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.safe_text import class_name, printable_text, printable_value
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.recorder.tensors.known_tensors import KnownObject, KnownTensors
from gradviz.recorder.tensors.statistics import NonFiniteWatch, statistics_of_tensor
from gradviz.recorder.tensors.tensor_elements import (
    dtype_name,
    is_dense,
    layout_name,
    plain,
    read_element_bytes,
    sample_bytes,
    subclass_of,
    unreadable_reason,
)
from gradviz.recorder.tensors.tensor_form import (
    RecordedForm,
    TensorForms,
    TensorKey,
    memory_key,
    without_elements,
)
from gradviz.store.packed_rows import SharedCopy

_Tensor, _ref, _storage_address = torch.Tensor, weakref.ref, tensor_compat.storage_address
_MOST_DESCRIBED = 10_000


class SavedTensors(Struct, frozen=True, gc=False):
    """What a node has saved, as it was when the node saved it.

    Attributes:
        slot: Id of the last `SavedSlot` that was recorded.
        names: Name of each value, as in its slot.
        tensors: Number of each tensor; 0 for anything else that a custom Function has saved.
        storages: Number of the storage of each; 0 if unknown.
    """

    slot: int
    names: tuple[str, ...]
    tensors: tuple[int, ...]
    storages: tuple[int, ...]


class TensorRecorder:
    """Recorder of tensors. Call with the log's lock held, inside `disabled_torch_modes`.

    Attributes:
        known: What was recorded, with which tensors are compared.
        keeps_values: Whether elements and statistics of tensors are stored.
        non_finite: Looks for the element that ends the recording; None if none does.
        last_storage: Number of the storage of the tensor that was recorded last.
    """

    def __init__(self, log: RecordLog, options: RecordingOptions) -> None:
        self._log = log
        self._put = log.put_tensor
        self._whole_elements = options.whole_elements
        self._budget = options.budget_bytes
        self.keeps_values = options.scope.values
        self.non_finite: NonFiniteWatch | None = None
        until = options.scope.until
        condition = parse_stop_condition(until) if until else None
        if condition is not None and condition.kind != "loss":
            self.non_finite = NonFiniteWatch(condition.kind)
        self.known = KnownTensors(options.whole_elements, self._keep_only_storages)
        self._storages = self.known.storages
        self._held = self._storages.held
        self._forms = TensorForms(options.whole_elements, keeps_values=self.keeps_values)
        self._ordinary = self._forms.ordinary
        self.last_storage = 0
        self._written: dict[int, int] = {}
        self._replaced = -1
        self._uninitialized: dict[int, tuple[TensorKey, bytes, int] | None] = {}
        self._statistics: dict[tuple[Any, ...], tuple[object, Statistics]] = {}
        self._copies: dict[tuple[int, int, int], tuple[object, SharedCopy]] = {}

    def item(self, name: str, value: object) -> Item:
        """A value as a named item: a tensor, None, or text for anything else."""
        if isinstance(value, _Tensor):
            return Item(name=name, kind="tensor", tensor=self.record(value))
        return none_item(name) if value is None else object_item(name, printable_value(value))

    def items(self, names: tuple[str, ...], values: tuple[object, ...]) -> tuple[Item, ...]:
        """Items for several values."""
        return tuple([self.item(name, value) for name, value in zip(names, values, strict=True)])

    def record(self, tensor: torch.Tensor, ahead: int = 0) -> int:
        """Record a tensor in its current state; an unchanged one keeps its number.

        A tensor whose values cannot be read is recorded without them, and one that cannot be
        described by nothing but its class.

        Args:
            tensor: The tensor.
            ahead: How far its version counter is behind its elements.
        """
        if not ahead:
            seen = self.known.unchanged(tensor)
            if seen is not None:
                self.last_storage = seen.storage
                return seen.known.number
        try:
            found = None if ahead else self._ordinary(tensor)
            return self._record(*found) if found else self._record_other(tensor, ahead)
        except Exception as error:
            # As in `attempt`, whose call would take as long as a part of this.
            if self._log.strict or is_asynchronous(error):
                raise
            note = _reason(error)
        described = attempt(
            self._log, self._put_unreadable, tensor_compat.unwrap(tensor), note, None
        )
        if isinstance(described, Exception):
            return self._put_undescribed(tensor, note)
        return described

    def _record(
        self,
        tensor: torch.Tensor,
        stored: RecordedForm,
        address: int | None,
        offset: int,
        version: int | None,
        *,
        is_behind: bool = False,
    ) -> int:
        """Record a readable tensor that is not known to be unchanged.

        Args:
            tensor: The tensor.
            stored: Its form.
            address: Address of its elements; None if they cannot be read there.
            offset: Its offset in the storage.
            version: Its version; None if it has none.
            is_behind: Whether its version counter has not reached that yet.
        """
        storage = self._held.get(at := _storage_address(tensor)) or self._storages.add(at, tensor)
        self.last_storage = storage
        key = (storage, offset, stored.form)
        if storage in self._uninitialized:
            number = self._record_uninitialized(tensor, key, stored.record)
            if number is not None:
                return number
        content: bytes | None = None
        if stored.is_small:
            content = read_element_bytes(tensor) if address is None else stored.read(address)
        tables = self.known
        known = tables.tensors.get(key)
        if (
            known is None
            or known.version != version
            or not (
                tables.is_same(tensor, key, known) if content is None else known.content == content
            )
        ):
            budget = self._budget - stored.kept_bytes
            if content is not None and budget >= 0 and stored.is_whole:
                # Readers compute its statistics.
                self._budget = budget
                number = self._put(stored.record, content, storage, version, offset)
            else:
                if content is None:
                    # What the next op writes has the same version as what this one has written.
                    content = tables.content_of(tensor, storage, None if is_behind else version)
                state = content or (version, self._storages.writes.get(storage, 0))
                record, data, statistics = self._describe(tensor, stored, address, key, state)
                number = self._put(record, data, storage, version, offset, statistics)
            if self.non_finite is not None:
                self.non_finite.look(tensor)
            known = tables.add(key, number, version, content)
        if address is not None and stored.is_watched:
            tables.objects[id(tensor)] = KnownObject(_ref(tensor), address, storage, stored, known)
        return known.number

    def _record_other(self, tensor: torch.Tensor, ahead: int) -> int:
        """Record a tensor that is not ordinary, or whose version is behind its elements."""
        tensor = tensor_compat.unwrap(tensor)
        note = unreadable_reason(tensor)
        if note:
            self.last_storage = 0
            return self._put_unreadable(tensor, note, tensor_compat.version_of(tensor))
        subclass, tensor = subclass_of(tensor), plain(tensor)
        version = tensor_compat.version_of(tensor)
        if version is None:
            # Torch creates views of it only with the version counter that ``.data`` has.
            tensor = tensor.data
        else:
            version += ahead
        stored = self._forms.stored(tensor, subclass)
        offset = int(tensor.storage_offset())
        return self._record(tensor, stored, None, offset, version, is_behind=ahead > 0)

    def _describe(
        self,
        tensor: torch.Tensor,
        stored: RecordedForm,
        address: int | None,
        key: TensorKey,
        state: object,
    ) -> tuple[TensorRecord, bytes | SharedCopy, Statistics | None]:
        """Record, elements and statistics of a tensor of which not all elements are stored.

        A copy of a large one, made once for all its views, is for the process that describes it.

        Args:
            tensor: The tensor.
            stored: Its form.
            address: Address of its elements in ordinary CPU memory.
            key: Its key.
            state: Is the same as before as long as the elements are.
        """
        record, data = stored.record, b""
        if stored.kept_bytes > self._budget:
            record = without_elements(record, "statistics", say("elements.budget"))
        elif record.content == "preview":
            self._budget -= stored.kept_bytes
            if address is None:
                data = sample_bytes(tensor, record.kept_steps)
            else:
                size = stored.dense_bytes
                place = (key[0], address, size)
                known = self._copies.get(place)
                earlier = known[1] if known is not None and known[0] == state else None
                copy = self._log.share(address, size, earlier) if size else None
                if copy is not None:
                    if copy is not earlier:
                        _limit(self._copies)
                        self._copies[place] = (state, copy)
                    return record, copy, None
                data = stored.read(address)
        is_described = record.content != "metadata"
        statistics = self._statistics_of(tensor, key, state) if is_described else None
        return record, data, statistics

    def _statistics_of(self, tensor: torch.Tensor, key: TensorKey, state: object) -> Statistics:
        """Statistics, which a transposed or reshaped tensor shares with its base."""
        if self.is_small(tensor) or not is_dense(tensor):
            return statistics_of_tensor(tensor)
        place = memory_key(key)
        known = self._statistics.get(place)
        if known is not None and known[0] == state:
            return known[1]
        statistics = statistics_of_tensor(tensor)
        _limit(self._statistics)
        self._statistics[place] = (state, statistics)
        return statistics

    def is_small(self, tensor: torch.Tensor) -> bool:
        """Whether all elements of a tensor are stored."""
        return tensor.numel() <= self._whole_elements

    def read_content(self, tensor: torch.Tensor) -> bytes:
        """The content key of a readable tensor: all elements, or a fingerprint of a large one."""
        tensor = plain(tensor)
        return read_element_bytes(tensor) if self.is_small(tensor) else fingerprint(tensor)

    def note_write(self, tensor: torch.Tensor) -> bool:
        """Note that a torch function wrote to a tensor; False if the trace has no such memory."""
        if tensor_compat.is_wrapped(tensor):
            tensor = tensor_compat.unwrap(tensor)
        if unreadable_reason(tensor):
            return False
        storage = self._storages.known(tensor)
        if storage is None:
            return False
        self._written[storage] = self._log.highest("saved")
        self.known.count_write(storage)
        return True

    def storage_of(self, tensor: torch.Tensor) -> int:
        """Number of a tensor's storage; 0 if its memory cannot be read."""
        return 0 if unreadable_reason(tensor) else self._storages.number(tensor)

    def note_replacement(self) -> None:
        """Note that a tensor got another memory, as with ``x.data = y``; its saved self too."""
        self._replaced = self._log.highest("saved")
        # It may be elsewhere in the same memory, and only its strides may differ.
        self.known.objects.clear()

    def may_have_changed(self, saved: SavedTensors) -> bool:
        """Whether anything was written to the memory of saved tensors after they were saved."""
        written, exported, slot = self._written, self._storages.exported, saved.slot
        if slot <= self._replaced:
            return True
        if not written and not exported:
            return False
        for storage in saved.storages:
            if written.get(storage, -1) >= slot or storage in exported:
                return True
        return False

    def recorded_content(self, tensor: torch.Tensor) -> bytes:
        """Content key of a readable tensor that has just been recorded."""
        storage, subclass = self._storages.number(tensor), subclass_of(tensor)
        tensor = plain(tensor)
        form = self._forms.of(tensor, subclass)
        content = self.known.recorded_content(tensor, (storage, tensor.storage_offset(), form))
        return self.read_content(tensor) if content is None else content

    def _record_uninitialized(
        self, tensor: torch.Tensor, key: TensorKey, record: TensorRecord
    ) -> int | None:
        """Record a tensor whose memory is uninitialized; None if NumPy has written to it."""
        storage, content = key[0], self.read_content(tensor)
        held = self._uninitialized[storage]
        if held is not None and held[0] == key:
            if held[1] == content:
                return held[2]
            del self._uninitialized[storage]
            return None
        record = without_elements(record, "metadata", say("elements.unwritten"))
        number = self._put(record, b"", storage, tensor_compat.version_of(tensor), int(key[1]))
        if held is None:
            self._uninitialized[storage] = (key, content, number)
        return number

    def mark_uninitialized(self, tensor: torch.Tensor) -> None:
        """Note that a tensor was created with uninitialized memory."""
        if not unreadable_reason(tensor):
            self._uninitialized[self._storages.number(tensor)] = None

    def filled(self, tensor: torch.Tensor) -> None:
        """Note that an op has written to a tensor."""
        if not unreadable_reason(tensor):
            storage = self._storages.known(tensor)
            if storage is not None:
                self.known.count_write(storage)
                self._uninitialized.pop(storage, None)

    def _keep_only_storages(self, numbers: Set[int]) -> None:
        self._written = {key: each for key, each in self._written.items() if key in numbers}

    def keep_only(self, numbers: Container[int]) -> None:
        """Forget the tensors that are no longer in the trace; the next use records them again."""
        self.known.keep_only(numbers)
        self._uninitialized = {
            storage: held if held is not None and held[2] in numbers else None
            for storage, held in self._uninitialized.items()
        }

    def forget(self) -> None:
        """Forget all tensors and storages."""
        self.known.forget()
        self._written.clear()
        self._uninitialized.clear()
        self._statistics.clear()
        self._copies.clear()

    def _put_undescribed(self, tensor: torch.Tensor, note: str) -> int:
        unknown = dict.fromkeys(("dtype", "device", "layout"), "unknown")
        facts = {**unknown, "shape": (), "strides": None, "requires_grad": False}
        return self._put_without_elements(tensor, note, None, facts)

    def _put_unreadable(self, tensor: torch.Tensor, note: str, version: int | None) -> int:
        facts = {
            "dtype": dtype_name(tensor.dtype),
            "device": str(tensor.device),
            "layout": layout_name(tensor),
            "shape": () if _lacks_sizes(tensor) else tuple(tensor.shape),
            "strides": _strides(tensor),
            "requires_grad": tensor_compat.requires_grad_of(tensor),
        }
        return self._put_without_elements(tensor, note, version, facts)

    def _put_without_elements(
        self, tensor: torch.Tensor, note: str, version: int | None, facts: dict[str, Any]
    ) -> int:
        record = TensorRecord(
            **facts,
            id=0,
            storage=None,
            version=None,
            content="metadata",
            kept_shape=(),
            kept_steps=(),
            note=note,
            statistics=None,
            subclass=subclass_of(tensor),
        )
        return self._put(record, b"", None, version, None)


def _limit(described: dict[Any, Any]) -> None:
    """Forget what is known of large tensors before it becomes too much."""
    if len(described) > _MOST_DESCRIBED:
        described.clear()


def _reason(error: Exception) -> str:
    """Why a tensor could not be described, as a phrase."""
    text = printable_text(" ".join(safe_exception_text(error).split()))
    return say("elements.failed", kind=class_name(type(error)), error=text)[:_MOST_REASON]


_MOST_REASON = 200


def _lacks_sizes(tensor: torch.Tensor) -> bool:
    """Whether a tensor has no single shape, or none yet."""
    return tensor.is_nested or is_lazy(tensor)


def _strides(tensor: torch.Tensor) -> tuple[int, ...] | None:
    if tensor.layout is not torch.strided or _lacks_sizes(tensor):
        return None
    return tensor.stride()
