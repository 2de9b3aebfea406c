"""Forms of tensors: everything about a tensor except its memory and its elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct

from gradviz.model.tensor import ITEM_SIZES, NUMPY_DTYPES, TensorRecord, shape_problem
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
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    requires_grad: bool
    is_conj: bool = False
    is_neg: bool = False
    subclass: str = ""

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


class OrdinaryForm(Struct, frozen=True, eq=False, gc=False):
    """A form of tensors in ordinary CPU memory.

    Attributes:
        form: The form.
        record: Record of such a tensor; others differ in number, storage, version and offset, large
            ones in their statistics too.
        read: Reads the elements of a small tensor that begin at an address, row-major; None if the
            tensors are large, so that not all of them are stored.
        sample: Reads those of a large tensor that are stored.
        kept_bytes: Bytes of what is stored.
        item_bytes: Bytes of an element.
        span_bytes: Bytes from its first element to the end of its last one.
        dense_bytes: Bytes of elements that fill their memory once each and have a dtype that NumPy
            knows; 0 for other elements.
        is_tiny: Whether asking torch for the extent of its memory would take longer than reading.
        is_unclear: Whether other tensors look the same: wrappers without elements have no address
            either, and complex elements may be conjugated when read.
    """

    form: TensorForm
    record: TensorRecord
    read: Callable[[int], bytes] | None
    sample: Callable[[int], bytes]
    kept_bytes: int
    item_bytes: int
    span_bytes: int
    dense_bytes: int
    is_tiny: bool
    is_unclear: bool

    def has_memory(self, tensor: torch.Tensor, address: int, offset: int) -> bool:
        """Whether the elements of such a tensor are inside its storage, which may be resized.

        Args:
            tensor: The tensor.
            address: Address of its first element.
            offset: Position of that in the storage, in elements.
        """
        if self.is_unclear and not tensor_compat.is_ordinary(tensor):
            return False
        if address == 0 or self.is_tiny:
            return address != 0 or not self.span_bytes
        return offset * self.item_bytes + self.span_bytes <= storage_bytes(tensor)


OrdinaryTensor = tuple[OrdinaryForm, int, int, int]
"""Its form, the address of its first element, its offset in the storage, and its version."""


def _reader(record: TensorRecord, size: int, *, is_contiguous: bool) -> Callable[[int], bytes]:
    """What reads the elements of tensors that are kept; see `OrdinaryForm`."""
    if is_contiguous:
        return lambda address: ADDRESSES[address : address + size]
    at, sample = byte_array_type(size).from_address, sampler(record)
    return lambda address: sample(at(address))


_OWN_CLASSES = tensor_compat.OWN_CLASSES
_version, storage_bytes = tensor_compat.version_counter, tensor_compat.storage_bytes
_MOST_ORDINARY = 10_000


class TensorForms:
    """Creates forms, each only once.

    Args:
        most_elements: Largest number of elements of a small tensor.
    """

    def __init__(self, most_elements: int) -> None:
        self._most_elements = most_elements
        self._forms: dict[tuple[Any, ...], TensorForm] = {}
        self._ordinary: dict[tuple[Any, ...], OrdinaryForm | None] = {}

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
        )
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = TensorForm(tuple(tensor.shape), *key[1:])
        return form

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
        try:
            form = self._ordinary[key]
        except KeyError:
            if not tensor_compat.is_ordinary(tensor):
                return None
            if len(self._ordinary) > _MOST_ORDINARY:
                self._ordinary.clear()
            form = self._ordinary[key] = self._make_ordinary(tensor)
        offset: Any = tensor.storage_offset()
        if form is None:
            return None
        is_clear = address != 0 and form.is_tiny and not form.is_unclear
        if not (is_clear or form.has_memory(tensor, address, offset)):
            return None
        return form, address, offset, version

    def _make_ordinary(self, tensor: torch.Tensor) -> OrdinaryForm | None:
        form, dtype = self.of(tensor, ""), dtype_name(tensor.dtype)
        if dtype not in ITEM_SIZES or shape_problem(form.shape, dtype) is not None:
            return None
        is_small = form.count <= self._most_elements
        steps = (1,) * len(form.shape) if is_small else sample_steps(form.shape)
        record = TensorRecord(
            id=0,
            dtype=dtype,
            shape=form.shape,
            strides=form.strides,
            device="cpu",
            layout="strided",
            requires_grad=form.requires_grad,
            storage=None,
            version=None,
            content="whole" if is_small else "preview",
            kept_shape=sampled_shape(form.shape, steps),
            kept_steps=steps,
            note="" if is_small else sampling_note(form.count),
            statistics=None,
        )
        pairs = zip(form.shape, form.strides, strict=True)
        span = 1 + sum((size - 1) * stride for size, stride in pairs) if form.count else 0
        width = ITEM_SIZES[dtype]
        size = span * width
        read = _reader(record, size, is_contiguous=is_small and tensor.is_contiguous())
        return OrdinaryForm(
            form,
            record,
            read if is_small else None,
            read,
            record.kept_bytes,
            width,
            size,
            size if dtype in NUMPY_DTYPES and is_dense(tensor) else 0,
            form.count <= MOST_UNCHECKED,
            form.dtype.is_complex or not size,
        )
