"""A recorded tensor: its metadata, and the bits that were stored."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.statistics import Statistics

Float8Table = npt.NDArray[np.float32]


def _decode(bits: int, mantissa: int, bias: int) -> float:
    sign = -1.0 if bits & 0x80 else 1.0
    fraction = bits & ((1 << mantissa) - 1)
    exponent = (bits & 0x7F) >> mantissa
    if exponent == 0:
        return float(sign * fraction * 2.0 ** (1 - bias - mantissa))
    return float(sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias))


@functools.cache
def _float8_table(dtype: str) -> Float8Table:
    """The 256 float32 values of a type."""
    mantissa, bias, special = _FLOAT8[dtype]
    values = [_decode(bits, mantissa, bias) for bits in range(256)]
    for bits, value in special.items():
        values[bits] = value
    return np.array(values, dtype=np.float32)


_NAN, _INF = float("nan"), float("inf")

_FLOAT8: dict[str, tuple[int, int, dict[int, float]]] = {
    "float8_e4m3fn": (3, 7, {0x7F: _NAN, 0xFF: _NAN}),
    "float8_e4m3fnuz": (3, 8, {0x80: _NAN}),
    "float8_e5m2": (
        2,
        15,
        {0x7C: _INF, 0xFC: -_INF} | dict.fromkeys((0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF), _NAN),
    ),
    "float8_e5m2fnuz": (2, 16, {0x80: _NAN}),
}
"""Bits of the fraction, bias of the exponent, and values that are no numbers, of each type.

Source: OCP 8-bit Floating Point Specification (OFP8) 1.0 for ``e4m3fn`` and ``e5m2``;
arXiv:2206.02915 for the ``fnuz`` types.
"""


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
"""Torch dtypes (without ``torch.``) that numpy has too."""

ITEM_SIZES = {name: np.dtype(code).itemsize for name, code in NUMPY_DTYPES.items()} | {
    "bfloat16": 2,
    **dict.fromkeys(_FLOAT8, 1),
}
"""Size in bytes of one element, for every dtype whose values can be stored."""


def is_integral(dtype: str) -> bool:
    """Whether the elements are indices, counts or a mask, and not numbers to compute with."""
    return np.dtype(NUMPY_DTYPES.get(dtype, "<f4")).kind in "iub"


class TensorValue(Struct, frozen=True, kw_only=True):
    """Elements of a tensor, bit for bit: equal values have equal bytes.

    Attributes:
        dtype: Torch's dtype name without ``torch.``, one of `ITEM_SIZES`.
        shape: Sizes; ``()`` is one element without dimensions.
        data: Elements in row-major order, little-endian; a view only of memory that nothing writes.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview

    def array(self) -> npt.NDArray[Any]:
        """View the bits as an array of ``shape``.

        Dtypes that numpy lacks (bfloat16, float8) are converted to float32, which represents each
        of their values exactly.

        Raises:
            ValueError: If the dtype is unknown or the data does not fill the shape.
        """
        if self.dtype in NUMPY_DTYPES:
            flat = np.frombuffer(self.data, dtype=NUMPY_DTYPES[self.dtype])
        elif self.dtype == "bfloat16":
            wide = np.frombuffer(self.data, dtype="<u2").astype(np.uint32) << 16
            flat = wide.view(np.float32)
        elif self.dtype in _FLOAT8:
            flat = _float8_table(self.dtype)[np.frombuffer(self.data, dtype=np.uint8)]
        else:
            raise ValueError(f"values of dtype {self.dtype} cannot be stored")
        return flat.reshape(self.shape)


@functools.lru_cache(maxsize=10_000)
def shape_problem(shape: tuple[int, ...], dtype: str) -> Literal["dimensions", "size"] | None:
    """Why NumPy has no array of a shape that torch allows; None if it has one."""
    if len(shape) > MOST_DIMENSIONS:
        return "dimensions"
    # NumPy ignores sizes of 0 here, so it rejects some tensors without elements.
    if math.prod(filter(None, shape)) * ITEM_SIZES.get(dtype, 1) >= 1 << 63:
        return "size"
    return None


