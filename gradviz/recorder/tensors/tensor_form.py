"""Forms of tensors: everything about a tensor except its memory and its elements."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

import torch

from gradviz.model.tensor import ITEM_SIZES, TensorRecord, shape_problem
from gradviz.recorder import compat
from gradviz.recorder.tensors.memory_elements import memory_bytes
from gradviz.recorder.tensors.tensor_elements import dtype_name
from gradviz.store.row_encoder import holes, row_template


@dataclass(frozen=True, slots=True, eq=False)
class TensorForm:
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


def place_of(key: TensorKey) -> tuple[Any, ...]:
    """What identifies the elements of a dense tensor, which its views of all of them share."""
    storage, offset, form = key
    return (storage, offset, form.count, form.dtype, form.is_conj, form.is_neg)


@dataclass(frozen=True, slots=True, eq=False)
class SmallForm:
    """A form of tensors in ordinary CPU memory whose elements are all stored.

    Attributes:
        form: The form.
        row: Template of their rows, with the number, the storage and the version.
        elements: Type of their memory if it is contiguous; otherwise None.
    """

    form: TensorForm
    row: str
    elements: Any

    def read(self, tensor: torch.Tensor, address: int) -> bytes:
        """The elements of a tensor that begin at an address, row-major."""
        if self.elements is None:
            return memory_bytes(tensor)
        return bytes(self.elements.from_address(address).raw) if address else b""


class TensorForms:
    """Creates forms, each only once.

    Args:
        most_elements: Largest number of elements of a small tensor.
    """

    def __init__(self, most_elements: int) -> None:
        self._most_elements = most_elements
        self._forms: dict[tuple[Any, ...], TensorForm] = {}
        self._small: dict[tuple[Any, ...], SmallForm | None] = {}

    def of(self, tensor: torch.Tensor, subclass: str) -> TensorForm:
        """The form of a strided tensor, given as `plain` returns it."""
        key = (
            tensor.shape,
            tensor.stride(),
            tensor.dtype,
            tensor.requires_grad,
            tensor.is_conj(),
            tensor.is_neg(),
            subclass,
        )
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = TensorForm(tuple(tensor.shape), *key[1:])
        return form

    def small(self, tensor: torch.Tensor) -> SmallForm | None:
        """The form of a small tensor in ordinary CPU memory; None for any other tensor.

        Most tensors of most runs are of this kind, so it takes one look at torch's description of
        the tensor, and one at a table.
        """
        if not compat.is_ordinary(tensor):
            return None
        key = (tensor.shape, tensor.stride(), tensor.dtype, tensor.requires_grad)
        try:
            return self._small[key]
        except KeyError:
            form = self._small[key] = self._make_small(tensor)
            return form

    def _make_small(self, tensor: torch.Tensor) -> SmallForm | None:
        form, dtype = self.of(tensor, ""), dtype_name(tensor.dtype)
        if form.count > self._most_elements or dtype not in ITEM_SIZES:
            return None
        if shape_problem(form.shape, dtype) is not None:
            return None
        number, storage, version = holes(3)
        record = TensorRecord(
            id=number,
            dtype=dtype,
            shape=form.shape,
            strides=form.strides,
            device="cpu",
            layout="strided",
            requires_grad=form.requires_grad,
            storage=storage,
            version=version,
            content="whole",
            kept_shape=form.shape,
            kept_steps=(1,) * len(form.shape),
            note="",
            statistics=None,
        )
        size = form.count * ITEM_SIZES[dtype]
        elements = ctypes.c_char * size if tensor.is_contiguous() else None
        return SmallForm(form, row_template(record, 3), elements)
