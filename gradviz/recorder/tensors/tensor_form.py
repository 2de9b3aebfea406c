"""Forms of tensors: everything about a tensor except its memory and its elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.model.tensor import (
    ITEM_SIZES,
    MOST_DIMENSIONS,
    NUMPY_DTYPES,
    Content,
    TensorRecord,
    shape_problem,
)
from gradviz.model.tensor_memory import sampler
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import ADDRESSES, byte_array_type
from gradviz.recorder.tensors.tensor_elements import (
    MOST_UNCHECKED,
    dtype_name,
    is_dense,
    sample_steps,
    sampled_shape,
    sampling_note,
)


class TensorForm(Struct, frozen=True, eq=False, gc=False):
    """What tensors have in common that differ only in where their elements are, and in those.

    `TensorForms` creates each form once, so forms are compared by identity.

    Attributes:
        shape: Sizes.
        strides: Strides in elements.
        dtype: Torch's dtype.
        requires_grad: Whether the tensor requires a gradient.
        is_conj: Whether its elements are conjugated when read.
        is_neg: Whether its elements are negated when read.
        subclass: Name of its class; empty for ``torch.Tensor`` and ``Parameter``.
        device: Device as torch prints it.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    requires_grad: bool
    is_conj: bool = False
    is_neg: bool = False
    subclass: str = ""
    device: str = "cpu"

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


TensorKey = tuple[int, int | torch.SymInt, TensorForm]
"""What identifies a tensor while only its elements change: storage, offset and form."""


def memory_key(key: TensorKey) -> tuple[Any, ...]:
    """Identifies the memory of a dense tensor; views of all of it have the same key."""
    storage, offset, form = key
    return (storage, offset, form.count, form.dtype, form.is_conj, form.is_neg)


class RecordedForm(Struct, frozen=True, eq=False, gc=False):
    """A form, and what is stored of tensors that have it.

    Attributes:
        form: The form.
        record: Record of such a tensor; others differ in number, storage, version and offset, large
            ones in their statistics too.
        kept_bytes: Bytes of what is stored.
        is_whole: Whether all elements are stored if the budget allows it.
        is_watched: Whether the elements of a tensor that has not changed are at its address.
        is_small: Whether the tensors are so small that all elements are stored.
        read: Reads the elements of a tensor in ordinary CPU memory that begin at an address,
            row-major; of a large one, those that are stored.
        item_bytes: Bytes of an element.
        span_bytes: Bytes from its first element to the end of its last one.
        dense_bytes: Bytes of elements that fill their memory once each and have a dtype that NumPy
            knows; 0 for other elements.
        is_unclear: Whether other tensors look the same: wrappers without elements have no address
            either, and complex elements may be conjugated when read.
        is_clear: Whether a tensor that has an address has its elements there, as asking for the
            extent of its memory would take longer than reading; of others, ask `has_memory`.
    """

    form: TensorForm
    record: TensorRecord
    kept_bytes: int
    is_whole: bool
    is_watched: bool
    is_small: bool
    read: Callable[[int], bytes]
    item_bytes: int
    span_bytes: int
    dense_bytes: int
    is_unclear: bool
    is_clear: bool

    def has_memory(self, tensor: torch.Tensor, address: int, offset: int) -> bool:
        """Whether the elements of such a tensor are inside its storage, which may be resized.

        Args:
            tensor: The tensor.
            address: Address of its first element.
            offset: Position of that in the storage, in elements.
        """
        if self.is_unclear and not tensor_compat.is_ordinary(tensor):
            return False
        if address == 0:
            return not self.span_bytes
        return offset * self.item_bytes + self.span_bytes <= storage_bytes(tensor)


OrdinaryTensor = tuple[torch.Tensor, RecordedForm, int, int, int]
"""A tensor, its form, the address of its first element, its offset in the storage, and its
version."""


def _reader(record: TensorRecord, size: int, *, is_contiguous: bool) -> Callable[[int], bytes]:
    """What reads the elements of tensors that are kept; see `RecordedForm`."""
    if is_contiguous:
        return lambda address: ADDRESSES[address : address + size]
    at, sample = byte_array_type(size).from_address, sampler(record)
    return lambda address: sample(at(address))


_OWN_CLASSES = tensor_compat.OWN_CLASSES
_version, storage_bytes = tensor_compat.version_counter, tensor_compat.storage_bytes
_MOST_STORED = 10_000