MOST_DIMENSIONS = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32

TensorValues = Callable[[int], TensorValue | None]
"""Reads the stored elements of a tensor by its number, such as `TraceReader.value`."""


class TensorRecord(TraceRecord, frozen=True, kw_only=True):
    """Metadata of one tensor at one moment; its stored elements are read separately.

    Attributes:
        id: Number in the trace.
        dtype: Torch's dtype name without ``torch.``.
        shape: Sizes of the whole tensor.
        strides: Strides in elements; None for layouts without strides (sparse).
        device: Device as torch prints it, such as ``cuda:0``.
        layout: ``strided``, ``sparse_coo`` ...
        requires_grad: Whether it required a gradient when recorded.
        storage: Tensors with the same number shared memory; None if unknown.
        version: Version counter when recorded; None if there is none.
        content: How much of the values was stored.
        kept_shape: Shape of the stored elements; equals ``shape`` if content is ``whole``.
        kept_steps: Stored element ``[i, j]`` is element ``[i * step0, j * step1]`` of the tensor.
        note: Why the values are not complete, as a phrase; empty if they are.
        statistics: Statistics over all elements, not only the stored ones. None if not computed:
            for complete tensors, the recorder leaves this to readers, who use `Index.tensor`.
        subclass: Name of its class if that is a subclass of ``torch.Tensor``; otherwise empty.
        offset: Position of its first element in the storage, in elements of its dtype; None if
            unknown.
    """

    id: Natural
    dtype: str
    shape: tuple[Natural, ...]
    strides: tuple[Natural, ...] | None
    device: str
    layout: str
    requires_grad: bool
    storage: Natural | None
    version: Natural | None
    content: Content
    kept_shape: tuple[Natural, ...]
    kept_steps: tuple[Natural, ...]
    note: str
    statistics: Statistics | None
    subclass: str = ""
    offset: Natural | None = None

    @property
    def has_sizes(self) -> bool:
        """Whether it has a shape; nested tensors, and parameters without values, have none."""
        return bool(self.shape) or self.strides is not None or self.layout.startswith("sparse")

    @property
    def is_described(self) -> bool:
        """Whether dtype, shape and device are known; they are not if they could not be read."""
        return self.layout != "unknown"

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def kept_bytes(self) -> int:
        """Length in bytes that the stored elements must have."""
        if self.content not in ("whole", "preview"):
            return 0
        return math.prod(self.kept_shape) * ITEM_SIZES[self.dtype]


def computed_record(number: int, value: TensorValue) -> TensorRecord:
    """The record of a complete tensor that is a result of a check, not a part of a run."""
    return TensorRecord(
        id=number,
        dtype=value.dtype,
        shape=value.shape,
        strides=None,
        device="cpu",
        layout="strided",
        requires_grad=False,
        storage=None,
        version=None,
        content="whole",
        kept_shape=value.shape,
        kept_steps=(1,) * len(value.shape),
        note="",
        statistics=None,
    )


def preview_steps(shape: tuple[int, ...], most: int = 64) -> tuple[int, ...]:
    """Steps that sample a tensor down to at most ``most`` by ``most`` elements.

    The last two dimensions keep up to ``most`` samples each. Earlier dimensions keep as many as fit
    in ``most * most`` elements in total, the later ones first.
    """
    left = most * most
    steps: list[int] = []
    for size in reversed(shape):
        samples = max(1, min(size, most, left))
        step = max(1, math.ceil(size / samples))
        steps.append(step)
        left = max(1, left // max(1, math.ceil(size / step)))
    return tuple(reversed(steps))


def scalar_value(record: TensorRecord) -> float | None:
    """The value of a real tensor with one element; None for any other tensor."""
    statistics = record.statistics
    if record.count != 1 or statistics is None or record.dtype.startswith("complex"):
        return None
    if statistics.nans:
        return math.nan
    if statistics.infinities:
        return math.inf if statistics.positive_infinities else -math.inf
    return statistics.minimum
