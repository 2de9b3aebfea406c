"""A tensor as it was recorded: what is known about it, and the bits that were kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.float8 import FLOAT8_TABLES
from gradviz.model.statistics import Statistics

Content = Literal["whole", "preview", "statistics", "metadata"]

NUMPY_DTYPES = {
    "float64": "<f8",
    "float32": "<f4",
    "float16": "<f2",
    "complex128": "<c16",
    "complex64": "<c8",
    "int64": "<i8",
    "int32": "<i4",
    "int16": "<i2",
    "int8": "|i1",
    "uint64": "<u8",
    "uint32": "<u4",
    "uint16": "<u2",
    "uint8": "|u1",
    "bool": "|b1",
}
"""Torch dtypes (without the ``torch.``) that numpy has too."""

ITEM_SIZES = {name: np.dtype(code).itemsize for name, code in NUMPY_DTYPES.items()} | {
    "bfloat16": 2,
    **dict.fromkeys(FLOAT8_TABLES, 1),
}
"""Bytes of one element of every dtype whose values can be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorValue:
    """Elements of a tensor, bit for bit: equal values have equal bytes.

    Attributes:
        dtype: Torch's name without ``torch.``, one of `ITEM_SIZES`.
        shape: Sizes; ``()`` is one element without dimensions.
        data: The elements in row-major order, little-endian.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def array(self) -> npt.NDArray[Any]:
        """Views the bits as an array of ``shape``.

        Types that numpy lacks (bfloat16, float8) come back as float32, which holds each of their
        values exactly.

        Raises:
            ValueError: If the dtype is unknown or the data does not fill the shape.
        """
        if self.dtype in NUMPY_DTYPES:
            flat = np.frombuffer(self.data, dtype=NUMPY_DTYPES[self.dtype])
        elif self.dtype == "bfloat16":
            wide = np.frombuffer(self.data, dtype="<u2").astype(np.uint32) << 16
            flat = wide.view(np.float32)
        elif self.dtype in FLOAT8_TABLES:
            flat = FLOAT8_TABLES[self.dtype][np.frombuffer(self.data, dtype=np.uint8)]
        else:
            raise ValueError(f"values of dtype {self.dtype} cannot be kept")
        return flat.reshape(self.shape)


Values = Callable[[int], TensorValue | None]
"""Reads the kept elements of a tensor by its number; `TraceReader.value` is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRecord:
    """What the trace knows of one tensor at one moment; its kept elements are read separately.

    Attributes:
        id: Number in the trace.
        dtype: Torch's name without ``torch.``.
        shape: Sizes of the whole tensor.
        strides: In elements; None where a layout has none (sparse).
        device: As torch prints it, like ``cuda:0``.
        layout: ``strided``, ``sparse_coo`` ...
        requires_grad: As it was when recorded.
        storage: Tensors with the same number shared memory; None where that is unknown.
        version: The version counter when recorded; None where there is none.
        content: How much of the values was kept.
        kept_shape: Shape of the kept elements; equals ``shape`` when content is ``whole``.
        kept_steps: Kept element ``[i, j]`` is element ``[i * step0, j * step1]`` of the tensor.
        note: Why the values are not whole, as a phrase; empty when they are.
        statistics: Over all elements, not only the kept ones. None when not computed: a recorder
            leaves those of whole tensors to readers, who have them from `Index.tensor`.
        subclass: Name of its class where that is a subclass of ``torch.Tensor``; else empty.
    """

    id: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    device: str
    layout: str
    requires_grad: bool
    storage: int | None
    version: int | None
    content: Content
    kept_shape: tuple[int, ...]
    kept_steps: tuple[int, ...]
    note: str
    statistics: Statistics | None
    subclass: str = ""

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def kept_bytes(self) -> int:
        """Length in bytes that the kept elements must have."""
        if self.content not in ("whole", "preview"):
            return 0
        return math.prod(self.kept_shape) * ITEM_SIZES[self.dtype]


def preview_steps(shape: tuple[int, ...], most: int = 64) -> tuple[int, ...]:
    """Steps that sample a tensor down to at most ``most`` by ``most`` elements.

    The last two dimensions keep up to ``most`` samples each; earlier dimensions keep as many as
    fit in ``most * most`` elements together, the later ones first.
    """
    left = most * most
    steps: list[int] = []
    for size in reversed(shape):
        samples = max(1, min(size, most, left))
        step = max(1, math.ceil(size / samples))
        steps.append(step)
        left = max(1, left // max(1, math.ceil(size / step)))
    return tuple(reversed(steps))
