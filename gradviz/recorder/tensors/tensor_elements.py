"""What is stored of a tensor at one moment: its description, and elements or a sample."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import torch

from gradviz.model.statistics import Statistics
from gradviz.model.tensor import ITEM_SIZES, Content, preview_steps
from gradviz.recorder import compat
from gradviz.recorder.safe_text import printable_text

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_NO_NUMPY = {
    torch.bfloat16: torch.int16,
    **{
        getattr(torch, name): torch.uint8
        for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
        if hasattr(torch, name)
    },
}
_DTYPE_NAMES: dict[torch.dtype, str] = {}
_STEPS: dict[tuple[int, ...], tuple[int, ...]] = {}


@dataclass(slots=True)
class TensorDescription:
    """Data of a `TensorRecord` other than the values.

    Attributes:
        shape: Sizes; empty if they are not available.
        strides: Strides in elements; None if the layout has none.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    device: str
    layout: str
    requires_grad: bool
    version: int | None
    subclass: str


@dataclass(slots=True)
class RecordedValues:
    """The values stored for a tensor, and why they may be incomplete."""

    content: Content
    data: bytes
    kept_shape: tuple[int, ...]
    kept_steps: tuple[int, ...]
    statistics: Statistics | None
    note: str


def dtype_name(dtype: torch.dtype) -> str:
    """Name of a dtype without ``torch.``."""
    name = _DTYPE_NAMES.get(dtype)
    if name is None:
        name = _DTYPE_NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name


def unreadable_reason(tensor: torch.Tensor) -> str:
    """Why the values of a tensor cannot be read; empty if they can."""
    if type(tensor) not in _PLAIN and compat.has_own_dispatch(tensor):
        name = printable_text(type(tensor).__name__)
        return f"values of {name}, which defines __torch_dispatch__, are not stored"
    if tensor.layout is not torch.strided:
        held = compat.entries_of(tensor)
        entries = "" if held is None else f" (nnz={held})"
        return f"its layout is {_layout_name(tensor)}{entries}"
    if tensor.is_nested:
        return "values of nested tensors are not stored"
    if tensor.is_meta:
        return "a meta tensor has no values"
    if not compat.has_storage(tensor):
        return "it has no storage"
    dtype = dtype_name(tensor.dtype)
    return "" if dtype in ITEM_SIZES else f"values of dtype {dtype} are not stored"


def describe_tensor(tensor: torch.Tensor) -> TensorDescription:
    """Describe a tensor without reading its elements.

    Call it inside `compat.DisabledTorchModes`.
    """
    return TensorDescription(
        dtype=dtype_name(tensor.dtype),
        shape=() if tensor.is_nested else tuple(tensor.shape),
        strides=_strides(tensor),
        device=_device_name(tensor.device),
        layout=_layout_name(tensor),
        requires_grad=tensor.requires_grad,
        version=compat.version_of(tensor),
        subclass=subclass_of(tensor),
    )


def subclass_of(tensor: torch.Tensor) -> str:
    """Name of a tensor's class; empty for ``torch.Tensor`` and ``Parameter``."""
    kind = type(tensor)
    return "" if kind in _PLAIN else printable_text(kind.__name__)


def _strides(tensor: torch.Tensor) -> tuple[int, ...] | None:
    if tensor.layout is not torch.strided or tensor.is_nested:
        return None
    return tensor.stride()


def _layout_name(tensor: torch.Tensor) -> str:
    return str(tensor.layout).removeprefix("torch.")


@functools.cache
def _device_name(device: torch.device) -> str:
    return str(device)


def read_element_bytes(tensor: torch.Tensor) -> bytes:
    """All elements in row-major order, little-endian, whatever the strides and lazy bits."""
    if tensor.dtype in _NO_NUMPY:
        dense = tensor.detach().cpu().contiguous()
        return dense.reshape(-1).view(_NO_NUMPY[tensor.dtype]).numpy().tobytes()
    return tensor.numpy(force=True).tobytes()


def sample_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Cached result of `preview_steps` for a shape."""
    steps = _STEPS.get(shape)
    if steps is None:
        steps = _STEPS[shape] = preview_steps(shape)
    return steps


def sample_bytes(tensor: torch.Tensor, steps: tuple[int, ...]) -> bytes:
    """The elements at multiples of ``steps``, row-major, little-endian."""
    for dimension, step in enumerate(steps):
        if step > 1:
            tensor = tensor[(slice(None),) * dimension + (slice(None, None, step),)]
    return read_element_bytes(tensor)


def keep_whole(shape: tuple[int, ...], data: bytes) -> RecordedValues:
    """Keep all elements; readers compute their statistics."""
    return RecordedValues("whole", data, shape, (1,) * len(shape), None, "")


def keep_sample(shape: tuple[int, ...], data: bytes, statistics: Statistics) -> RecordedValues:
    """Keep statistics of all elements, and the sample ``data``."""
    steps = sample_steps(shape)
    kept = tuple([-(-size // step) for size, step in zip(shape, steps, strict=True)])
    note = f"{math.prod(shape)} elements are too many to store"
    return RecordedValues("preview", data, kept, steps, statistics, note)


def keep_statistics(statistics: Statistics) -> RecordedValues:
    """Keep only statistics."""
    note = "the budget for stored elements is used up"
    return RecordedValues("statistics", b"", (), (), statistics, note)


def is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill a block of memory once each, in any order."""
    return _fills(tensor.stride(), tuple(tensor.shape))


@functools.lru_cache(maxsize=10_000)
def _fills(strides: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    expected = 1
    pairs = zip(strides, shape, strict=True)
    for step, size in sorted([(step, size) for step, size in pairs if size != 1]):
        if step != expected:
            return False
        expected *= size
    return True


def keep_nothing(note: str) -> RecordedValues:
    """Keep no values, for the reason in ``note``."""
    return RecordedValues("metadata", b"", (), (), None, note)
