"""Recording of the run's tensors; each state of each tensor is recorded once."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Container, Set
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace
from torch.nn.parameter import is_lazy

from gradviz.catalogue.messages import say
from gradviz.model.item import Item, none_item, object_item
from gradviz.model.settings.stop_condition import parse_stop_condition
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import MOST_DIMENSIONS, Content, TensorRecord, shape_problem
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.error_boundary import attempt, safe_exception_text
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.safe_text import class_name, printable_text, printable_value
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.fingerprint import fingerprint
from gradviz.recorder.tensors.known_tensors import KnownObject, KnownTensors
from gradviz.recorder.tensors.shared_copies import SharedCopies
from gradviz.recorder.tensors.statistics import NonFiniteWatch, statistics_of_tensor
from gradviz.recorder.tensors.tensor_elements import (
    dtype_name,
    is_dense,
    layout_name,
    plain,
    read_element_bytes,
    sample_bytes,
    sample_steps,
    sampled_shape,
    sampling_note,
    subclass_of,
    unreadable_reason,
)
from gradviz.recorder.tensors.tensor_form import (
    OrdinaryForm,
    TensorForms,
    TensorKey,
    memory_key,
)
from gradviz.store.packed_rows import SharedCopy

_MOST_STATISTICS = 10_000


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


class _KeptValues(Struct):
    """The values stored of a tensor; ``note`` says why they are incomplete."""

    content: Content
    data: bytes = b""
    kept_shape: tuple[int, ...] = ()
    kept_steps: tuple[int, ...] = ()
    statistics: Statistics | None = None
    note: str = ""


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
        self._forms = TensorForms(options.whole_elements)
        self._is_fast = self.keeps_values and self.non_finite is None
        self.last_storage = 0
        self._written: dict[int, int] = {}
        self._replaced = -1
        self._uninitialized: dict[int, tuple[TensorKey, bytes, int] | None] = {}
        self._statistics: dict[tuple[Any, ...], tuple[object, Statistics]] = {}
        self._copies = SharedCopies(log)

    def item(self, name: str, value: object) -> Item:
        """A value as a named item: a tensor, None, or text for anything else."""
        if value is None:
            return none_item(name)
        if isinstance(value, torch.Tensor):
            return Item(name=name, kind="tensor", tensor=self.record(value))
        return object_item(name, printable_value(value))

    def items(self, names: tuple[str, ...], values: tuple[object, ...]) -> tuple[Item, ...]:
        """Items for several values."""
        return tuple([self.item(name, value) for name, value in zip(names, values, strict=True)])

    def numbers(self, tensors: tuple[torch.Tensor | None, ...]) -> tuple[int | None, ...]:
        """Record several tensors, of which some may be missing."""
        return tuple([None if each is None else self.record(each) for each in tensors])

    def record(self, tensor: torch.Tensor, ahead: int = 0) -> int:
        """Record a tensor in its current state; an unchanged one keeps its number.

        A tensor whose values cannot be read is recorded without them, and one that cannot be
        described by nothing but its class.

        Args:
            tensor: The tensor.
            ahead: How far its version counter is behind its elements.
        """
        if ahead == 0:
            known = self.known
            seen = known.objects.get(id(tensor))
            if seen is not None and known.is_unchanged(tensor, seen):
                self.last_storage = seen.storage
                return seen.known.number
        try:
            if ahead == 0 and self._is_fast:
                ordinary = self._record_ordinary(tensor)
                if ordinary is not None:
                    return ordinary
            tensor = tensor_compat.unwrap(tensor) if tensor_compat.is_wrapped(tensor) else tensor
            return self._record(tensor, ahead)
        except Exception as error:
            # As in `attempt`, whose call would take as long as a part of this.
            if self._log.strict or is_asynchronous(error):
                raise
            kept = _KeptValues("metadata", note=_reason(error))
        described = attempt(self._log, self._put, tensor, None, None, kept)
        if isinstance(described, Exception):
            return self._put_undescribed(tensor, kept.note)
        return described

    def _record_ordinary(self, tensor: torch.Tensor) -> int | None:
        """Record a tensor in ordinary CPU memory; None if `_record` has to do it.

        Does the same as `_record` in a fraction of the time.
        """
        found = self._forms.ordinary(tensor)
        if found is None:
            return None
        ordinary, address, offset, version = found
        self.last_storage = storage = self._storages.number(tensor)
        if storage in self._uninitialized:
            return None
        key, read, tables = (storage, offset, ordinary.form), ordinary.read, self.known
        content = None if read is None else read(address)
        known = tables.find(tensor, key, version, content)
        if known is None:
            if ordinary.kept_bytes > self._budget:
                return None
            self._budget -= ordinary.kept_bytes
            data: bytes | SharedCopy = b"" if content is None else content
            # Readers compute those of a small tensor.
            statistics = None
            if content is None:
                content = tables.content_of(tensor, storage, version)
                data, statistics = self._describe(tensor, ordinary, address, key, version, content)
            number = self._log.next("tensor")
            record = replace(
                ordinary.record,
                id=number,
                storage=storage,
                version=version,
                offset=offset,
                statistics=statistics,
            )
            self._log.put_tensor(record, data)
            known = tables.add(key, number, version, content)
        if read is None or ordinary.is_tiny:
            tables.objects[id(tensor)] = KnownObject(
                weakref.ref(tensor), version, address, storage, ordinary, known
            )
        return known.number

    def _describe(
        self,
        tensor: torch.Tensor,
        ordinary: OrdinaryForm,
        address: int,
        key: TensorKey,
        version: int,
        content: bytes | None,
    ) -> tuple[bytes | SharedCopy, Statistics | None]:
        """A copy of a large tensor for the process that describes it; or its sample, described."""
        state, size = self._state(key, version, content), ordinary.dense_bytes
        copy = self._copies.copy(key[0], address, size, state) if size else None
        if copy is not None:
            return copy, None
        return ordinary.sample(address), self._statistics_of(tensor, key, version, content)

    def _state(self, key: TensorKey, version: int | None, content: bytes | None) -> object:
        """What is the same while a large tensor has the same elements."""
        return content or (version, self.known.writes(key[0]))

    def _record(self, tensor: torch.Tensor, ahead: int) -> int:
        note = unreadable_reason(tensor)
        if note:
            self.last_storage = 0
            kept = _KeptValues("metadata", note=note)
            return self._put(tensor, None, tensor_compat.version_of(tensor), kept)
        self.last_storage = storage = self._storages.number(tensor)
        subclass, tensor = subclass_of(tensor), plain(tensor)
        version = tensor_compat.version_of(tensor)
        if version is None:
            # Torch creates views of it only with the version counter that ``.data`` has.
            tensor = tensor.data
        else:
            version += ahead
        key = (storage, tensor.storage_offset(), self._forms.of(tensor, subclass))
        if storage in self._uninitialized:
            number = self._record_uninitialized(tensor, key)
            if number is not None:
                return number
        content = read_element_bytes(tensor) if self.is_small(tensor) else None
        known = self.known.find(tensor, key, version, content)
        if known is not None:
            return known.number
        data = sample_bytes(tensor, sample_steps(key[2].shape)) if content is None else content
        if content is None:
            # What the next op writes has the same version as what this one has written.
            told_by = None if ahead else version
            content = self.known.content_of(tensor, storage, told_by)
        kept = self._keep(tensor, key, data, version, content)
        number = self._put(tensor, storage, version, kept, subclass)
        if self.non_finite is not None:
            self.non_finite.look(tensor)
        self.known.add(key, number, version, content)
        return number

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

    def _record_uninitialized(self, tensor: torch.Tensor, key: TensorKey) -> int | None:
        """Record a tensor whose memory is uninitialized; None if NumPy has written to it."""
        storage, content = key[0], self.read_content(tensor)
        held = self._uninitialized[storage]
        if held is not None and held[0] == key:
            if held[1] == content:
                return held[2]
            del self._uninitialized[storage]
            return None
        kept = _KeptValues("metadata", note=say("elements.unwritten"))
        number = self._put(tensor, storage, tensor_compat.version_of(tensor), kept, key[2].subclass)
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

    def _keep(
        self,
        tensor: torch.Tensor,
        key: TensorKey,
        data: bytes,
        version: int | None,
        content: bytes | None,
    ) -> _KeptValues:
        if not self.keeps_values:
            return _KeptValues("metadata", note=say("elements.not_asked"))
        shape = key[2].shape
        small = self.is_small(tensor)
        problem = shape_problem(shape, dtype_name(tensor.dtype))
        if problem is not None:
            statistics = self._statistics_of(tensor, key, version, content)
            note = say(f"elements.numpy_{problem}", count=len(shape), most=MOST_DIMENSIONS)
            return _KeptValues("statistics", statistics=statistics, note=note)
        fits = len(data) <= self._budget
        if fits:
            self._budget -= len(data)
        if fits and small:
            # Readers compute the statistics.
            return _KeptValues("whole", data, shape, (1,) * len(shape))
        statistics = self._statistics_of(tensor, key, version, content)
        if not fits:
            return _KeptValues("statistics", statistics=statistics, note=say("elements.budget"))
        steps = sample_steps(shape)
        note = sampling_note(key[2].count)
        return _KeptValues("preview", data, sampled_shape(shape, steps), steps, statistics, note)

    def _statistics_of(
        self, tensor: torch.Tensor, key: TensorKey, version: int | None, content: bytes | None
    ) -> Statistics:
        """Statistics, which a transposed or reshaped tensor shares with its base."""
        if self.is_small(tensor) or not is_dense(tensor):
            return statistics_of_tensor(tensor)
        place, state = memory_key(key), self._state(key, version, content)
        known = self._statistics.get(place)
        if known is not None and known[0] == state:
            return known[1]
        statistics = statistics_of_tensor(tensor)
        if len(self._statistics) > _MOST_STATISTICS:
            self._statistics.clear()
        self._statistics[place] = (state, statistics)
        return statistics

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
        self._copies.forget()

    def _put_undescribed(self, tensor: torch.Tensor, note: str) -> int:
        number = self._log.next("tensor")
        record = TensorRecord(
            id=number,
            dtype="unknown",
            shape=(),
            strides=None,
            device="unknown",
            layout="unknown",
            requires_grad=False,
            storage=None,
            version=None,
            content="metadata",
            kept_shape=(),
            kept_steps=(),
            note=note,
            statistics=None,
            subclass=subclass_of(tensor),
        )
        self._log.put_tensor(record, b"")
        return number

    def _put(
        self,
        tensor: torch.Tensor,
        storage: int | None,
        version: int | None,
        kept: _KeptValues,
        subclass: str = "",
    ) -> int:
        record = TensorRecord(
            # Used up only below, after nothing has raised.
            id=self._log.highest("tensor") + 1,
            dtype=dtype_name(tensor.dtype),
            shape=() if _lacks_sizes(tensor) else tuple(tensor.shape),
            strides=_strides(tensor),
            device=_device_name(tensor.device),
            layout=layout_name(tensor),
            requires_grad=tensor_compat.requires_grad_of(tensor),
            storage=storage,
            version=version,
            content=kept.content,
            kept_shape=kept.kept_shape,
            kept_steps=kept.kept_steps,
            note=kept.note,
            statistics=kept.statistics,
            subclass=subclass or subclass_of(tensor),
            offset=None if storage is None else int(tensor.storage_offset()),
        )
        self._log.put_tensor(record, kept.data)
        return self._log.next("tensor")


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


@functools.cache
def _device_name(device: torch.device) -> str:
    return str(device)