class TensorForms:
    """Creates forms, each only once.

    Args:
        most_elements: Largest number of elements of a small tensor.
        keeps_values: Whether elements are stored.
    """

    def __init__(self, most_elements: int, *, keeps_values: bool = True) -> None:
        self._most_elements = most_elements
        self._keeps_values = keeps_values
        self._forms: dict[tuple[Any, ...], TensorForm] = {}
        self._stored: dict[TensorForm, RecordedForm] = {}
        self._ordinary: dict[tuple[Any, ...], RecordedForm] = {}

    def of(self, tensor: torch.Tensor, subclass: str) -> TensorForm:
        """The form of a strided tensor, given as `plain` returns it."""
        key = (
            tensor.shape,
            tensor.stride(),
            tensor.dtype,
            tensor_compat.requires_grad_of(tensor),
            tensor.is_conj(),
            tensor.is_neg(),
            subclass,
            str(tensor.device),
        )
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = TensorForm(tuple(tensor.shape), *key[1:])
        return form

    def stored(self, tensor: torch.Tensor, subclass: str) -> RecordedForm:
        """The form of a readable tensor, given as `plain` returns it, and what is stored of it."""
        form = self.of(tensor, subclass)
        stored = self._stored.get(form)
        if stored is None:
            if len(self._stored) > _MOST_STORED:
                self._stored.clear()
                self._ordinary.clear()
            stored = self._stored[form] = self._make_stored(tensor, form)
        return stored

    def ordinary(self, tensor: torch.Tensor) -> OrdinaryTensor | None:
        """What to know of a tensor in ordinary CPU memory; None for any other tensor.

        Most tensors of most runs are of this kind, so it asks torch for less than
        `tensor_compat.is_ordinary` does.
        """
        if type(tensor) not in _OWN_CLASSES or not tensor.is_cpu or tensor.is_neg():
            return None
        try:
            key = (tensor.shape, tensor.stride(), tensor.dtype, tensor.requires_grad)
            # Wrappers and sparse tensors have no address, and those from inference mode no version.
            address, version = tensor.data_ptr(), _version(tensor)
        except RuntimeError as error:
            if is_asynchronous(error):
                raise
            return None
        stored = self._ordinary.get(key)
        if stored is None:
            dtype = dtype_name(tensor.dtype)
            if not tensor_compat.is_ordinary(tensor) or dtype not in ITEM_SIZES:
                return None
            stored = self.stored(tensor, "")
            if shape_problem(stored.form.shape, dtype) is not None:
                return None
            self._ordinary[key] = stored
        offset: Any = tensor.storage_offset()
        if (address and stored.is_clear) or stored.has_memory(tensor, address, offset):
            return tensor, stored, address, offset, version
        return None

    def _make_stored(self, tensor: torch.Tensor, form: TensorForm) -> RecordedForm:
        shape, dtype = form.shape, dtype_name(form.dtype)
        is_small = form.count <= self._most_elements
        steps = (1,) * len(shape) if is_small else sample_steps(shape)
        record = TensorRecord(
            id=0,
            dtype=dtype,
            shape=shape,
            strides=form.strides,
            device=form.device,
            layout="strided",
            requires_grad=form.requires_grad,
            storage=None,
            version=None,
            content="whole" if is_small else "preview",
            kept_shape=sampled_shape(shape, steps),
            kept_steps=steps,
            note="" if is_small else sampling_note(form.count),
            statistics=None,
            subclass=form.subclass,
        )
        sampled, problem = record, shape_problem(shape, dtype)
        if not self._keeps_values:
            record = without_elements(record, "metadata", say("elements.not_asked"))
        elif problem is not None:
            note = say(f"elements.numpy_{problem}", count=len(shape), most=MOST_DIMENSIONS)
            record = without_elements(record, "statistics", note)
        width, pairs = ITEM_SIZES[dtype], zip(shape, form.strides, strict=True)
        span = 1 + sum((size - 1) * stride for size, stride in pairs) if form.count else 0
        size = span * width
        is_tiny = form.count <= MOST_UNCHECKED
        is_unclear = form.dtype.is_complex or not size
        # There are no arrays of other shapes.
        read = _reader(
            sampled, 0 if problem else size, is_contiguous=is_small and tensor.is_contiguous()
        )
        return RecordedForm(
            form,
            record,
            record.kept_bytes,
            record.content == "whole",
            is_tiny or not is_small,
            is_small,
            read,
            width,
            size,
            size if dtype in NUMPY_DTYPES and is_dense(tensor) else 0,
            is_unclear,
            is_tiny and not is_unclear,
        )


def without_elements(record: TensorRecord, content: Content, note: str) -> TensorRecord:
    """The record of a tensor of which no elements are stored, and why."""
    return replace(record, content=content, kept_shape=(), kept_steps=(), note=note)
